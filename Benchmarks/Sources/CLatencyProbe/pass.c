#include "client.h"
#include "wakes.h"

#include <stdatomic.h>
#include <stdlib.h>

struct latency_pass {
    jack_client_t *jack;
    jack_port_t *in, *out;
    latency_wakes_t *wakes;
    _Atomic uint32_t delay;
    _Atomic float gain, noise;
    uint32_t written, seed;
    float line[LATENCY_MAX_DELAY + 1];
};

/// Returns white noise, −1…1.
static float noise(uint32_t *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(int32_t)*seed / 2147483648.0f;
}

static void pass_on(latency_pass_t *pass, jack_nframes_t nframes) {
    const float *in = jack_port_get_buffer(pass->in, nframes);
    float *out = jack_port_get_buffer(pass->out, nframes);
    uint32_t delay = atomic_load_explicit(&pass->delay, memory_order_relaxed);
    float gain = atomic_load_explicit(&pass->gain, memory_order_relaxed);
    float loudness = atomic_load_explicit(&pass->noise, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++, pass->written++) {
        pass->line[pass->written & LATENCY_MAX_DELAY] = in[i];
        out[i] = gain * pass->line[(pass->written - delay) & LATENCY_MAX_DELAY];
        if (loudness > 0) {
            out[i] += loudness * noise(&pass->seed);
        }
    }
}

static int process(jack_nframes_t nframes, void *argument) {
    latency_pass_t *pass = argument;
    latency_wake_t wake = {.time_us = jack_get_time()};
    jack_time_t next_us = 0;
    float period_us = 0;
    if (pass->wakes != NULL &&
        jack_get_cycle_times(pass->jack, &wake.frame, &wake.ideal_us, &next_us, &period_us) == 0) {
        wakes_add(pass->wakes, wake);
    }
    pass_on(pass, nframes);
    return 0;
}

latency_pass_t *latency_pass_open(const char *server, const char *name, uint32_t delay, latency_wakes_t *wakes) {
    latency_pass_t *pass = calloc(1, sizeof *pass);
    if (pass == NULL) {
        return NULL;
    }
    pass->wakes = wakes;
    latency_pass_set(pass, delay, 1, 0);
    pass->jack = client_open(server, name);
    if (pass->jack != NULL) {
        pass->in = client_port(pass->jack, "in", JackPortIsInput);
        pass->out = client_port(pass->jack, "out", JackPortIsOutput);
        jack_set_process_callback(pass->jack, process, pass);
        if (pass->in != NULL && pass->out != NULL && jack_activate(pass->jack) == 0) {
            return pass;
        }
    }
    latency_pass_close(pass);
    return NULL;
}

void latency_pass_close(latency_pass_t *pass) {
    if (pass == NULL) {
        return;
    }
    client_close(pass->jack);
    free(pass);
}

bool latency_pass_connect(latency_pass_t *pass, const char *destination) {
    return client_connect(pass->jack, jack_port_name(pass->out), destination);
}

void latency_pass_set(latency_pass_t *pass, uint32_t delay, float gain, float noise) {
    atomic_store(&pass->delay, delay);
    atomic_store(&pass->gain, gain);
    atomic_store(&pass->noise, noise);
}

struct latency_stamp {
    latency_pass_t *pass;
    latency_wakes_t *wakes;
    uint32_t period;
    uint64_t rendered;
};

latency_stamp_t *latency_stamp_create(latency_pass_t *pass, uint32_t period, latency_wakes_t *wakes) {
    latency_stamp_t *stamp = calloc(1, sizeof *stamp);
    if (stamp != NULL) {
        *stamp = (latency_stamp_t){.pass = pass, .wakes = wakes, .period = period};
    }
    return stamp;
}

void latency_stamp_destroy(latency_stamp_t *stamp) { free(stamp); }

uint32_t latency_stamp_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) {
    latency_stamp_t *stamp = context;
    // It may be called several times in a cycle; only the first call counts.
    if (stamp->rendered % stamp->period == 0) {
        uint64_t now = jack_get_time();
        wakes_add(stamp->wakes, (latency_wake_t){.frame = jack_last_frame_time(stamp->pass->jack), .time_us = now});
    }
    stamp->rendered += nframes;
    for (uint32_t c = 0; c < channels; c++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[c][i] = 0;
        }
    }
    return nframes;
}
