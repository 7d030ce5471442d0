/// Metadata: properties of clients and ports, which other programs can read. With PipeWire only:
/// jackd's are in a database that all its servers and clients of a user share without a server
/// between them, and that each server deletes when it exits. A program that reads or writes it at
/// that moment hangs (measured), and with it every jackd of the user.
#define _GNU_SOURCE
#include "driver_state.h"

#include <jack/metadata.h>
#include <jack/uuid.h>
#include <stdlib.h>
#include <string.h>

/// Finds the subject of a property by the name of a client or the full name of a port, which has a
/// colon.
static bool find_subject(rcore_jack_t *jack, const char *name, jack_uuid_t *subject) {
    *subject = JACK_UUID_EMPTY_INITIALIZER;
    if (!rcore_jack_is_pipewire()) {
        return false;
    }
    if (strchr(name, ':') != NULL) {
        jack_port_t *port = jack_port_by_name(jack->client, name);
        if (port != NULL) {
            *subject = jack_port_uuid(port);
        }
        return *subject != JACK_UUID_EMPTY_INITIALIZER;
    }
    char *text = jack_get_uuid_for_client_name(jack->client, name);
    const bool is_found = text != NULL && jack_uuid_parse(text, subject) == 0;
    if (text != NULL) {
        jack_free(text);
    }
    return is_found;
}

rcore_jack_status_t rcore_jack_set_property(rcore_jack_t *jack, const char *name, const char *key, const char *value,
                                            const char *type) {
    jack_uuid_t subject;
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    if (!find_subject(jack, name, &subject)) {
        return RCORE_JACK_REFUSED;
    }
    const int result = value != NULL ? jack_set_property(jack->client, subject, key, value, type)
                                     : jack_remove_property(jack->client, subject, key);
    return result == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

char *rcore_jack_property(rcore_jack_t *jack, const char *name, const char *key) {
    jack_uuid_t subject;
    char *value = NULL, *type = NULL;
    if (rcore_jack_is_lost(jack) || !find_subject(jack, name, &subject) ||
        jack_get_property(subject, key, &value, &type) != 0) {
        return NULL;
    }
    char *copy = value != NULL ? strdup(value) : NULL;
    jack_free(value);
    jack_free(type);
    return copy;
}

const char **rcore_jack_port_names(rcore_jack_t *jack, rcore_jack_direction_t direction) {
    const bool is_midi = direction == RCORE_JACK_MIDI_OUT || direction == RCORE_JACK_MIDI_IN;
    const bool is_output = direction == RCORE_JACK_PLAYBACK || direction == RCORE_JACK_MIDI_OUT;
    if (rcore_jack_is_lost(jack)) {
        return NULL;
    }
    return jack_get_ports(jack->client, NULL, is_midi ? JACK_DEFAULT_MIDI_TYPE : JACK_DEFAULT_AUDIO_TYPE,
                          is_output ? JackPortIsOutput : JackPortIsInput);
}
