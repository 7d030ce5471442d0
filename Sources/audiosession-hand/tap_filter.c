#define _GNU_SOURCE
#include "tap_filter.h"

#include "ramp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// One channel: a port of the filter, and its link.
typedef struct channel {
    void *port;
    char name[64];
    /// The port's id and that of its node; SPA_ID_INVALID: not reported yet.
    uint32_t id;
    uint32_t node;
    struct pw_proxy *link;
    struct spa_hook link_listener;
    tap_filter_t *owner;
} channel_t;

struct tap_filter {
    struct pw_core *core;
    struct pw_filter *filter;
    struct spa_hook listener;
    tap_source_t source;
    /// As many as the source has ports.
    channel_t channels[TAP_MAX_CHANNELS];
    /// PipeWire knows the node.
    bool is_bound;
    bool is_linked;

    meter_t *meter;
    const tap_filter_events_t *events;
    void *data;
};

// ---- The signal -------------------------------------------------------------------------------

static float peak_of(const float *samples, uint32_t count) {
    float peak = 0;
    for (uint32_t i = 0; i < count; i++) {
        // Not a number is never more.
        peak = fabsf(samples[i]) > peak ? fabsf(samples[i]) : peak;
    }
    return peak;
}

/// Looks at the samples of one cycle. [PipeWire's data thread]
static void on_process(void *data, struct spa_io_position *position) {
    tap_filter_t *filter = data;
    meter_t *meter = filter->meter;
    float peak = 0;
    bool has_samples = false;
    for (uint32_t i = 0; position != NULL && i < filter->source.count; i++) {
        const uint32_t count = (uint32_t)position->clock.duration;
        const float *samples = pw_filter_get_dsp_buffer(filter->channels[i].port, count);
        if (samples != NULL) {
            has_samples = true;
            peak = fmaxf(peak, peak_of(samples, count));
        }
    }
    if (!has_samples) {
        return;
    }
    atomic_fetch_add_explicit(&meter->cycles, 1, memory_order_relaxed);
    if (peak > atomic_load_explicit(&meter->level, memory_order_relaxed)) {
        atomic_store(&meter->heard_at, ramp_now());
        if (atomic_exchange(&meter->is_awaited, false)) {
            pw_loop_signal_event(meter->loop, meter->event);
        }
    }
}

// ---- Links ------------------------------------------------------------------------------------

static void on_link_removed(void *data) {
    channel_t *channel = data;
    channel->owner->events->unlinked(channel->owner->data, 0);
}

static void on_link_error(void *data, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    channel_t *channel = data;
    channel->owner->events->unlinked(channel->owner->data, result < 0 ? result : -EIO);
}

static const struct pw_proxy_events link_events = {
    .version = PW_VERSION_PROXY_EVENTS,
    .removed = on_link_removed,
    .error = on_link_error,
};

/// Links a port of the stream to one of the filter. All four ids are named: PipeWire 1.4 does not
/// look for a port that is free.
static bool link_channel(tap_filter_t *filter, uint32_t index) {
    channel_t *channel = &filter->channels[index];
    char texts[4][16];
    const uint32_t ids[4] = {
        filter->source.node,
        filter->source.ports[index],
        pw_filter_get_node_id(filter->filter),
        channel->id,
    };
    for (size_t i = 0; i < SPA_N_ELEMENTS(ids); i++) {
        snprintf(texts[i], sizeof texts[i], "%u", ids[i]);
    }
    const struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_NODE, texts[0]), SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_PORT, texts[1]),
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_NODE, texts[2]),  SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_PORT, texts[3]),
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_PASSIVE, "true"),
    };
    const struct spa_dict properties = SPA_DICT_INIT_ARRAY(items);
    channel->link =
        pw_core_create_object(filter->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties, 0);
    if (channel->link != NULL) {
        pw_proxy_add_listener(channel->link, &channel->link_listener, &link_events, channel);
    }
    return channel->link != NULL;
}

