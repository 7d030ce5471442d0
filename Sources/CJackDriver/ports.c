/// The client's ports. Blocks of ports are registered and unregistered while the cycle runs.
///
/// The cycle reads a table that never changes. The control thread creates a new table, publishes it
/// in place of the old one, and waits until the cycle and the latency callback no longer use the
/// old one; this wait does not depend on the server. Only then does it free the old table and
/// unregister the ports that only that table had.
#include "driver_state.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Maximum number of bytes before the number in a port's name.
enum { LONGEST_PREFIX = RCORE_JACK_MAX_PREFIX };

static struct port_table *copy_table(const rcore_jack_t *jack) {
    struct port_table *copy = malloc(sizeof *copy);
    if (copy != NULL) {
        *copy = *rcore_jack_table(jack);
    }
    return copy;
}

/// Sets the channel count of a direction: one more than the highest channel that has a port.
static void count_channels(struct port_table *table, rcore_jack_direction_t direction) {
    uint32_t count = RCORE_JACK_MAX_PORTS;
    while (count > 0 && table->ports[direction][count - 1] == NULL) {
        count--;
    }
    table->nchannels[direction] = count;
}

/// Replaces the table by `next`, waits until no thread uses the old one, and frees that.
static void publish(rcore_jack_t *jack, struct port_table *next, rcore_jack_direction_t changed) {
    count_channels(next, changed);
    pthread_mutex_lock(&jack->table_lock);
    const struct port_table *old = atomic_exchange(&jack->table, next);
    pthread_mutex_unlock(&jack->table_lock);
    rcore_jack_synchronize(jack, &jack->table_grace);
    free((void *)old);
}

static bool is_midi(rcore_jack_direction_t direction) {
    return direction == RCORE_JACK_MIDI_OUT || direction == RCORE_JACK_MIDI_IN;
}

/// Returns whether a block may have this range.
static bool is_block(rcore_jack_direction_t direction, uint32_t first, uint32_t count) {
    return rcore_jack_is_range(first, count) && (!is_midi(direction) || (count == 1 && first < RCORE_MAX_MIDI_PORTS));
}

/// Returns whether the name of a port that the client has unregistered is free, after waiting for
/// that. PipeWire's libjack (1.4) refuses the name until its notification thread has returned from
/// the callback for the removal, which it reports to nobody: this polls, for about 1 s at most.
/// False at once on jackd, and if a port of the table has the name.
static bool await_free_name(rcore_jack_t *jack, const char *name) {
    if (!rcore_jack_is_pipewire()) {
        return false;
    }
    const struct port_table *table = rcore_jack_table(jack);
    char full[512];
    snprintf(full, sizeof full, "%s:%s", jack_get_client_name(jack->client), name);
    const jack_port_t *port = jack_port_by_name(jack->client, full);
    for (uint32_t i = 0; port != NULL && i < RCORE_JACK_DIRECTIONS * RCORE_JACK_MAX_PORTS; i++) {
        if (table->ports[i / RCORE_JACK_MAX_PORTS][i % RCORE_JACK_MAX_PORTS] == port) {
            return false;
        }
    }
    for (int i = 0; i < 1000 && !rcore_jack_is_lost(jack); i++) {
        if (jack_port_by_name(jack->client, full) == NULL) {
            return true;
        }
        poll(NULL, 0, 1);
    }
    return false;
}

static bool register_port(rcore_jack_t *jack, struct port_table *table, rcore_jack_direction_t direction,
                          uint32_t channel, const char *prefix, uint32_t number) {
    static const unsigned long flags[] = {JackPortIsOutput, JackPortIsInput, JackPortIsOutput, JackPortIsInput};
    const char *type = is_midi(direction) ? JACK_DEFAULT_MIDI_TYPE : JACK_DEFAULT_AUDIO_TYPE;
    char name[LONGEST_PREFIX + 16];
    if (is_midi(direction)) {
        snprintf(name, sizeof name, "%s", prefix);
    } else {
        snprintf(name, sizeof name, "%s_%u", prefix, number);
    }
    jack_port_t *port = jack_port_register(jack->client, name, type, flags[direction], 0);
    if (port == NULL && await_free_name(jack, name)) {
        port = jack_port_register(jack->client, name, type, flags[direction], 0);
    }
    table->ports[direction][channel] = port;
    return port != NULL;
}

