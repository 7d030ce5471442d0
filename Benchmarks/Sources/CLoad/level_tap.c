#include "level_tap.h"

#include <errno.h>
#include <jack/jack.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct level_tap {
    jack_client_t *jack;
    jack_port_t *inputs[LEVEL_TAP_INPUTS];
    float level, tolerance;
    /// Incremented by the caller. The cycle notices the change and starts again.
    atomic_uint begun;
    unsigned seen;
    /// Whether the last frame deviated.
    bool deviates;
    // Written by the cycle only.
    _Atomic uint64_t frames, deviating, gaps;
    _Atomic double farthest;
    _Atomic uint64_t xruns;
};

static void follow(level_tap_t *tap, unsigned begun) {
    tap->seen = begun;
    tap->deviates = false;
    atomic_store(&tap->frames, 0);
    atomic_store(&tap->deviating, 0);
    atomic_store(&tap->gaps, 0);
    atomic_store(&tap->farthest, 0);
}

static int process(jack_nframes_t nframes, void *argument) {
    level_tap_t *tap = argument;
    unsigned begun = atomic_load(&tap->begun);
    if (begun == 0) {
        return 0;
    }
    if (begun != tap->seen) {
        follow(tap, begun);
    }
    const float *planes[LEVEL_TAP_INPUTS];
    for (int i = 0; i < LEVEL_TAP_INPUTS; i++) {
        planes[i] = jack_port_get_buffer(tap->inputs[i], nframes);
    }
    uint64_t deviating = 0, gaps = 0;
    double farthest = atomic_load(&tap->farthest);
    for (jack_nframes_t frame = 0; frame < nframes; frame++) {
        float distance = 0;
        for (int i = 0; i < LEVEL_TAP_INPUTS; i++) {
            distance = fmaxf(distance, fabsf(planes[i][frame] - tap->level));
        }
        bool deviates = !(distance <= tap->tolerance);
        deviating += deviates;
        gaps += deviates && !tap->deviates;
        tap->deviates = deviates;
        farthest = fmax(farthest, distance);
    }
    atomic_store(&tap->farthest, farthest);
    atomic_fetch_add(&tap->deviating, deviating);
    atomic_fetch_add(&tap->gaps, gaps);
    atomic_fetch_add(&tap->frames, nframes);
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((level_tap_t *)argument)->xruns, 1);
    return 0;
}

static void stay_silent(const char *text) { (void)text; }

level_tap_t *level_tap_open(const char *server, const char *name, float level, float tolerance) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    level_tap_t *tap = calloc(1, sizeof *tap);
    if (tap == NULL) {
        return NULL;
    }
    tap->level = level;
    tap->tolerance = tolerance;
    tap->jack = jack_client_open(name, JackNoStartServer | JackServerName, NULL, server);
    bool is_whole = tap->jack != NULL && jack_set_process_callback(tap->jack, process, tap) == 0 &&
                    jack_set_xrun_callback(tap->jack, note_xrun, tap) == 0;
    for (int i = 0; is_whole && i < LEVEL_TAP_INPUTS; i++) {
        char port[16];
        snprintf(port, sizeof port, "in_%d", i + 1);
        tap->inputs[i] = jack_port_register(tap->jack, port, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        is_whole = tap->inputs[i] != NULL;
    }
    if (is_whole && jack_activate(tap->jack) == 0) {
        return tap;
    }
    level_tap_close(tap);
    return NULL;
}

void level_tap_close(level_tap_t *tap) {
    if (tap == NULL) {
        return;
    }
    if (tap->jack != NULL) {
        jack_client_close(tap->jack);
    }
    free(tap);
}

bool level_tap_connect(level_tap_t *tap, const char *port, uint32_t input) {
    int result = jack_connect(tap->jack, port, jack_port_name(tap->inputs[input]));
    return result == 0 || result == EEXIST;
}

void level_tap_begin(level_tap_t *tap) { atomic_fetch_add(&tap->begun, 1); }

level_heard_t level_tap_heard(const level_tap_t *tap) {
    return (level_heard_t){.frames = atomic_load(&tap->frames),
                           .deviating = atomic_load(&tap->deviating),
                           .gaps = atomic_load(&tap->gaps),
                           .xruns = atomic_load(&tap->xruns),
                           .farthest = atomic_load(&tap->farthest)};
}
