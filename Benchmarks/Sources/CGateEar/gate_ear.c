#define _GNU_SOURCE
#include "gate_ear.h"

#include <errno.h>
#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CYCLES = 1 << 14 };

struct gate_ear {
    jack_client_t *jack;
    jack_port_t *input;
    double sample_rate;
    uint32_t capacity;
    _Atomic bool anew;        ///< asked for; the cycle answers
    _Atomic uint32_t ncycles; ///< published after the samples
    _Atomic uint64_t xruns;
    _Atomic bool awaited;
    sem_t news;
    uint32_t nframes; ///< the cycle's alone
    gate_ear_cycle_t cycles[MAX_CYCLES];
    float samples[];
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void record(gate_ear_t *ear, jack_nframes_t nframes) {
    gate_ear_cycle_t cycle = {.heard_ns = now(), .nframes = nframes, .place = ear->nframes};
    // Whole frames, rounded down: one more is not too late a beginning.
    double since = (double)jack_frames_since_cycle_start(ear->jack) + 1;
    cycle.begun_ns = cycle.heard_ns - (uint64_t)(since * 1e9 / ear->sample_rate);
    cycle.frame = jack_last_frame_time(ear->jack);
    memcpy(ear->samples + ear->nframes, jack_port_get_buffer(ear->input, nframes), nframes * sizeof(float));
    uint32_t count = atomic_load_explicit(&ear->ncycles, memory_order_relaxed);
    ear->cycles[count] = cycle;
    ear->nframes += nframes;
    atomic_store_explicit(&ear->ncycles, count + 1, memory_order_release);
}

static int process(jack_nframes_t nframes, void *argument) {
    gate_ear_t *ear = argument;
    if (atomic_load(&ear->anew)) {
        ear->nframes = 0;
        atomic_store(&ear->ncycles, 0);
        atomic_store(&ear->anew, false);
    }
    if (atomic_load_explicit(&ear->ncycles, memory_order_relaxed) < MAX_CYCLES &&
        nframes <= ear->capacity - ear->nframes)
        record(ear, nframes);
    if (atomic_exchange(&ear->awaited, false))
        sem_post(&ear->news);
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((gate_ear_t *)argument)->xruns, 1);
    return 0;
}

static void stay_silent(const char *text) { (void)text; }

gate_ear_t *gate_ear_open(const char *server, const char *name, uint32_t capacity) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    gate_ear_t *ear = calloc(1, sizeof *ear + capacity * sizeof(float));
    if (!ear)
        return NULL;
    ear->capacity = capacity;
    sem_init(&ear->news, 0, 0);
    jack_status_t status = 0;
    ear->jack = jack_client_open(name, JackNoStartServer | JackServerName, &status, server);
    if (ear->jack) {
        ear->sample_rate = jack_get_sample_rate(ear->jack);
        jack_set_process_callback(ear->jack, process, ear);
        jack_set_xrun_callback(ear->jack, note_xrun, ear);
        ear->input = jack_port_register(ear->jack, "in_1", JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        if (ear->input && jack_activate(ear->jack) == 0)
            return ear;
    }
    gate_ear_close(ear);
    return NULL;
}

bool gate_ear_connect(gate_ear_t *ear, const char *port) {
    int result = jack_connect(ear->jack, port, jack_port_name(ear->input));
    return result == 0 || result == EEXIST;
}

void gate_ear_close(gate_ear_t *ear) {
    if (!ear)
        return;
    if (ear->jack)
        jack_client_close(ear->jack);
    sem_destroy(&ear->news);
    free(ear);
}

/// Waits for a cycle; false when the time is over.
static bool await_cycle(gate_ear_t *ear, uint64_t end) {
    struct timespec limit = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)};
    atomic_store(&ear->awaited, true);
    while (sem_clockwait(&ear->news, CLOCK_MONOTONIC, &limit) == -1)
        if (errno != EINTR)
            return false;
    return true;
}

bool gate_ear_begin(gate_ear_t *ear, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    atomic_store(&ear->anew, true);
    while (atomic_load(&ear->anew))
        if (!await_cycle(ear, end))
            return false;
    return true;
}

bool gate_ear_await(gate_ear_t *ear, uint32_t frames, uint32_t milliseconds) {
    uint64_t end = now() + milliseconds * (uint64_t)1000000;
    while (gate_ear_frames(ear) < frames)
        if (!await_cycle(ear, end))
            return false;
    return true;
}

uint32_t gate_ear_frames(const gate_ear_t *ear) {
    uint32_t count = gate_ear_cycles(ear);
    return count == 0 ? 0 : ear->cycles[count - 1].place + ear->cycles[count - 1].nframes;
}

const float *gate_ear_samples(const gate_ear_t *ear) { return ear->samples; }

uint32_t gate_ear_cycles(const gate_ear_t *ear) { return atomic_load_explicit(&ear->ncycles, memory_order_acquire); }

gate_ear_cycle_t gate_ear_cycle(const gate_ear_t *ear, uint32_t index) { return ear->cycles[index]; }

uint64_t gate_ear_xruns(const gate_ear_t *ear) { return atomic_load(&ear->xruns); }
