#include "level_ear.h"

#include <errno.h>
#include <jack/jack.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct level_ear {
    jack_client_t *jack;
    jack_port_t *inputs[LEVEL_EAR_INPUTS];
    float level, tolerance;
    /// Raised by who asks, and followed by the cycle, which begins anew then.
    atomic_uint begun;
    unsigned seen;
    bool deviates; ///< the last frame did
    // Written by the cycle alone.
    _Atomic uint64_t frames, deviating, gaps;
    _Atomic double farthest;
    _Atomic uint64_t xruns;
};

static void follow(level_ear_t *ear, unsigned begun) {
    ear->seen = begun;
    ear->deviates = false;
    atomic_store(&ear->frames, 0);
    atomic_store(&ear->deviating, 0);
    atomic_store(&ear->gaps, 0);
    atomic_store(&ear->farthest, 0);
}

static int process(jack_nframes_t nframes, void *argument) {
    level_ear_t *ear = argument;
    unsigned begun = atomic_load(&ear->begun);
    if (begun == 0)
        return 0;
    if (begun != ear->seen)
        follow(ear, begun);
    const float *planes[LEVEL_EAR_INPUTS];
    for (int i = 0; i < LEVEL_EAR_INPUTS; i++)
        planes[i] = jack_port_get_buffer(ear->inputs[i], nframes);
    uint64_t deviating = 0, gaps = 0;
    double farthest = atomic_load(&ear->farthest);
    for (jack_nframes_t frame = 0; frame < nframes; frame++) {
        float distance = 0;
        for (int i = 0; i < LEVEL_EAR_INPUTS; i++)
            distance = fmaxf(distance, fabsf(planes[i][frame] - ear->level));
        bool deviates = !(distance <= ear->tolerance);
        deviating += deviates;
        gaps += deviates && !ear->deviates;
        ear->deviates = deviates;
        farthest = fmax(farthest, distance);
    }
    atomic_store(&ear->farthest, farthest);
    atomic_fetch_add(&ear->deviating, deviating);
    atomic_fetch_add(&ear->gaps, gaps);
    atomic_fetch_add(&ear->frames, nframes);
    return 0;
}

static int note_xrun(void *argument) {
    atomic_fetch_add(&((level_ear_t *)argument)->xruns, 1);
    return 0;
}

static void stay_silent(const char *text) { (void)text; }

level_ear_t *level_ear_open(const char *server, const char *name, float level, float tolerance) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    level_ear_t *ear = calloc(1, sizeof *ear);
    if (!ear)
        return NULL;
    ear->level = level;
    ear->tolerance = tolerance;
    ear->jack = jack_client_open(name, JackNoStartServer | JackServerName, NULL, server);
    bool is_whole = ear->jack && jack_set_process_callback(ear->jack, process, ear) == 0 &&
                    jack_set_xrun_callback(ear->jack, note_xrun, ear) == 0;
    for (int i = 0; is_whole && i < LEVEL_EAR_INPUTS; i++) {
        char port[16];
        snprintf(port, sizeof port, "in_%d", i + 1);
        ear->inputs[i] = jack_port_register(ear->jack, port, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        is_whole = ear->inputs[i] != NULL;
    }
    if (is_whole && jack_activate(ear->jack) == 0)
        return ear;
    level_ear_close(ear);
    return NULL;
}

void level_ear_close(level_ear_t *ear) {
    if (!ear)
        return;
    if (ear->jack)
        jack_client_close(ear->jack);
    free(ear);
}

bool level_ear_connect(level_ear_t *ear, const char *port, uint32_t input) {
    int result = jack_connect(ear->jack, port, jack_port_name(ear->inputs[input]));
    return result == 0 || result == EEXIST;
}

void level_ear_begin(level_ear_t *ear) { atomic_fetch_add(&ear->begun, 1); }

level_heard_t level_ear_heard(const level_ear_t *ear) {
    return (level_heard_t){.frames = atomic_load(&ear->frames),
                           .deviating = atomic_load(&ear->deviating),
                           .gaps = atomic_load(&ear->gaps),
                           .xruns = atomic_load(&ear->xruns),
                           .farthest = atomic_load(&ear->farthest)};
}
