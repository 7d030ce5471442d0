#define _GNU_SOURCE
#include "tap.h"

#include "ramp.h"
#include "tap_filter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
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
    uint64_t serial;
    /// The node has the serial: its id has not passed to another one.
    bool is_verified;
    /// The stream's node and its output ports.
    tap_source_t source;
    /// Answered when all ports that exist have been reported; -1: not requested.
    int round_trip;
    /// How often the filter was made without a second between two times, and the last time.
    int builds;
    int64_t built_at;
    tap_filter_t *filter;

    meter_t *meter;
    const tap_events_t *events;
    void *data;
};

static void fail(tap_t *tap, const char *reason) { tap->events->failed(tap->data, reason); }

// ---- The filter -------------------------------------------------------------------------------

/// Asks for a new filter, as soon as PipeWire has reported all changes.
static void request_build(tap_t *tap) { tap->round_trip = pw_core_sync(tap->core, PW_ID_CORE, 0); }

static void on_linked(void *data) {
    tap_t *tap = data;
    tap->events->built(tap->data);
}

static void on_unlinked(void *data, int error) {
    tap_t *tap = data;
    if (error == 0 || tap->builds < MAX_LINK_ERRORS) {
        // The stream's port may just be replaced.
        request_build(tap);
    } else {
        fail(tap, strerror(-error));
    }
}

static void on_filter_failed(void *data, const char *reason) { fail(data, reason); }

static const tap_filter_events_t filter_events = {
    .linked = on_linked,
    .unlinked = on_unlinked,
    .failed = on_filter_failed,
};

static void destroy_filter(tap_t *tap) {
    if (tap->filter != NULL) {
        tap_filter_destroy(tap->filter);
        tap->filter = NULL;
    }
}

/// Makes the filter for the ports that the stream has now.
static void build(tap_t *tap) {
    static uint32_t number; // of filters in this process
    const int64_t now = ramp_now();
    char name[48];
    destroy_filter(tap);
    if (tap->source.count == 0) {
        return;
    }
    tap->builds = now - tap->built_at < 1000000000 ? tap->builds + 1 : 0;
    tap->built_at = now;
    if (tap->builds > MAX_BUILDS) {
        fail(tap, "its ports or links change too often");
        return;
    }
    // Of this filter only: the ports of the last one may still exist.
    snprintf(name, sizeof name, "level_%d_%u", (int)getpid(), ++number);
    tap->filter = tap_filter_new(tap->core, name, &tap->source, tap->meter, &filter_events, tap);
    if (tap->filter == NULL) {
        fail(tap, strerror(errno));
    }
}

// ---- The connection ---------------------------------------------------------------------------

static void add_output(tap_t *tap, uint32_t id, const struct spa_dict *properties) {
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    if (!tap->is_verified || node == NULL || strtoul(node, NULL, 10) != tap->source.node ||
        tap->source.count == TAP_MAX_CHANNELS) {
        return;
    }
    tap->source.ports[tap->source.count++] = id;
    request_build(tap);
}

static void add_port(tap_t *tap, uint32_t id, const struct spa_dict *properties) {
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    if (direction != NULL && strcmp(direction, "out") == 0) {
        add_output(tap, id, properties);
    } else if (direction != NULL && tap->filter != NULL) {
        tap_filter_add_port(tap->filter, id, properties);
    }
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
    if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && id == tap->source.node) {
        tap->is_verified =
            spa_atou64(spa_dict_lookup(properties, PW_KEY_OBJECT_SERIAL), &serial, 10) && serial == tap->serial;
    } else if (strcmp(type, PW_TYPE_INTERFACE_Port) == 0) {
        add_port(tap, id, properties);
    }
}

static void on_global_remove(void *data, uint32_t id) {
    tap_t *tap = data;
    for (uint32_t i = 0; i < tap->source.count; i++) {
        if (tap->source.ports[i] == id) {
            tap->source.ports[i] = tap->source.ports[--tap->source.count];
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
    *tap =
        (tap_t){.source.node = id, .serial = serial, .round_trip = -1, .meter = meter, .events = events, .data = data};
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
