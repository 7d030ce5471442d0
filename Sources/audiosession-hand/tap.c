#define _GNU_SOURCE
#include "tap.h"

#include "ramp.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Channels beyond these are not looked at.
    MAX_CHANNELS = 16,
    /// How often in a row the ports or links of a stream may change before the tap gives up.
    MAX_BUILDS = 100,
    /// How often in a row a link may be refused.
    MAX_LINK_ERRORS = 5,
};

struct tap {
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    uint32_t id;
    uint64_t serial;
    /// The node has the serial: its id has not passed to another one.
    bool is_verified;
    /// The stream's output ports.
    uint32_t sources[MAX_CHANNELS];
    uint32_t source_count;
    /// Answered when all ports that exist have been reported; -1: not requested.
    int round_trip;
    /// How often the filter was made without a second between two times, and the last time.
    int builds;
    int64_t built_at;

    struct pw_filter *filter;
    struct spa_hook filter_listener;
    void *ports[MAX_CHANNELS];
    struct pw_proxy *links[MAX_CHANNELS];
    struct spa_hook link_listeners[MAX_CHANNELS];
    uint32_t channel_count;
    bool is_linked;

    meter_t *meter;
    const tap_events_t *events;
    void *data;
};

static void fail(tap_t *tap, const char *reason) { tap->events->failed(tap->data, reason); }

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
    tap_t *tap = data;
    meter_t *meter = tap->meter;
    float peak = 0;
    bool has_samples = false;
    for (uint32_t i = 0; position != NULL && i < tap->channel_count; i++) {
        const uint32_t count = (uint32_t)position->clock.duration;
        const float *samples = pw_filter_get_dsp_buffer(tap->ports[i], count);
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

// ---- The filter and its links -----------------------------------------------------------------

/// Asks for a new filter, as soon as PipeWire has reported all changes.
static void request_build(tap_t *tap) { tap->round_trip = pw_core_sync(tap->core, PW_ID_CORE, 0); }

static void on_link_removed(void *data) {
    tap_t *tap = data;
    if (tap->is_linked) {
        request_build(tap);
    }
}

static void on_link_error(void *data, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    tap_t *tap = data;
    if (tap->builds < MAX_LINK_ERRORS) {
        // The stream's port may just be replaced.
        request_build(tap);
    } else {
        fail(tap, strerror(result < 0 ? -result : EIO));
    }
}

static const struct pw_proxy_events link_events = {
    .version = PW_VERSION_PROXY_EVENTS,
    .removed = on_link_removed,
    .error = on_link_error,
};

/// Links each port of the stream to a port of the filter that has no link yet.
static void link_all(tap_t *tap) {
    char output_node[16];
    char output_port[16];
    char input_node[16];
    tap->is_linked = true;
    snprintf(output_node, sizeof output_node, "%u", tap->id);
    snprintf(input_node, sizeof input_node, "%u", pw_filter_get_node_id(tap->filter));
    for (uint32_t i = 0; i < tap->channel_count; i++) {
        snprintf(output_port, sizeof output_port, "%u", tap->sources[i]);
        const struct spa_dict_item items[] = {
            SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_NODE, output_node),
            SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_PORT, output_port),
            SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_NODE, input_node),
            SPA_DICT_ITEM_INIT(PW_KEY_LINK_PASSIVE, "true"),
        };
        const struct spa_dict properties = SPA_DICT_INIT_ARRAY(items);
        tap->links[i] =
            pw_core_create_object(tap->core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &properties, 0);
        if (tap->links[i] == NULL) {
            fail(tap, strerror(errno));
            return;
        }
        pw_proxy_add_listener(tap->links[i], &tap->link_listeners[i], &link_events, tap);
    }
    tap->events->built(tap->data);
}

static void on_state_changed(void *data, enum pw_filter_state old, enum pw_filter_state state, const char *error) {
    (void)old;
    tap_t *tap = data;
    if (state == PW_FILTER_STATE_ERROR) {
        fail(tap, error != NULL ? error : "PipeWire refuses the tap");
    } else if (state == PW_FILTER_STATE_PAUSED && !tap->is_linked) {
        link_all(tap);
    }
}

static const struct pw_filter_events filter_events = {
    .version = PW_VERSION_FILTER_EVENTS,
    .state_changed = on_state_changed,
    .process = on_process,
};

static void destroy_filter(tap_t *tap) {
    for (uint32_t i = 0; i < tap->channel_count; i++) {
        if (tap->links[i] != NULL) {
            spa_hook_remove(&tap->link_listeners[i]);
            pw_proxy_destroy(tap->links[i]);
            tap->links[i] = NULL;
        }
    }
    if (tap->filter != NULL) {
        spa_hook_remove(&tap->filter_listener);
        pw_filter_destroy(tap->filter);
        tap->filter = NULL;
    }
    tap->channel_count = 0;
    tap->is_linked = false;
}

