#define _GNU_SOURCE
#include "inspect.h"

#include "lines.h"
#include "pipewire_headers.h"
#include "platform_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

enum { LIMIT_SECONDS = 2, MAX_CANDIDATES = 64 };

typedef struct inspection inspection_t;

/// A node that may be that of a JACK client, or of a role policy: only its own properties say that.
typedef struct candidate {
    inspection_t *inspection;
    struct pw_node *node;
    struct spa_hook listener;
    bool is_printed;
} candidate_t;

struct inspection {
    struct pw_main_loop *main_loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    candidate_t candidates[MAX_CANDIDATES];
    size_t candidate_count;
    int round_trip;
    bool has_globals;
    bool has_pulse;
    int status;
};

static void print(const char *key, const char *value) {
    line_t line;
    line_begin(&line, "");
    line_add(&line, key, value);
    if (line.count > 1) {
        // Without the space that precedes a pair.
        printf("%.*s\n", (int)line.count - 1, line.bytes + 1);
    }
}

static void quit(inspection_t *inspection, int status) {
    inspection->status = status;
    pw_main_loop_quit(inspection->main_loop);
}

// ---- Objects ----------------------------------------------------------------------------------

/// Returns whether the process of a client, which PipeWire has verified, is pipewire-pulse: it does
/// not say so itself.
static bool is_pulse_server(const struct spa_dict *properties) {
    const char *process = spa_dict_lookup(properties, PW_KEY_SEC_PID);
    char path[64];
    char name[32] = "";
    if (process == NULL || snprintf(path, sizeof path, "/proc/%.20s/comm", process) >= (int)sizeof path) {
        return false;
    }
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const ssize_t count = read(file, name, sizeof name - 1);
    close(file);
    return count > 0 && strncmp(name, "pipewire-pulse", 14) == 0;
}

static void on_node_info(void *data, const struct pw_node_info *info) {
    candidate_t *candidate = data;
    if (candidate->is_printed || info->props == NULL) {
        return;
    }
    const char *api = spa_dict_lookup(info->props, PW_KEY_CLIENT_API);
    const char *name = spa_dict_lookup(info->props, PW_KEY_NODE_NAME);
    // By this property, WirePlumber 0.5 routes the programs of some roles to the node. A device
    // with intended roles is only preferred for them.
    const char *target = spa_dict_lookup(info->props, "policy.role-based.target");
    const char *key = target != NULL && spa_atob(target)        ? "role"
                      : api != NULL && strcmp(api, "jack") == 0 ? "jack"
                                                                : NULL;
    if (key != NULL) {
        candidate->is_printed = true;
        print(key, name);
    }
}

static const struct pw_node_events node_events = {
    .version = PW_VERSION_NODE_EVENTS,
    .info = on_node_info,
};

static void add_candidate(inspection_t *inspection, uint32_t id) {
    if (inspection->candidate_count == MAX_CANDIDATES) {
        return;
    }
    struct pw_node *node = pw_registry_bind(inspection->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (node == NULL) {
        return;
    }
    candidate_t *candidate = &inspection->candidates[inspection->candidate_count++];
    *candidate = (candidate_t){.inspection = inspection, .node = node};
    pw_node_add_listener(node, &candidate->listener, &node_events, candidate);
}

/// Returns whether a node may be that of a JACK client or of a role policy.
static bool is_candidate(const struct spa_dict *properties) {
    const char *class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS);
    const char *role = spa_dict_lookup(properties, PW_KEY_MEDIA_ROLE);
    return class != NULL ? strcmp(class, "Audio/Sink") == 0 : role != NULL && strcmp(role, "DSP") == 0;
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    (void)permissions;
    (void)version;
    inspection_t *inspection = data;
    if (properties == NULL) {
        return;
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && is_candidate(properties)) {
        add_candidate(inspection, id);
    } else if (strcmp(type, "PipeWire:Interface:Endpoint") == 0) {
        // WirePlumber 0.4: an endpoint for each role.
        const char *class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS);
        if (class != NULL && strcmp(class, "Audio/Sink") == 0) {
            print("role", spa_dict_lookup(properties, "endpoint.name"));
        }
    } else if (strcmp(type, PW_TYPE_INTERFACE_Client) == 0 && !inspection->has_pulse && is_pulse_server(properties)) {
        inspection->has_pulse = true;
        print("pulse", "1");
    }
}