/// Makes the links once PipeWire has reported the filter and all its ports.
static void link_if_ready(tap_filter_t *filter) {
    bool is_ready = filter->is_bound && !filter->is_linked;
    for (uint32_t i = 0; i < filter->source.count; i++) {
        is_ready = is_ready && filter->channels[i].node == pw_filter_get_node_id(filter->filter);
    }
    if (!is_ready) {
        return;
    }
    filter->is_linked = true;
    for (uint32_t i = 0; i < filter->source.count; i++) {
        if (!link_channel(filter, i)) {
            filter->events->failed(filter->data, strerror(errno));
            return;
        }
    }
    filter->events->linked(filter->data);
}

void tap_filter_add_port(tap_filter_t *filter, uint32_t id, const struct spa_dict *properties) {
    const char *name = spa_dict_lookup(properties, PW_KEY_PORT_NAME);
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    for (uint32_t i = 0; name != NULL && node != NULL && i < filter->source.count; i++) {
        if (strcmp(name, filter->channels[i].name) == 0) {
            filter->channels[i].id = id;
            filter->channels[i].node = (uint32_t)strtoul(node, NULL, 10);
            link_if_ready(filter);
        }
    }
}

// ---- The node ---------------------------------------------------------------------------------

static void on_state_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    (void)old;
    tap_filter_t *filter = data;
    if (state == PW_FILTER_STATE_ERROR) {
        filter->events->failed(filter->data, error != NULL ? error : "PipeWire refuses the tap");
    } else if (state == PW_FILTER_STATE_PAUSED) {
        filter->is_bound = true;
        link_if_ready(filter);
    }
}

static const struct pw_filter_events filter_events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state_changed,
    .process = on_process,
};

static struct pw_properties *node_properties(void) {
    return pw_properties_new(PW_KEY_NODE_NAME, "audiosession-hand", PW_KEY_NODE_DESCRIPTION, "Level of a stream",
                             PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Monitor", PW_KEY_NODE_PASSIVE, "true",
                             PW_KEY_NODE_WANT_DRIVER, "false", PW_KEY_NODE_DONT_RECONNECT, "true", NULL);
}

/// Returns false with errno on failure.
static bool connect_filter(tap_filter_t *filter, const char *name) {
    filter->filter = pw_filter_new(filter->core, "level", node_properties());
    if (filter->filter == NULL) {
        return false;
    }
    pw_filter_add_listener(filter->filter, &filter->listener, &filter_events, filter);
    for (uint32_t i = 0; i < filter->source.count; i++) {
        channel_t *channel = &filter->channels[i];
        *channel = (channel_t){.id = SPA_ID_INVALID, .node = SPA_ID_INVALID, .owner = filter};
        snprintf(channel->name, sizeof channel->name, "%s_%u", name, i + 1);
        channel->port = pw_filter_add_port(
            filter->filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(int),
            pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, channel->name, NULL),
            NULL, 0);
        if (channel->port == NULL) {
            return false;
        }
    }
    const int result = pw_filter_connect(filter->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
    errno = result < 0 ? -result : 0;
    return result >= 0;
}

tap_filter_t *tap_filter_new(struct pw_core *core, const char *name, const tap_source_t *source, meter_t *meter,
                             const tap_filter_events_t *events, void *data) {
    tap_filter_t *filter = calloc(1, sizeof *filter);
    if (filter == NULL) {
        return NULL;
    }
    *filter = (tap_filter_t){.core = core, .source = *source, .meter = meter, .events = events, .data = data};
    if (!connect_filter(filter, name)) {
        const int error = errno;
        tap_filter_destroy(filter);
        errno = error;
        return NULL;
    }
    return filter;
}

void tap_filter_destroy(tap_filter_t *filter) {
    for (uint32_t i = 0; i < filter->source.count; i++) {
        if (filter->channels[i].link != NULL) {
            spa_hook_remove(&filter->channels[i].link_listener);
            pw_proxy_destroy(filter->channels[i].link);
        }
    }
    if (filter->filter != NULL) {
        spa_hook_remove(&filter->listener);
        pw_filter_destroy(filter->filter);
    }
    free(filter);
}