rcore_jack_status_t rcore_jack_register_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                              uint32_t count, const char *prefix) {
    size_t length = strlen(prefix);
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    if (!is_block(direction, first, count) || length == 0 || length > LONGEST_PREFIX) {
        return RCORE_JACK_BAD_ARGUMENT;
    }
    for (uint32_t i = first; i < first + count; i++) {
        if (rcore_jack_table(jack)->ports[direction][i] != NULL) {
            return RCORE_JACK_BAD_ARGUMENT;
        }
    }
    struct port_table *next = copy_table(jack);
    if (next == NULL) {
        return RCORE_JACK_NO_MEMORY;
    }
    uint32_t registered = 0;
    while (registered < count && register_port(jack, next, direction, first + registered, prefix, registered + 1)) {
        registered++;
    }
    if (registered == count) {
        publish(jack, next, direction);
        return RCORE_JACK_OK;
    }
    while (registered-- > 0) {
        jack_port_unregister(jack->client, next->ports[direction][first + registered]);
    }
    free(next);
    return rcore_jack_is_lost(jack) ? RCORE_JACK_LOST : RCORE_JACK_REFUSED;
}

rcore_jack_status_t rcore_jack_unregister_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                                uint32_t count) {
    if (!rcore_jack_is_range(first, count)) {
        return RCORE_JACK_BAD_ARGUMENT;
    }
    struct port_table *next = copy_table(jack);
    if (next == NULL) {
        return RCORE_JACK_NO_MEMORY;
    }
    jack_port_t *removed[RCORE_JACK_MAX_PORTS];
    for (uint32_t i = 0; i < count; i++) {
        removed[i] = next->ports[direction][first + i];
        next->ports[direction][first + i] = NULL;
    }
    publish(jack, next, direction);
    for (uint32_t i = 0; i < count && (!rcore_jack_is_lost(jack) || rcore_jack_is_pipewire()); i++) {
        if (removed[i] != NULL) {
            jack_port_unregister(jack->client, removed[i]);
        }
    }
    return rcore_jack_is_lost(jack) ? RCORE_JACK_LOST : RCORE_JACK_OK;
}

void rcore_jack_unregister_all(rcore_jack_t *jack) {
    const struct port_table removed = *rcore_jack_table(jack);
    struct port_table *next = calloc(1, sizeof *next);
    if (next == NULL) {
        return;
    }
    publish(jack, next, RCORE_JACK_PLAYBACK);
    for (uint32_t i = 0; i < RCORE_JACK_DIRECTIONS * RCORE_JACK_MAX_PORTS; i++) {
        jack_port_t *port = removed.ports[i / RCORE_JACK_MAX_PORTS][i % RCORE_JACK_MAX_PORTS];
        if (port != NULL) {
            jack_port_unregister(jack->client, port);
        }
    }
}

rcore_jack_status_t rcore_jack_register_ports(rcore_jack_t *jack, uint32_t noutputs, uint32_t ninputs) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    if (jack->ports_registered || noutputs > RCORE_JACK_MAX_PORTS || ninputs > RCORE_JACK_MAX_PORTS) {
        return RCORE_JACK_BAD_ARGUMENT;
    }
    jack->ports_registered = true;
    rcore_jack_status_t status = RCORE_JACK_OK;
    if (noutputs > 0) {
        status = rcore_jack_register_block(jack, RCORE_JACK_PLAYBACK, 0, noutputs, "out");
    }
    if (status == RCORE_JACK_OK && ninputs > 0) {
        status = rcore_jack_register_block(jack, RCORE_JACK_CAPTURE, 0, ninputs, "in");
    }
    return status;
}

const char *rcore_jack_port_name(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index) {
    jack_port_t *port = index < RCORE_JACK_MAX_PORTS ? rcore_jack_table(jack)->ports[direction][index] : NULL;
    return port != NULL ? jack_port_name(port) : NULL;
}

const char **rcore_jack_connections(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index) {
    jack_port_t *port = index < RCORE_JACK_MAX_PORTS ? rcore_jack_table(jack)->ports[direction][index] : NULL;
    return port != NULL && !rcore_jack_is_lost(jack) ? jack_port_get_all_connections(jack->client, port) : NULL;
}
