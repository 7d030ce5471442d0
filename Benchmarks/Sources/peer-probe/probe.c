#define _GNU_SOURCE
#include "probe.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

uint64_t probe_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int emit(jack_nframes_t nframes, void *argument) {
    struct probe *probe = argument;
    float *samples = jack_port_get_buffer(probe->output, nframes);
    memset(samples, 0, nframes * sizeof *samples);
    int32_t offset = atomic_load(&probe->impulse_offset);
    if (offset < 0) {
        return 0;
    }
    if ((uint32_t)offset >= nframes) {
        offset = (int32_t)nframes - 1;
    }
    samples[offset] = 1;
    atomic_store(&probe->impulse_frame, jack_last_frame_time(probe->source) + (uint32_t)offset);
    atomic_store(&probe->impulse_offset, -1);
    return 0;
}

static int listen_to_all(jack_nframes_t nframes, void *argument) {
    struct probe *probe = argument;
    uint32_t frame = jack_last_frame_time(probe->listener);
    uint64_t nanoseconds = probe_now();
    for (uint32_t i = 0; i < probe->ntaps; i++) {
        peer_tap_hear(probe->taps[i], jack_port_get_buffer(probe->inputs[i], nframes), nframes, frame, nanoseconds);
    }
    return 0;
}

static void stay_silent(const char *text) { (void)text; }

/// Records the loss. Without this callback, libjack would end the process.
static void note_loss(jack_status_t code, const char *reason, void *argument) {
    (void)code, (void)reason;
    atomic_store(&((struct probe *)argument)->is_lost, true);
}

static jack_client_t *open_client(const char *server, const char *name, JackProcessCallback process,
                                  struct probe *probe) {
    jack_status_t status = 0;
    jack_client_t *client = jack_client_open(name, JackNoStartServer | JackServerName, &status, server);
    if (client != NULL) {
        jack_set_process_callback(client, process, probe);
        jack_on_info_shutdown(client, note_loss, probe);
    }
    return client;
}

bool probe_open(struct probe *probe, const char *server, uint32_t ntaps) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    *probe = (struct probe){.ntaps = ntaps, .impulse_offset = -1};
    probe->source = open_client(server, "probe-source", emit, probe);
    probe->listener = open_client(server, "probe-taps", listen_to_all, probe);
    if (probe->source == NULL || probe->listener == NULL) {
        return false;
    }
    probe->output = jack_port_register(probe->source, "out", JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
    bool is_complete = probe->output != NULL;
    for (uint32_t i = 0; i < ntaps; i++) {
        char name[16];
        snprintf(name, sizeof name, "in_%u", i);
        probe->inputs[i] = jack_port_register(probe->listener, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        probe->taps[i] = peer_tap_make();
        is_complete = is_complete && probe->inputs[i] != NULL && probe->taps[i] != NULL;
    }
    return is_complete && jack_activate(probe->source) == 0 && jack_activate(probe->listener) == 0;
}

void probe_close(struct probe *probe) {
    if (atomic_load(&probe->is_lost)) {
        return;
    }
    if (probe->source != NULL) {
        jack_client_close(probe->source);
    }
    if (probe->listener != NULL) {
        jack_client_close(probe->listener);
    }
}

void probe_impulse(struct probe *probe, uint32_t offset) { atomic_store(&probe->impulse_offset, (int32_t)offset); }

bool probe_impulse_is_out(const struct probe *probe) { return atomic_load(&probe->impulse_offset) < 0; }

/// Converts between the clocks by reading both now: libjack has its own clock.
uint32_t probe_frame_at(const struct probe *probe, uint64_t nanoseconds) {
    int64_t ago = (int64_t)(probe_now() - nanoseconds) / 1000;
    return jack_time_to_frames(probe->listener, jack_get_time() - (jack_time_t)ago);
}
