/// Latencies: reads those that JACK reports for the client's ports, and sets those that the client
/// passes on.
#include "driver_state.h"

#include <string.h>

/// Limit of latencies, in seconds. If connections through other clients form a loop back to this
/// client, each recomputation adds the client's own latency again, up to this limit.
enum { MOST_SECONDS = 10 };

/// Returns a + b, but at most `most`, or `a` if that is already higher.
static uint32_t add_capped(uint32_t a, uint32_t b, uint32_t most) {
    return a >= most || b == 0 ? a : b > most - a ? most : a + b;
}

/// Adds the client's own latency at an output channel to a range.
static jack_latency_range_t add_own_latency(const rcore_jack_t *jack, jack_latency_range_t range, uint32_t channel) {
    const uint64_t own = atomic_load(&jack->own_latencies[channel]);
    const uint32_t rate = atomic_load(&jack->monitor->sample_rate);
    const uint32_t most = rate < UINT32_MAX / MOST_SECONDS ? rate * MOST_SECONDS : UINT32_MAX;
    return (jack_latency_range_t){.min = add_capped(range.min, (uint32_t)(own >> 32), most),
                                  .max = add_capped(range.max, (uint32_t)own, most)};
}

static bool has_own_latency(const rcore_jack_t *jack) {
    bool any = false;
    for (uint32_t i = 0; i < RCORE_JACK_MAX_PORTS && !any; i++) {
        any = atomic_load(&jack->own_latencies[i]) != 0;
    }
    return any;
}

/// Returns whether to leave a port out of the latency through the client, because it is connected
/// directly to one of the client's own ports. Without own latency, such a loop adds nothing;
/// PipeWire already ignores it.
static bool is_loopback(const rcore_jack_t *jack, const jack_port_t *port) {
    if (!has_own_latency(jack) || rcore_jack_is_pipewire()) {
        return false;
    }
    const char *client = jack_get_client_name(jack->client);
    const size_t length = client != NULL ? strlen(client) : 0;
    const char **names = length > 0 ? jack_port_get_connections(port) : NULL;
    bool found = false;
    for (size_t i = 0; names != NULL && names[i] != NULL && !found; i++) {
        found = strncmp(names[i], client, length) == 0 && names[i][length] == ':';
    }
    rcore_jack_free_names(names);
    return found;
}

/// Returns the range over some ports of a direction; 0 if there are none. With `through_client`,
/// returns the latency through the client: includes its own latency and leaves out ports that loop
/// back to it.
static jack_latency_range_t range_over(const rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                       uint32_t end, bool through_client) {
    const struct port_table *table = rcore_jack_table(jack);
    jack_latency_callback_mode_t mode = direction == RCORE_JACK_PLAYBACK ? JackPlaybackLatency : JackCaptureLatency;
    jack_latency_range_t all = {.min = UINT32_MAX, .max = 0};
    for (uint32_t i = first; i < end && i < table->nchannels[direction]; i++) {
        jack_latency_range_t range = {0, 0};
        if (table->ports[direction][i] == NULL || (through_client && is_loopback(jack, table->ports[direction][i]))) {
            continue;
        }
        jack_port_get_latency_range(table->ports[direction][i], mode, &range);
        range = through_client && direction == RCORE_JACK_PLAYBACK ? add_own_latency(jack, range, i) : range;
        all.min = range.min < all.min ? range.min : all.min;
        all.max = range.max > all.max ? range.max : all.max;
    }
    all.min = all.min < all.max ? all.min : all.max;
    return all;
}

rcore_jack_latency_t rcore_jack_read_latency(rcore_jack_t *jack, rcore_jack_direction_t direction, uint32_t first,
                                             uint32_t count) {
    if (rcore_jack_is_lost(jack) || !rcore_jack_is_range(first, count)) {
        return (rcore_jack_latency_t){0, 0};
    }
    jack_latency_range_t range = range_over(jack, direction, first, first + count, false);
    return (rcore_jack_latency_t){range.min, range.max};
}

bool rcore_jack_hold_latencies(rcore_jack_t *jack, bool held) { return atomic_exchange(&jack->latencies_held, held); }

/// Sets the latency of the ports of one direction from that of the ports of the other direction.
/// Holds the lock, so that the control thread cannot replace the table, or unregister ports,
/// meanwhile.
static void pass_on(rcore_jack_t *jack, jack_latency_callback_mode_t mode) {
    bool is_capture = mode == JackCaptureLatency;
    rcore_jack_direction_t from = is_capture ? RCORE_JACK_CAPTURE : RCORE_JACK_PLAYBACK;
    rcore_jack_direction_t to = is_capture ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE;
    pthread_mutex_lock(&jack->table_lock);
    const struct port_table *table = rcore_jack_table(jack);
    jack_latency_range_t through_client = range_over(jack, from, 0, RCORE_JACK_MAX_PORTS, true);
    for (uint32_t i = 0; i < table->nchannels[to]; i++) {
        jack_latency_range_t range = is_capture ? add_own_latency(jack, through_client, i) : through_client;
        if (table->ports[to][i] != NULL) {
            jack_port_set_latency_range(table->ports[to][i], mode, &range);
        }
    }
    pthread_mutex_unlock(&jack->table_lock);
}

/// PipeWire's libjack (0.3.65) calls this without the lock of its thread. A latency that is set
/// here is sent at once, also while another thread sends a request, and one of the two messages is
/// then malformed: libpipewire ends the process, or the server ends the connection. A latency that
/// is set on the control thread is sent with the lock held.
void rcore_jack_on_latency(jack_latency_callback_mode_t mode, void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_load(&jack->latencies_held)) {
        return;
    }
    if (!rcore_jack_is_pipewire()) {
        pass_on(jack, mode);
    }
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_LATENCY);
}

/// PipeWire reports the changes that result; a record here would make the control thread repeat
/// this call for ever.
void rcore_jack_pass_latencies(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack) || atomic_load(&jack->latencies_held)) {
        return;
    }
    if (rcore_jack_is_pipewire() && !jack->is_active) {
        return; // the activation passes them on
    }
    pass_on(jack, JackCaptureLatency);
    pass_on(jack, JackPlaybackLatency);
    if (!rcore_jack_is_pipewire()) {
        rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_LATENCY);
    }
}

void rcore_jack_set_own_latency(rcore_jack_t *jack, uint32_t channel, rcore_jack_latency_t latency) {
    if (channel < RCORE_JACK_MAX_PORTS) {
        atomic_store(&jack->own_latencies[channel], (uint64_t)latency.minimum << 32 | latency.maximum);
    }
}

rcore_jack_status_t rcore_jack_recompute_latencies(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    return jack_recompute_total_latencies(jack->client) == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}
