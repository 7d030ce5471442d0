#define _GNU_SOURCE
#include "streams.h"

#include "lines.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

stream_t *streams_find(const streams_t *streams, uint64_t serial) {
    stream_t *stream;
    spa_list_for_each(stream, &streams->streams, link) {
        if (stream->serial == serial) {
            return stream;
        }
    }
    return NULL;
}

bool stream_has_level(const stream_t *stream) {
    return stream->has_props && !stream->ignores_level && stream->volumes.count > 0;
}

bool stream_is_hold_only(const stream_t *stream) {
    const bool is_running = stream->state == PW_NODE_STATE_RUNNING;
    return !stream->has_props || stream->ignores_level || (is_running && stream->volumes.count == 0);
}

// ---- Properties -------------------------------------------------------------------------------

/// The properties of a stream's node and of its client.
typedef struct sources {
    const struct pw_properties *node;
    const struct pw_properties *client;
    const char *program;
} sources_t;

static sources_t sources_of(const streams_t *streams, const stream_t *stream) {
    sources_t sources = {.node = stream->properties};
    const char *text = pw_properties_get(stream->properties, PW_KEY_CLIENT_ID);
    const long id = text != NULL ? strtol(text, NULL, 10) : -1;
    stream_client_t *client;
    spa_list_for_each(client, &streams->clients, link) {
        if (client->id == (uint32_t)id && id >= 0) {
            sources.client = client->properties;
            sources.program = client->program;
        }
    }
    return sources;
}

/// Returns the first of these properties that the node or the client has.
static const char *property(sources_t sources, const char *const keys[]) {
    for (; *keys != NULL; keys++) {
        const char *value = pw_properties_get(sources.node, *keys);
        if (value == NULL && sources.client != NULL) {
            value = pw_properties_get(sources.client, *keys);
        }
        if (value != NULL && *value != '\0') {
            return value;
        }
    }
    return NULL;
}

#define PROPERTY(sources, ...) property(sources, (const char *const[]){__VA_ARGS__, NULL})

/// Returns whether the client is pipewire-pulse, whatever its properties say: programs that speak
/// to it set them.
static bool is_pulse(sources_t sources) {
    const char *api = sources.client != NULL ? pw_properties_get(sources.client, PW_KEY_CLIENT_API) : NULL;
    return (api != NULL && strcmp(api, "pipewire-pulse") == 0) ||
           (sources.program != NULL && strncmp(sources.program, "pipewire", strlen("pipewire")) == 0);
}

static const char *api_of(sources_t sources) {
    const char *api = PROPERTY(sources, PW_KEY_CLIENT_API);
    if (is_pulse(sources)) {
        return "pulse";
    }
    if (api == NULL) {
        return "native";
    }
    return strcmp(api, "jack") == 0 || strcmp(api, "alsa") == 0 ? api : "native";
}

/// Returns the process that PipeWire has verified. The client of a program that speaks to
/// pipewire-pulse is pipewire-pulse.
static const char *pid_of(sources_t sources) {
    const bool is_own = sources.client != NULL && !is_pulse(sources) && sources.program[0] != '\0';
    return is_own ? pw_properties_get(sources.client, PW_KEY_SEC_PID) : NULL;
}

bool stream_plays(const stream_t *stream) {
    const char *class = pw_properties_get(stream->properties, PW_KEY_MEDIA_CLASS);
    return class != NULL ? strstr(class, "Output") != NULL : stream->has_outputs;
}

static void add_identity(line_t *line, sources_t sources) {
    line_add(line, "claimed-pid", PROPERTY(sources, PW_KEY_APP_PROCESS_ID));
    line_add(line, "binary", PROPERTY(sources, PW_KEY_APP_PROCESS_BINARY));
    line_add(line, "app", PROPERTY(sources, PW_KEY_APP_NAME));
    line_add(line, "app-id", PROPERTY(sources, "pipewire.access.portal.app_id", PW_KEY_APP_ID));
    line_add(line, "role", PROPERTY(sources, PW_KEY_MEDIA_ROLE));
    line_add(line, "media", PROPERTY(sources, PW_KEY_MEDIA_NAME));
    line_add(line, "category", PROPERTY(sources, PW_KEY_MEDIA_CATEGORY));
    line_add(line, "desktop", PROPERTY(sources, "application.desktop", PW_KEY_APP_ICON_NAME, "application.icon_name"));
}

static void describe(const streams_t *streams, const stream_t *stream, line_t *line) {
    const sources_t sources = sources_of(streams, stream);
    const char *api = api_of(sources);
    char channels[16] = "";
    if (stream->volumes.count > 0) {
        snprintf(channels, sizeof channels, "%u", stream->volumes.count);
    }
    line_begin(line, "stream");
    line_add_id(line, stream->serial);
    line_add(line, "node", PROPERTY(sources, PW_KEY_NODE_NAME));
    line_add(line, "direction", stream_plays(stream) ? "output" : "input");
    line_add(line, "state", pw_node_state_as_string(stream->state));
    line_add(line, "api", api);
    line_add(line, "pid", pid_of(sources));
    add_identity(line, sources);
    line_add(line, "channels", channels[0] != '\0' ? channels : PROPERTY(sources, "audio.channels"));
    line_add(line, "controls", stream_is_hold_only(stream) ? "hold" : "level+hold");
    line_add(line, "passthrough", stream->has_encoded_format && !stream->has_raw_format ? "1" : NULL);
}

// ---- Reports ----------------------------------------------------------------------------------

void streams_report(streams_t *streams, stream_t *stream) {
    line_t line;
    if (!streams->is_reporting || stream->properties == NULL) {
        return;
    }
    describe(streams, stream, &line);
    if (stream->report == NULL || strcmp(stream->report, line.bytes) != 0) {
        free(stream->report);
        stream->report = strdup(line.bytes);
        output_write(streams->output, &line);
    }
}

void streams_begin_reporting(streams_t *streams) {
    streams->is_reporting = true;
    stream_t *stream;
    spa_list_for_each(stream, &streams->streams, link) { streams_report(streams, stream); }
}

void streams_write(streams_t *streams, const char *word, uint64_t serial, const char *reason) {
    line_t line;
    if (streams->is_reporting) {
        line_begin(&line, word);
        line_add_id(&line, serial);
        line_add(&line, "reason", reason);
        output_write(streams->output, &line);
    }
}
