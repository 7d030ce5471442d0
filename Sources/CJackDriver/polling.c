/// The server's changes for a client that is not active.
///
/// libjack notifies active clients only: of ports, of rates and periods, and PipeWire's libjack
/// also of the end of the server. For a client that is not active, the control thread polls
/// instead, and records what has changed as the callbacks do (see notifications.c).
#include "driver_state.h"

#include <math.h>

/// Returns a hash (FNV-1a) of the names of all audio ports of the server, never 0.
static uint64_t hash_ports(rcore_jack_t *jack) {
    const char **names = jack_get_ports(jack->client, NULL, JACK_DEFAULT_AUDIO_TYPE, 0);
    uint64_t hash = 0xcbf29ce484222325;
    for (uint32_t i = 0; names != NULL && names[i] != NULL; i++) {
        for (const char *c = names[i];; c++) {
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
            if (*c == 0) {
                break;
            }
        }
    }
    rcore_jack_free_names(names);
    return hash != 0 ? hash : 1;
}

/// Returns whether two periods differ by more than the drift of a device, 1 %.
static bool differ(float a, float b) { return fabsf(a - b) > b / 100; }

/// Returns the greatest power of two that is not above `nframes`, or the next one if that is
/// closer than 1 %.
static float near_power_of_two(float nframes) {
    float power = 1;
    while (power * 2 <= nframes * 1.01f) {
        power *= 2;
    }
    return power;
}

/// Reads PipeWire's rate and period for a client that is not active. libjack then returns its own
/// last values, or those that the client's configuration requests; the clock of the graph, in
/// shared memory, is current. Without it, both values stay as they are. The period is computed from
/// its length in time, which libjack converts with its own last rate and with the device's drift.
static void read_pipewire_clock(rcore_jack_t *jack, uint32_t *sample_rate, uint32_t *period) {
    jack_position_t position = {.frame_rate = 0};
    jack_nframes_t frames;
    jack_time_t now, next;
    float usecs = 0;
    if (jack->active_rate != 0 && jack_get_cycle_times(jack->client, &frames, &now, &next, &usecs) == 0 && usecs > 0) {
        const float current = usecs * (float)jack->active_rate / 1e6f;
        const float power = near_power_of_two(current);
        if (differ(current, (float)*period) && current < RCORE_MAX_PERIOD * 1.01f) {
            *period = (uint32_t)((differ(current, power) ? current : power) + 0.5f);
        }
    }
    (void)jack_transport_query(jack->client, &position);
    if (position.frame_rate != 0) {
        *sample_rate = position.frame_rate;
    }
}

static void poll_format(rcore_jack_t *jack) {
    const rcore_jack_snapshot_t known = rcore_jack_read_snapshot(jack->monitor);
    uint32_t sample_rate = known.sample_rate, period = known.period_frames;
    if (rcore_jack_is_pipewire() && !jack->is_active) {
        read_pipewire_clock(jack, &sample_rate, &period);
    } else {
        sample_rate = jack_get_sample_rate(jack->client);
        period = jack_get_buffer_size(jack->client);
    }
    rcore_jack_record_format(jack->monitor, sample_rate, period);
}

void rcore_jack_poll(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return;
    }
    poll_format(jack);
    const uint64_t ports = jack->is_active ? jack->polled_ports : hash_ports(jack);
    if (ports != jack->polled_ports) {
        jack->polled_ports = ports;
        rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
    }
}