static const struct pw_registry_events registry_events = {
    .version = PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
};

// ---- The connection ---------------------------------------------------------------------------

static void on_core_info(void *data, const struct pw_core_info *info) {
    (void)data;
    print("pipewire", info->version);
}

static void on_core_done(void *data, uint32_t id, int sequence) {
    inspection_t *inspection = data;
    if (id != PW_ID_CORE || sequence != inspection->round_trip) {
        return;
    }
    if (inspection->has_globals) {
        quit(inspection, EX_OK);
        return;
    }
    // A second one, after the candidates were bound.
    inspection->has_globals = true;
    inspection->round_trip = pw_core_sync(inspection->core, PW_ID_CORE, 0);
}

static void on_core_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    if (id == PW_ID_CORE && result == -EPIPE) {
        platform_print_error("audiosession-hand", "PipeWire has ended.");
        quit(data, EX_UNAVAILABLE);
    }
}

static const struct pw_core_events core_events = {
    .version = PW_VERSION_CORE_EVENTS,
    .info = on_core_info,
    .done = on_core_done,
    .error = on_core_error,
};

static void on_deadline(void *data, uint64_t expirations) {
    (void)expirations;
    platform_print_error("audiosession-hand", "PipeWire does not answer.");
    quit(data, EX_UNAVAILABLE);
}

static int begin(inspection_t *inspection, const hand_options_t *options) {
    struct timespec limit = {.tv_sec = LIMIT_SECONDS};
    inspection->main_loop = pw_main_loop_new(NULL);
    if (inspection->main_loop == NULL) {
        return EX_OSERR;
    }
    struct pw_loop *loop = pw_main_loop_get_loop(inspection->main_loop);
    struct spa_source *deadline = pw_loop_add_timer(loop, on_deadline, inspection);
    inspection->context = pw_context_new(loop, NULL, 0);
    if (deadline == NULL || inspection->context == NULL) {
        return EX_OSERR;
    }
    pw_loop_update_timer(loop, deadline, &limit, NULL, false);
    inspection->core =
        pw_context_connect(inspection->context, pw_properties_new(PW_KEY_REMOTE_NAME, options->remote, NULL), 0);
    if (inspection->core == NULL) {
        return EX_UNAVAILABLE;
    }
    pw_core_add_listener(inspection->core, &inspection->core_listener, &core_events, inspection);
    inspection->registry = pw_core_get_registry(inspection->core, PW_VERSION_REGISTRY, 0);
    if (inspection->registry == NULL) {
        return EX_OSERR;
    }
    pw_registry_add_listener(inspection->registry, &inspection->registry_listener, &registry_events, inspection);
    inspection->round_trip = pw_core_sync(inspection->core, PW_ID_CORE, 0);
    return EX_OK;
}

static void finish(inspection_t *inspection) {
    for (size_t i = 0; i < inspection->candidate_count; i++) {
        spa_hook_remove(&inspection->candidates[i].listener);
        pw_proxy_destroy((struct pw_proxy *)inspection->candidates[i].node);
    }
    if (inspection->registry != NULL) {
        spa_hook_remove(&inspection->registry_listener);
        pw_proxy_destroy((struct pw_proxy *)inspection->registry);
    }
    if (inspection->core != NULL) {
        spa_hook_remove(&inspection->core_listener);
        pw_core_disconnect(inspection->core);
    }
    if (inspection->context != NULL) {
        pw_context_destroy(inspection->context);
    }
    if (inspection->main_loop != NULL) {
        pw_main_loop_destroy(inspection->main_loop);
    }
}

int inspect_run(const hand_options_t *options) {
    inspection_t *inspection = calloc(1, sizeof *inspection);
    if (inspection == NULL) {
        return EX_OSERR;
    }
    int status = begin(inspection, options);
    if (status == EX_OK) {
        pw_main_loop_run(inspection->main_loop);
        status = inspection->status;
    } else {
        char text[128];
        snprintf(text, sizeof text, "Cannot connect to PipeWire: %s.", strerror(errno));
        platform_print_error("audiosession-hand", text);
    }
    finish(inspection);
    free(inspection);
    return status;
}
