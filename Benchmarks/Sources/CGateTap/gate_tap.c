#define _GNU_SOURCE
#include "gate_tap.h"

#include <errno.h>
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CYCLES = 1 << 14 };

struct gate_tap {
    jack_client_t *jack;
    jack_port_t *input;
    double sample_rate;
    uint32_t capacity;
    /// Requested by the caller; the cycle clears it.
    _Atomic bool reset_requested;
    /// Published after the samples.
    _Atomic uint32_t ncycles;
    _Atomic uint64_t xruns;
    _Atomic bool awaited;
    sem_t signal;
    /// Used by the cycle only.
    uint32_t nframes;
    gate_tap_cycle_t cycles[MAX_CYCLES];
    float samples[];
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void record(gate_tap_t *tap, jack_nframes_t nframes) {
    gate_tap_cycle_t cycle = {.heard_ns = now(), .nframes = nframes, .position = tap->nframes};
    // Whole frames, rounded down. One more frame makes the beginning early rather than late.
    double since = (double)jack_frames_since_cycle_start(tap->jack) + 1;
    cycle.begun_ns = cycle.heard_ns - (uint64_t)(since * 1e9 / tap->sample_rate);
    cycle.frame = jack_last_frame_time(tap->jack);
    memcpy(tap->samples + tap->nframes, jack_port_get_buffer(tap->input, nframes), nframes * sizeof(float));
    uint32_t count = atomic_load_explicit(&tap->ncycles, memory_order_relaxed);
    tap->cycles[count] = cycle;
    tap->nframes += nframes;
    atomic_store_explicit(&tap->ncycles, count + 1, memory_order_release);
}

static int process(jack_nframes_t nframes, void *argument) {
    gate_tap_t *tap = argument;
    if (atomic_load(&tap->reset_requested)) {
        tap->nframes = 0;
        atomic_store(&tap->ncycles, 0);
        atomic_store(&tap->reset_requested, false);
    }
    if (atomic_load_explicit(&tap->ncycles, memory_order_relaxed) < MAX_CYCLES &&
        nframes <= tap->capacity - tap->nframes) {
        record(tap, nframes);
    }
    if (atomic_exchange(&tap->awaited, false)) {
        sem_post(&tap->signal);
    }
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((gate_tap_t *)argument)->xruns, 1);
    return 0;
}

static void stay_silent(const char *text) { (void)text; }

gate_tap_t *gate_tap_open(const char *server, const char *name, uint32_t capacity) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    gate_tap_t *tap = calloc(1, sizeof *tap + capacity * sizeof(float));
    if (tap == NULL) {
        return NULL;
    }
    tap->capacity = capacity;
    sem_init(&tap->signal, 0, 0);
    jack_status_t status = 0;
    tap->jack = jack_client_open(name, JackNoStartServer | JackServerName, &status, server);
    if (tap->jack != NULL) {
        tap->sample_rate = jack_get_sample_rate(tap->jack);
        jack_set_process_callback(tap->jack, process, tap);
        jack_set_xrun_callback(tap->jack, note_xrun, tap);
        tap->input = jack_port_register(tap->jack, "in_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        if (tap->input != NULL && jack_activate(tap->jack) == 0) {
            return tap;
        }
    }
    gate_tap_close(tap);
    return NULL;
}

bool gate_tap_connect(gate_tap_t *tap, const char *port) {
    int result = jack_connect(tap->jack, port, jack_port_name(tap->input));
    return result == 0 || result == EEXIST;
}

void gate_tap_close(gate_tap_t *tap) {
    if (tap == NULL) {
        return;
    }
    if (tap->jack != NULL) {
        jack_client_close(tap->jack);
    }
    sem_destroy(&tap->signal);
    free(tap);
}

/// Waits for a cycle. Returns false at the time limit.
static bool await_cycle(gate_tap_t *tap, uint64_t end) {
    struct timespec limit = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    atomic_store(&tap->awaited, true);
    while (sem_clockwait(&tap->signal, CLOCK_MONOTONIC, &limit) == -1) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

bool gate_tap_begin(gate_tap_t *tap, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    atomic_store(&tap->reset_requested, true);
    while (atomic_load(&tap->reset_requested)) {
        if (!await_cycle(tap, end)) {
            return false;
        }
    }
    return true;
}

bool gate_tap_await(gate_tap_t *tap, uint32_t frames, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    while (gate_tap_frames(tap) < frames) {
        if (!await_cycle(tap, end)) {
            return false;
        }
    }
    return true;
}

uint32_t gate_tap_frames(const gate_tap_t *tap) {
    uint32_t count = gate_tap_cycles(tap);
    return count == 0 ? 0 : tap->cycles[count - 1].position + tap->cycles[count - 1].nframes;
}

const float *gate_tap_samples(const gate_tap_t *tap) { return tap->samples; }

uint32_t gate_tap_cycles(const gate_tap_t *tap) { return atomic_load_explicit(&tap->ncycles, memory_order_acquire); }

gate_tap_cycle_t gate_tap_cycle(const gate_tap_t *tap, uint32_t index) { return tap->cycles[index]; }

uint64_t gate_tap_xruns(const gate_tap_t *tap) { return atomic_load(&tap->xruns); }
