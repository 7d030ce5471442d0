#define _GNU_SOURCE
#include "watch.h"

#include "detection.h"
#include "journal.h"
#include "requests.h"
#include "streams.h"
#include "volumes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Nodes ------------------------------------------------------------------------------------

static bool is_class_of_streams(const char *class) {
    return strcmp(class, "Stream/Output/Audio") == 0 || strcmp(class, "Stream/Input/Audio") == 0;
}

/// Returns whether a global may be a program's stream. The node of a JACK client has no class; its
/// interface is only in its own properties.
static bool is_candidate(const struct spa_dict *properties) {
    const char *class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS);
    const char *role = spa_dict_lookup(properties, PW_KEY_MEDIA_ROLE);
    return class != NULL ? is_class_of_streams(class) : role != NULL && strcmp(role, "DSP") == 0;
}

static bool is_stream(const struct spa_dict *properties) {
    const char *api = spa_dict_lookup(properties, PW_KEY_CLIENT_API);
    const bool has_class = spa_dict_lookup(properties, PW_KEY_MEDIA_CLASS) != NULL;
    return has_class || (api != NULL && strcmp(api, "jack") == 0);
}

/// A stream that has had volumes keeps them: it may be lowered.
static void read_params(stream_t *stream, const struct pw_node_info *info) {
    for (uint32_t i = 0; i < info->n_params; i++) {
        if (info->params[i].id == SPA_PARAM_Props && (info->params[i].flags & SPA_PARAM_INFO_WRITE) != 0) {
            stream->has_props = true;
        }
    }
}

static void on_node_info(void *data, const struct pw_node_info *info) {
    stream_t *stream = data;
    watch_t *watch = stream->owner;
    const bool is_new_state = stream->state != info->state;
    stream->state = info->state;
    stream->has_outputs = info->n_output_ports > 0;
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PARAMS) != 0) {
        read_params(stream, info);
    }
    if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) != 0 && info->props != NULL && is_stream(info->props)) {
        pw_properties_free(stream->properties);
        stream->properties = pw_properties_new_dict(info->props);
    }
    if (is_new_state && stream->control != NULL && stream->control->is_paused) {
        // Whoever changed it has undone the hold.
        stream->control->must_pause = true;
    }
    streams_report(watch->streams, stream);
    requests_stream_changed(stream);
    detection_stream_changed(stream);
}

static void read_format(stream_t *stream, const struct spa_pod *param) {
    uint32_t type = 0;
    uint32_t subtype = 0;
    if (spa_format_parse(param, &type, &subtype) < 0 || type != SPA_MEDIA_TYPE_audio) {
        return;
    }
    if (subtype == SPA_MEDIA_SUBTYPE_raw || subtype == SPA_MEDIA_SUBTYPE_dsp) {
        stream->has_raw_format = true;
    } else {
        stream->has_encoded_format = true;
    }
}

static void on_node_param(void *data, int sequence, uint32_t id, uint32_t index, uint32_t next,
                          const struct spa_pod *param) {
    (void)sequence;
    (void)index;
    (void)next;
    stream_t *stream = data;
    watch_t *watch = stream->owner;
    if (id == SPA_PARAM_EnumFormat && param != NULL) {
        read_format(stream, param);
    } else if (id == SPA_PARAM_Props && volumes_read(param, &stream->volumes)) {
        if (stream->control != NULL) {
            stream->control->must_compare = true;
        }
        streams_report(watch->streams, stream);
        requests_stream_changed(stream);
    }
}

static const struct pw_node_events node_events = {
    .version = PW_VERSION_NODE_EVENTS,
    .info = on_node_info,
    .param = on_node_param,
};

