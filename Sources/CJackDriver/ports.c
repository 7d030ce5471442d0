/// The client's ports: blocks of them come and go while the cycle runs.
///
/// The cycle reads a table that never changes. Control makes another one, puts it in the old one's place, and waits until the cycle, and a
/// latency callback, have left the old one; only then it is freed, and the ports that it alone had go. The waiting is never for the server.
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Most bytes before the number in a port's name.
enum { LONGEST_PREFIX = RCORE_JACK_MAX_PREFIX };

static struct port_table *copy_table(const rcore_jack_t *jack) {
    struct port_table *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *rcore_jack_table(jack);
    return copy;
}

static void count_channels(struct port_table *table, rcore_jack_direction_t direction) {
    uint32_t count = RCORE_JACK_MAX_PORTS;
    while (count > 0 && !table->ports[direction][count - 1])
        count--;
    table->nchannels[direction] = count;
}

static void publish(rcore_jack_t *jack, struct port_table *next, rcore_jack_direction_t changed) {
    count_channels(next, changed);
    pthread_mutex_lock(&jack->table_use);
    const struct port_table *old = atomic_exchange(&jack->table, next);
    pthread_mutex_unlock(&jack->table_use);
    rcore_jack_await_departure(jack, &jack->table_departure);
    free((void *)old);
}

static bool register_port(rcore_jack_t *jack, struct port_table *table, rcore_jack_direction_t direction,
                          uint32_t channel, const char *prefix, uint32_t number) {
    static const unsigned long flags[] = {JackPortIsOutput, JackPortIsInput};
    char name[LONGEST_PREFIX + 16];
    snprintf(name, sizeof name, "%s_%u", prefix, number);
    jack_port_t *port = jack_port_register(jack->client, name, JACK_DEFAULT_AUDIO_TYPE, flags[direction], 0);
    table->ports[direction][channel] = port;
    return port != NULL;
}

rcore_jack_status_t rcore_jack_register_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                              uint32_t count, const char *prefix) {
    size_t length = strlen(prefix);
    if (rcore_jack_is_lost(jack))
        return RCORE_JACK_LOST;
    if (!rcore_jack_is_range(first, count) || length == 0 || length > LONGEST_PREFIX)
        return RCORE_JACK_BAD_ARGUMENT;
    for (uint32_t i = first; i < first + count; i++)
        if (rcore_jack_table(jack)->ports[direction][i])
            return RCORE_JACK_BAD_ARGUMENT;
    struct port_table *next = copy_table(jack);
    if (!next)
        return RCORE_JACK_NO_MEMORY;
    uint32_t done = 0;
    while (done < count && register_port(jack, next, direction, first + done, prefix, done + 1))
        done++;
    if (done == count) {
        publish(jack, next, direction);
        return RCORE_JACK_OK;
    }
    while (done-- > 0)
        jack_port_unregister(jack->client, next->ports[direction][first + done]);
    free(next);
    return rcore_jack_is_lost(jack) ? RCORE_JACK_LOST : RCORE_JACK_REFUSED;
}

rcore_jack_status_t rcore_jack_unregister_block(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                                uint32_t count) {
    if (!rcore_jack_is_range(first, count))
        return RCORE_JACK_BAD_ARGUMENT;
    struct port_table *next = copy_table(jack);
    if (!next)
        return RCORE_JACK_NO_MEMORY;
    jack_port_t *gone[RCORE_JACK_MAX_PORTS];
    for (uint32_t i = 0; i < count; i++) {
        gone[i] = next->ports[direction][first + i];
        next->ports[direction][first + i] = NULL;
    }
    publish(jack, next, direction);
    for (uint32_t i = 0; i < count && !rcore_jack_is_lost(jack); i++)
        if (gone[i])
            jack_port_unregister(jack->client, gone[i]);
    return rcore_jack_is_lost(jack) ? RCORE_JACK_LOST : RCORE_JACK_OK;
}

rcore_jack_status_t rcore_jack_register_ports(rcore_jack_t *jack, uint32_t noutputs, uint32_t ninputs) {
    if (rcore_jack_is_lost(jack))
        return RCORE_JACK_LOST;
    if (jack->ports_registered || noutputs > RCORE_JACK_MAX_PORTS || ninputs > RCORE_JACK_MAX_PORTS)
        return RCORE_JACK_BAD_ARGUMENT;
    jack->ports_registered = true;
    rcore_jack_status_t status = RCORE_JACK_OK;
    if (noutputs > 0)
        status = rcore_jack_register_block(jack, RCORE_JACK_PLAYBACK, 0, noutputs, "out");
    if (status == RCORE_JACK_OK && ninputs > 0)
        status = rcore_jack_register_block(jack, RCORE_JACK_CAPTURE, 0, ninputs, "in");
    return status;
}

const char *rcore_jack_port_name(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index) {
    jack_port_t *port = index < RCORE_JACK_MAX_PORTS ? rcore_jack_table(jack)->ports[direction][index] : NULL;
    return port ? jack_port_name(port) : NULL;
}

const char **rcore_jack_connections(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t index) {
    jack_port_t *port = index < RCORE_JACK_MAX_PORTS ? rcore_jack_table(jack)->ports[direction][index] : NULL;
    return port && !rcore_jack_is_lost(jack) ? jack_port_get_all_connections(jack->client, port) : NULL;
}
