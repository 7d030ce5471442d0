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

/// Reads PipeWire's rate and period from its clock: its libjack updates its own values only for
/// active clients. The clock lies in shared memory; without it, the values stay as they are.
static void read_pipewire_clock(rcore_jack_t *jack, uint32_t *sample_rate, uint32_t *period) {
    jack_position_t position = {.frame_rate = 0};
    jack_nframes_t frames;
    jack_time_t now, next;
    float period_usecs = 0;
    if (jack_get_cycle_times(jack->client, &frames, &now, &next, &period_usecs) == 0 && period_usecs > 0) {
        // libjack converts with its own rate, and includes the drift of the device.
        float current = period_usecs * (float)*sample_rate / 1e6f;
        if (fabsf(current - (float)*period) > (float)*period / 100 && current < RCORE_MAX_PERIOD) {
            *period = (uint32_t)(current + 0.5f);
        }
    }
    (void)jack_transport_query(jack->client, &position);
    if (position.frame_rate != 0) {
        *sample_rate = position.frame_rate;
    }
}

void rcore_jack_begin_polling(rcore_jack_t *jack) {
    // Neither ends while there are no notifications and no cycles.
    atomic_store(&jack->freewheeling, false);
    atomic_store(&jack->monitor->cycle_load, 0);
    jack->polled_ports = 0;
    rcore_jack_watch_server(jack->monitor, jack->server_fd);
}

bool rcore_jack_poll(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return false;
    }
    uint32_t sample_rate = jack_get_sample_rate(jack->client), period = jack_get_buffer_size(jack->client);
    if (rcore_jack_is_pipewire()) {
        read_pipewire_clock(jack, &sample_rate, &period);
    }
    const rcore_jack_snapshot_t before = rcore_jack_read_snapshot(jack->monitor);
    rcore_jack_record_format(jack->monitor, sample_rate, period);
    const uint64_t ports = hash_ports(jack);
    const bool has_new_ports = ports != jack->polled_ports;
    jack->polled_ports = ports;
    if (has_new_ports) {
        rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
    }
    return has_new_ports || sample_rate != before.sample_rate || period != before.period_frames;
}