static void add_stream(watch_t *watch, uint32_t id, uint64_t serial) {
    uint32_t params[] = {SPA_PARAM_Props, SPA_PARAM_EnumFormat};
    stream_t *stream = calloc(1, sizeof *stream);
    if (stream == NULL) {
        return;
    }
    *stream = (stream_t){.id = id, .serial = serial, .owner = watch, .state = PW_NODE_STATE_CREATING};
    stream->node = pw_registry_bind(watch->registry, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
    if (stream->node == NULL) {
        free(stream);
        return;
    }
    spa_list_append(&watch->streams->streams, &stream->link);
    pw_node_add_listener(stream->node, &stream->node_listener, &node_events, stream);
    pw_node_subscribe_params(stream->node, params, SPA_N_ELEMENTS(params));
}

static void destroy_stream(stream_t *stream) {
    spa_list_remove(&stream->link);
    spa_hook_remove(&stream->node_listener);
    pw_proxy_destroy((struct pw_proxy *)stream->node);
    pw_properties_free(stream->properties);
    free(stream->report);
    free(stream);
}

static void remove_stream(watch_t *watch, stream_t *stream) {
    requests_stream_gone(stream);
    detection_stream_gone(stream);
    journal_remove(watch->journal, stream->serial);
    if (stream->report != NULL) {
        streams_write(watch->streams, "gone", stream->serial, NULL);
    }
    destroy_stream(stream);
}

// ---- Clients ----------------------------------------------------------------------------------

/// Reads the name of a client's program.
static void read_program(stream_client_t *client) {
    char path[64];
    const char *process = pw_properties_get(client->properties, PW_KEY_SEC_PID);
    snprintf(path, sizeof path, "/proc/%d/comm", process != NULL ? atoi(process) : 0);
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(client->program, sizeof client->program, file) == NULL) {
        client->program[0] = '\0';
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void on_client_info(void *data, const struct pw_client_info *info) {
    stream_client_t *client = data;
    watch_t *watch = client->owner;
    if ((info->change_mask & PW_CLIENT_CHANGE_MASK_PROPS) == 0 || info->props == NULL) {
        return;
    }
    pw_properties_free(client->properties);
    client->properties = pw_properties_new_dict(info->props);
    read_program(client);
    stream_t *stream;
    spa_list_for_each(stream, &watch->streams->streams, link) { streams_report(watch->streams, stream); }
}

static const struct pw_client_events client_events = {
    .version = PW_VERSION_CLIENT_EVENTS,
    .info = on_client_info,
};

static void add_client(watch_t *watch, uint32_t id) {
    stream_client_t *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return;
    }
    *client = (stream_client_t){.id = id, .owner = watch};
    client->client = pw_registry_bind(watch->registry, id, PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
    if (client->client == NULL) {
        free(client);
        return;
    }
    spa_list_append(&watch->streams->clients, &client->link);
    pw_client_add_listener(client->client, &client->client_listener, &client_events, client);
}

static void remove_client(stream_client_t *client) {
    spa_list_remove(&client->link);
    spa_hook_remove(&client->client_listener);
    pw_proxy_destroy((struct pw_proxy *)client->client);
    pw_properties_free(client->properties);
    free(client);
}

// ---- The registry -----------------------------------------------------------------------------

/// A new link starts its nodes.
static void on_link(watch_t *watch, const struct spa_dict *properties) {
    const char *keys[] = {PW_KEY_LINK_OUTPUT_NODE, PW_KEY_LINK_INPUT_NODE};
    for (size_t i = 0; i < SPA_N_ELEMENTS(keys); i++) {
        const char *text = spa_dict_lookup(properties, keys[i]);
        stream_t *stream;
        spa_list_for_each(stream, &watch->streams->streams, link) {
            if (text != NULL && strtoul(text, NULL, 10) == stream->id && stream->control != NULL) {
                stream->control->must_pause = stream->control->is_paused;
                requests_stream_changed(stream);
            }
        }
    }
}

static void on_global(void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
                      const struct spa_dict *properties) {
    (void)permissions;
    (void)version;
    watch_t *watch = data;
    uint64_t serial = 0;
    if (properties == NULL) {
        return;
    }
    if (strcmp(type, PW_TYPE_INTERFACE_Client) == 0) {
        add_client(watch, id);
    } else if (strcmp(type, PW_TYPE_INTERFACE_Link) == 0) {
        on_link(watch, properties);
    } else if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && is_candidate(properties) &&
               spa_atou64(spa_dict_lookup(properties, PW_KEY_OBJECT_SERIAL), &serial, 10)) {
        add_stream(watch, id, serial);
    }
}

static void on_global_remove(void *data, uint32_t id) {
    watch_t *watch = data;
    stream_t *stream;
    stream_t *next_stream;
    spa_list_for_each_safe(stream, next_stream, &watch->streams->streams, link) {
        if (stream->id == id) {
            remove_stream(watch, stream);
        }
    }
    stream_client_t *client;
    stream_client_t *next_client;
    spa_list_for_each_safe(client, next_client, &watch->streams->clients, link) {
        if (client->id == id) {
            remove_client(client);
        }
    }
}

static const struct pw_registry_events registry_events = {
    .version = PW_VERSION_REGISTRY_EVENTS,
    .global = on_global,
    .global_remove = on_global_remove,
};

bool watch_begin(watch_t *watch, struct pw_core *core, streams_t *streams, journal_t *journal) {
    *watch = (watch_t){.core = core, .streams = streams, .journal = journal};
    watch->registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    if (watch->registry == NULL) {
        return false;
    }
    pw_registry_add_listener(watch->registry, &watch->registry_listener, &registry_events, watch);
    return true;
}

void watch_end(watch_t *watch) {
    stream_t *stream;
    stream_client_t *client;
    spa_list_consume(stream, &watch->streams->streams, link) { destroy_stream(stream); }
    spa_list_consume(client, &watch->streams->clients, link) { remove_client(client); }
    if (watch->registry != NULL) {
        spa_hook_remove(&watch->registry_listener);
        pw_proxy_destroy((struct pw_proxy *)watch->registry);
    }
}