static struct pw_properties *node_properties(void) {
    return pw_properties_new(PW_KEY_NODE_NAME, "audiosession-hand", PW_KEY_NODE_DESCRIPTION, "Level of a stream",
                             PW_KEY_MEDIA_TYPE, "Audio", PW_KEY_MEDIA_CATEGORY, "Monitor", PW_KEY_NODE_PASSIVE, "true",
                             PW_KEY_NODE_WANT_DRIVER, "false", PW_KEY_NODE_DONT_RECONNECT, "true", NULL);
}

/// Returns false with errno on failure.
static bool connect_filter(tap_t *tap) {
    tap->filter = pw_filter_new(tap->core, "level", node_properties());
    if (tap->filter == NULL) {
        return false;
    }
    pw_filter_add_listener(tap->filter, &tap->filter_listener, &filter_events, tap);
    for (uint32_t i = 0; i < tap->source_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "input_%u", i + 1);
        tap->ports[i] = pw_filter_add_port(
            tap->filter, PW_DIRECTION_INPUT, PW_FILTER_PORT_FLAG_MAP_BUFFERS, sizeof(int),
            pw_properties_new(PW_KEY_FORMAT_DSP, "32 bit float mono audio", PW_KEY_PORT_NAME, name, NULL), NULL, 0);
        if (tap->ports[i] == NULL) {
            return false;
        }
    }
    tap->channel_count = tap->source_count;
    const int result = pw_filter_connect(tap->filter, PW_FILTER_FLAG_RT_PROCESS, NULL, 0);
    errno = result < 0 ? -result : 0;
    return result >= 0;
}

/// Makes the filter for the ports that the stream has now. It is never changed later, because its
/// thread reads the ports.
static void build(tap_t *tap) {
    const int64_t now = ramp_now();
    destroy_filter(tap);
    if (tap->source_count == 0) {
        return;
    }
    tap->builds = now - tap->built_at < 1000000000 ? tap->builds + 1 : 0;
    tap->built_at = now;
    if (tap->builds > MAX_BUILDS) {
        fail(tap, "its ports or links change too often");
    } else if (!connect_filter(tap)) {
        fail(tap, strerror(errno));
    }
}

// ---- The connection ---------------------------------------------------------------------------

static void add_port(tap_t *tap, uint32_t id, const struct spa_dict *properties) {
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (!tap->is_verified || node == NULL || direction == NULL || strtoul(node, NULL, 10) != tap->id ||
        strcmp(direction, "out") != 0 || tap->source_count == MAX_CHANNELS) {
        return;
    }
    tap->sources[tap->source_count++] = id;
    request_build(tap);
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    (void)permissions;
    (void)version;
    tap_t *tap = data;
    uint64_t serial = 0;
    if (properties == NULL) {
        return;
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && id == tap->id) {
        tap->is_verified =
            spa_atou64(spa_dict_lookup(properties, PW_KEY_OBJECT_SERIAL), &serial, 10) && serial == tap->serial;
    } else if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0) {
        add_port(tap, id, properties);
    }
}

static void on_global_remove(void *data, uint32_t id) {
    tap_t *tap = data;
    for (uint32_t i = 0; i < tap->source_count; i++) {
        if (tap->sources[i] == id) {
            tap->sources[i] = tap->sources[--tap->source_count];
            request_build(tap);
            return;
        }
    }
}

static const struct pw_registry_events registry_events = {
    .version = PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

static void on_core_done(void *data, uint32_t id, int sequence) {
    tap_t *tap = data;
    if (id == PW_ID_CORE && sequence == tap->round_trip) {
        tap->round_trip = -1;
        build(tap);
    }
}

static void on_core_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    if (id == PW_ID_CORE) {
        fail(data, strerror(result < 0 ? -result : EIO));
    }
}

static const struct pw_core_events core_events = {
    .version = PW_VERSION_CORE_EVENTS,
    .done = on_core_done,
    .error = on_core_error,
};

tap_t *tap_open(struct pw_context *context, const char *remote, uint32_t id, uint64_t serial, meter_t *meter,
                const tap_events_t *events, void *data) {
    tap_t *tap = calloc(1, sizeof *tap);
    if (tap == NULL) {
        return NULL;
    }
    *tap = (tap_t){.id = id, .serial = serial, .round_trip = -1, .meter = meter, .events = events, .data = data};
    tap->core = pw_context_connect(context, pw_properties_new(PW_KEY_REMOTE_NAME, remote, NULL), 0);
    if (tap->core == NULL) {
        free(tap);
        return NULL;
    }
    pw_core_add_listener(tap->core, &tap->core_listener, &core_events, tap);
    tap->registry = pw_core_get_registry(tap->core, PW_VERSION_REGISTRY, 0);
    if (tap->registry == NULL) {
        tap_close(tap);
        errno = ENOMEM;
        return NULL;
    }
    pw_registry_add_listener(tap->registry, &tap->registry_listener, &registry_events, tap);
    return tap;
}

void tap_close(tap_t *tap) {
    destroy_filter(tap);
    if (tap->registry != NULL) {
        spa_hook_remove(&tap->registry_listener);
        pw_proxy_destroy((struct pw_proxy *)tap->registry);
    }
    spa_hook_remove(&tap->core_listener);
    pw_core_disconnect(tap->core);
    free(tap);
}
