/// The devices of a server: the ports that other clients offer, with everything that JACK reports
/// about them.
#define _GNU_SOURCE
#include "driver_state.h"

#include <stdlib.h>
#include <string.h>

/// Returns whether a port belongs to a device. In jackd, the ports of devices are physical. So are,
/// in PipeWire, the ports of hardware, and in 0.3.65 also those of virtual sinks: null sinks, sinks
/// of effects, and sinks that play elsewhere in the network. In 1.4, the ports of virtual sinks
/// have no flags. libjack does not report that a client is a sink, but PipeWire names the inputs of
/// sinks: "send_" and the channel for sinks in the network, "playback_" and the channel for others.
static bool is_of_device(const char *name, unsigned flags) {
    if (flags & JackPortIsPhysical) {
        return true;
    }
    const char *port = strrchr(name, ':');
    return rcore_jack_is_pipewire() && (flags & JackPortIsInput) && port != NULL &&
           (strncmp(port, ":playback_", 10) == 0 || strncmp(port, ":send_", 6) == 0);
}

const char **rcore_jack_device_ports(rcore_jack_t *jack, unsigned long side) {
    if (!rcore_jack_is_pipewire()) {
        return jack_get_ports(jack->client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | side);
    }
    // One list, because libjack sorts it: the default device is the first.
    const char **names = jack_get_ports(jack->client, NULL, JACK_DEFAULT_AUDIO_TYPE, side);
    if (names == NULL) {
        return NULL;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; names[i] != NULL; i++) {
        jack_port_t *port = jack_port_by_name(jack->client, names[i]);
        if (port != NULL && !jack_port_is_mine(jack->client, port) &&
            is_of_device(names[i], (unsigned)jack_port_flags(port))) {
            names[count++] = names[i];
        }
    }
    if (count == 0) {
        jack_free(names);
        return NULL;
    }
    names[count] = NULL;
    return names;
}

/// Several lists of port names, each terminated by NULL. A name may be on more than one.
struct names {
    const char **lists[3];
    uint32_t nlists;
    uint32_t count;
};

/// Adds a list; NULL: none.
static void add_names(struct names *names, const char **list) {
    if (list == NULL) {
        return;
    }
    names->lists[names->nlists++] = list;
    for (uint32_t i = 0; list[i] != NULL; i++) {
        names->count++;
    }
}

static bool is_listed(const rcore_jack_port_t *ports, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(ports[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

/// Describes a port; without `with_latency`, its latency is 0. Returns false for a port that was
/// removed in the meantime, for the client's own ports, and if the name cannot be copied.
static bool describe(rcore_jack_t *jack, const char *name, bool with_latency, rcore_jack_port_t *description) {
    jack_port_t *port = jack_port_by_name(jack->client, name);
    if (port == NULL || jack_port_is_mine(jack->client, port)) {
        return false;
    }
    unsigned flags = (unsigned)jack_port_flags(port);
    bool plays = (flags & JackPortIsInput) != 0;
    jack_latency_range_t latency = {0, 0};
    if (with_latency) {
        jack_port_get_latency_range(port, plays ? JackPlaybackLatency : JackCaptureLatency, &latency);
    }
    *description = (rcore_jack_port_t){
        .name = strdup(name),
        .direction = plays ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE,
        .is_physical = is_of_device(name, flags),
        .is_terminal = (flags & JackPortIsTerminal) != 0,
        .latency = {latency.min, latency.max},
    };
    if (description->name == NULL) {
        return false;
    }
    rcore_jack_read_aliases(port, description);
    return true;
}

rcore_jack_port_t *rcore_jack_list_ports(rcore_jack_t *jack, const char *pattern, bool with_latencies,
                                         uint32_t *count) {
    *count = 0;
    if (rcore_jack_is_lost(jack)) {
        return NULL;
    }
    struct names names = {.nlists = 0, .count = 0};
    add_names(&names, rcore_jack_device_ports(jack, 0));
    add_names(&names, jack_get_ports(jack->client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsTerminal));
    if (pattern != NULL) {
        add_names(&names, jack_get_ports(jack->client, pattern, JACK_DEFAULT_AUDIO_TYPE, 0));
    }
    rcore_jack_port_t *ports = names.count > 0 ? calloc(names.count, sizeof *ports) : NULL;
    for (uint32_t list = 0; list < names.nlists; list++) {
        for (uint32_t i = 0; ports != NULL && names.lists[list][i] != NULL; i++) {
            if (!is_listed(ports, *count, names.lists[list][i])) {
                *count += describe(jack, names.lists[list][i], with_latencies, &ports[*count]);
            }
        }
        jack_free(names.lists[list]);
    }
    return ports;
}

void rcore_jack_free_ports(rcore_jack_port_t *ports, uint32_t count) {
    for (uint32_t i = 0; ports != NULL && i < count; i++) {
        free((void *)ports[i].name);
        free((void *)ports[i].aliases[0]);
    }
    free(ports);
}

void rcore_jack_record_renewed(rcore_jack_t *jack, uint32_t port) {
    // libjack calls this on one thread. The id is stored before the count includes it.
    unsigned number = atomic_load(&jack->nrenewed);
    atomic_store(&jack->renewed[number % RENEWED_CAPACITY], port);
    atomic_store(&jack->nrenewed, number + 1);
}

const char *rcore_jack_next_renewed(rcore_jack_t *jack, bool *missed) {
    unsigned count = atomic_load(&jack->nrenewed) - jack->renewed_read;
    if (count > RENEWED_CAPACITY) {
        *missed = true;
        jack->renewed_read += count - RENEWED_CAPACITY;
    }
    while (jack->renewed_read != atomic_load(&jack->nrenewed) && !rcore_jack_is_lost(jack)) {
        unsigned id = atomic_load(&jack->renewed[jack->renewed_read++ % RENEWED_CAPACITY]);
        jack_port_t *port = jack_port_by_id(jack->client, id);
        const char *name = port != NULL ? jack_port_name(port) : NULL;
        if (name != NULL) {
            return name;
        }
    }
    return NULL;
}
