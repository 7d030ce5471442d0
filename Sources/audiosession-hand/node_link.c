#define _GNU_SOURCE
#include "node_link.h"

#include "volumes.h"

#include <errno.h>
#include <stdlib.h>

struct node_link {
    struct pw_core *core;
    struct spa_hook core_listener;
    struct pw_registry *registry;
    struct pw_node *node;
    struct spa_hook node_listener;
    uint64_t serial;
    int round_trip;
    bool is_ready;
    const node_link_events_t *events;
    void *data;
};

static void on_info(void *data, const struct pw_node_info *info) {
    node_link_t *link = data;
    uint64_t serial = 0;
    if (link->is_ready || info->props == NULL) {
        return;
    }
    // The node's id may have passed to another one since.
    const char *text = spa_dict_lookup(info->props, PW_KEY_OBJECT_SERIAL);
    if (spa_atou64(text, &serial, 10) && serial == link->serial) {
        link->is_ready = true;
        link->events->ready(link->data);
    } else {
        link->events->failed(link->data, ENOENT);
    }
}

static const struct pw_node_events node_events = {.version = PW_VERSION_NODE_EVENTS, .info = on_info};

static void on_done(void *data, uint32_t id, int sequence) {
    node_link_t *link = data;
    if (id == PW_ID_CORE && sequence == link->round_trip) {
        link->events->done(link->data);
    }
}

static void on_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)id;
    (void)sequence;
    (void)message;
    node_link_t *link = data;
    link->events->failed(link->data, result < 0 ? -result : EIO);
}

static const struct pw_core_events core_events = {
    .version = PW_VERSION_CORE_EVENTS,
    .done = on_done,
    .error = on_error,
};

node_link_t *node_link_open(struct pw_context *context, const char *remote, uint32_t id, uint64_t serial,
                            const node_link_events_t *events, void *data) {
    node_link_t *link = calloc(1, sizeof *link);
    if (link == NULL) {
        return NULL;
    }
    *link = (node_link_t){.serial = serial, .round_trip = -1, .events = events, .data = data};
    struct pw_properties *properties = pw_properties_new(PW_KEY_REMOTE_NAME, remote, NULL);
    link->core = pw_context_connect(context, properties, 0);
    if (link->core == NULL) {
        free(link);
        return NULL;
    }
    pw_core_add_listener(link->core, &link->core_listener, &core_events, link);
    link->registry = pw_core_get_registry(link->core, PW_VERSION_REGISTRY, 0);
    link->node = link->registry == NULL
                     ? NULL
                     : pw_registry_bind(link->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (link->node == NULL) {
        node_link_close(link);
        errno = ENOMEM;
        return NULL;
    }
    pw_node_add_listener(link->node, &link->node_listener, &node_events, link);
    return link;
}

void node_link_close(node_link_t *link) {
    if (link->node != NULL) {
        spa_hook_remove(&link->node_listener);
        pw_proxy_destroy((struct pw_proxy *)link->node);
    }
    if (link->registry != NULL) {
        pw_proxy_destroy((struct pw_proxy *)link->registry);
    }
    spa_hook_remove(&link->core_listener);
    pw_core_disconnect(link->core);
    free(link);
}

void node_link_set_volumes(node_link_t *link, uint32_t property, const float *values, uint32_t count) {
    uint8_t buffer[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(buffer, sizeof buffer);
    const struct spa_pod *param = volumes_build(&builder, property, values, count);
    if (param != NULL) {
        pw_node_set_param(link->node, SPA_PARAM_Props, 0, param);
    }
}

void node_link_send(node_link_t *link, enum spa_node_command command) {
    const struct spa_command message = SPA_NODE_COMMAND_INIT(command);
    pw_node_send_command(link->node, &message);
}

void node_link_sync(node_link_t *link) { link->round_trip = pw_core_sync(link->core, PW_ID_CORE, 0); }
