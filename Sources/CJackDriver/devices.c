/// What devices are behind a server: the ports that others offer, with all that JACK says of them.
#define _GNU_SOURCE
#include "client.h"

#include <stdlib.h>
#include <string.h>

/// One list of names after the other, each ended by NULL, without what an earlier one has.
struct names {
    const char **lists[3];
    uint32_t nlists;
    uint32_t count;
};

static void add_names(struct names *names, rcore_jack_t *jack, const char *pattern, unsigned long flags) {
    const char **list = jack_get_ports(jack->client, pattern, JACK_DEFAULT_AUDIO_TYPE, flags);
    if (!list)
        return;
    names->lists[names->nlists++] = list;
    for (uint32_t i = 0; list[i]; i++)
        names->count++;
}

static bool is_listed(const rcore_jack_port_t *ports, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(ports[i].name, name) == 0)
            return true;
    return false;
}

/// Both aliases in one allocation, each of `size` bytes.
static void read_aliases(jack_port_t *port, rcore_jack_port_t *facts) {
    size_t size = (size_t)jack_port_name_size() + 1;
    char *memory = calloc(2, size);
    if (!memory)
        return;
    char *aliases[2] = {memory, memory + size};
    int count = jack_port_get_aliases(port, aliases);
    facts->aliases[0] = memory;
    facts->aliases[1] = memory + size;
    if (count < 1) // PipeWire's libjack says 1 where only the second is there
        memory[0] = memory[size] = 0;
}

/// False for a port that went meanwhile, and for the client's own.
static bool describe(rcore_jack_t *jack, const char *name, rcore_jack_port_t *facts) {
    jack_port_t *port = jack_port_by_name(jack->client, name);
    if (!port || jack_port_is_mine(jack->client, port))
        return false;
    unsigned flags = (unsigned)jack_port_flags(port);
    bool plays = (flags & JackPortIsInput) != 0;
    jack_latency_range_t latency = {0, 0};
    jack_port_get_latency_range(port, plays ? JackPlaybackLatency : JackCaptureLatency, &latency);
    *facts = (rcore_jack_port_t){
        .name = strdup(name),
        .direction = plays ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE,
        .is_physical = (flags & JackPortIsPhysical) != 0,
        .is_terminal = (flags & JackPortIsTerminal) != 0,
        .latency = {latency.min, latency.max},
    };
    if (!facts->name)
        return false;
    read_aliases(port, facts);
    return true;
}

rcore_jack_port_t *rcore_jack_list_ports(rcore_jack_t *jack, const char *pattern, uint32_t *count) {
    *count = 0;
    if (rcore_jack_is_lost(jack))
        return NULL;
    struct names names = {.nlists = 0, .count = 0};
    add_names(&names, jack, NULL, JackPortIsPhysical);
    add_names(&names, jack, NULL, JackPortIsTerminal);
    if (pattern)
        add_names(&names, jack, pattern, 0);
    rcore_jack_port_t *ports = names.count > 0 ? calloc(names.count, sizeof *ports) : NULL;
    for (uint32_t list = 0; list < names.nlists; list++) {
        for (uint32_t i = 0; ports && names.lists[list][i]; i++)
            if (!is_listed(ports, *count, names.lists[list][i]))
                *count += describe(jack, names.lists[list][i], &ports[*count]);
        jack_free(names.lists[list]);
    }
    return ports;
}

void rcore_jack_free_ports(rcore_jack_port_t *ports, uint32_t count) {
    for (uint32_t i = 0; ports && i < count; i++) {
        free((void *)ports[i].name);
        free((void *)ports[i].aliases[0]);
    }
    free(ports);
}

void rcore_jack_note_renewed(rcore_jack_t *jack, uint32_t port) {
    // libjack tells on one thread: the id is there before the count says so.
    unsigned number = atomic_load(&jack->nrenewed);
    atomic_store(&jack->renewed[number % RENEWED_CAPACITY], port);
    atomic_store(&jack->nrenewed, number + 1);
}

const char *rcore_jack_next_renewed(rcore_jack_t *jack, bool *missed) {
    unsigned count = atomic_load(&jack->nrenewed) - jack->renewed_taken;
    if (count > RENEWED_CAPACITY) {
        *missed = true;
        jack->renewed_taken += count - RENEWED_CAPACITY;
    }
    while (jack->renewed_taken != atomic_load(&jack->nrenewed) && !rcore_jack_is_lost(jack)) {
        unsigned id = atomic_load(&jack->renewed[jack->renewed_taken++ % RENEWED_CAPACITY]);
        jack_port_t *port = jack_port_by_id(jack->client, id);
        const char *name = port ? jack_port_name(port) : NULL;
        if (name)
            return name;
    }
    return NULL;
}
