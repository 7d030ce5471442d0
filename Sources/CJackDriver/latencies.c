/// Latencies: what JACK says of the client's ports, and what it is told of them.
#include "client.h"

#include <string.h>

/// Where a loop leads back to the client by others, each recomputation adds what it delays: up to this many seconds, and no further.
enum { MOST_SECONDS = 10 };

static uint32_t add(uint32_t a, uint32_t b, uint32_t most) {
    return a >= most || b == 0 ? a : b > most - a ? most : a + b;
}

/// A range, later by what the client delays at an output's channel.
static jack_latency_range_t later(const rcore_jack_t *jack, jack_latency_range_t range, uint32_t channel) {
    const uint64_t own = atomic_load(&jack->own_latencies[channel]);
    const uint32_t rate = atomic_load(&jack->news->sample_rate);
    const uint32_t most = rate < UINT32_MAX / MOST_SECONDS ? rate * MOST_SECONDS : UINT32_MAX;
    return (jack_latency_range_t){.min = add(range.min, (uint32_t)(own >> 32), most),
                                  .max = add(range.max, (uint32_t)own, most)};
}

static bool delays(const rcore_jack_t *jack) {
    bool any = false;
    for (uint32_t i = 0; i < RCORE_JACK_MAX_PORTS && !any; i++)
        any = atomic_load(&jack->own_latencies[i]) != 0;
    return any;
}

/// Whether a port is connected to one of the client's own: what comes by that loop is no latency of the way through. PipeWire leaves such loops out by itself.
static bool leads_back(const rcore_jack_t *jack, const jack_port_t *port) {
    if (!delays(jack) || strstr(jack_get_version_string(), "PipeWire"))
        return false;
    const char *client = jack_get_client_name(jack->client);
    const size_t length = client ? strlen(client) : 0;
    const char **names = length > 0 ? jack_port_get_connections(port) : NULL;
    bool found = false;
    for (size_t i = 0; names && names[i] && !found; i++)
        found = strncmp(names[i], client, length) == 0 && names[i][length] == ':';
    rcore_jack_free_names(names);
    return found;
}

/// The range over some of a direction's ports; 0 without any. `whole`: of what goes through the client, with what it delays itself.
static jack_latency_range_t range_over(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                       uint32_t end, bool whole) {
    const struct port_table *table = rcore_jack_table(jack);
    jack_latency_callback_mode_t mode = direction == RCORE_JACK_PLAYBACK ? JackPlaybackLatency : JackCaptureLatency;
    jack_latency_range_t all = {.min = UINT32_MAX, .max = 0};
    for (uint32_t i = first; i < end && i < table->nchannels[direction]; i++) {
        jack_latency_range_t range = {0, 0};
        if (!table->ports[direction][i] || (whole && leads_back(jack, table->ports[direction][i])))
            continue;
        jack_port_get_latency_range(table->ports[direction][i], mode, &range);
        range = whole && direction == RCORE_JACK_PLAYBACK ? later(jack, range, i) : range;
        all.min = range.min < all.min ? range.min : all.min;
        all.max = range.max > all.max ? range.max : all.max;
    }
    all.min = all.min < all.max ? all.min : all.max;
    return all;
}

rcore_jack_latency_t rcore_jack_read_latency(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                             uint32_t count) {
    if (rcore_jack_is_lost(jack) || !rcore_jack_is_range(first, count))
        return (rcore_jack_latency_t){0, 0};
    jack_latency_range_t range = range_over(jack, direction, first, first + count, false);
    return (rcore_jack_latency_t){range.min, range.max};
}

void rcore_jack_hold_latencies(rcore_jack_t *jack, bool held) { atomic_store(&jack->latencies_held, held); }

void rcore_jack_pass_latency_on(jack_latency_callback_mode_t mode, void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_load(&jack->latencies_held))
        return;
    bool captures = mode == JackCaptureLatency;
    rcore_jack_direction_t from = captures ? RCORE_JACK_CAPTURE : RCORE_JACK_PLAYBACK;
    rcore_jack_direction_t to = captures ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE;
    pthread_mutex_lock(&jack->table_use);
    const struct port_table *table = rcore_jack_table(jack);
    jack_latency_range_t whole = range_over(jack, from, 0, RCORE_JACK_MAX_PORTS, true);
    for (uint32_t i = 0; i < table->nchannels[to]; i++) {
        jack_latency_range_t range = captures ? later(jack, whole, i) : whole;
        if (table->ports[to][i])
            jack_port_set_latency_range(table->ports[to][i], mode, &range);
    }
    pthread_mutex_unlock(&jack->table_use);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_LATENCY);
}

void rcore_jack_pass_latencies(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack))
        return;
    rcore_jack_pass_latency_on(JackCaptureLatency, jack);
    rcore_jack_pass_latency_on(JackPlaybackLatency, jack);
}

void rcore_jack_set_own_latency(rcore_jack_t *jack, uint32_t channel, rcore_jack_latency_t latency) {
    if (channel < RCORE_JACK_MAX_PORTS)
        atomic_store(&jack->own_latencies[channel], (uint64_t)latency.minimum << 32 | latency.maximum);
}

rcore_jack_status_t rcore_jack_recompute_latencies(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack))
        return RCORE_JACK_LOST;
    return jack_recompute_total_latencies(jack->client) == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}
