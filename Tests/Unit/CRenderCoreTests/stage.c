#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rcore_config_t stage_config(void) {
    rcore_config_t config = rcore_config_default();
    config.sample_rate = STAGE_RATE;
    config.max_voices = 32;
    config.max_playing = 32;
    config.max_buses = 8;
    config.max_routes = 4;
    config.max_channels = 4;
    config.max_inputs = 2;
    config.max_queues = 4;
    config.command_capacity = 64;
    config.event_capacity = 256;
    return config;
}

rcore_plan_t *stage_plan(const sgate_page_t *gate) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t buses[] = {
        {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = gate},
        {.slot = 1, .channels = 2, .parent = 0},
        {.slot = 2, .channels = 2, .parent = 1},
    };
    for (unsigned i = 0; i < 3; i++) {
        if (rcore_plan_add_bus(plan, &buses[i]) != RCORE_OK) {
            abort();
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        const rcore_input_description_t input = {.slot = i, .channels = 1, .first_input = i, .gate = gate};
        if (rcore_plan_add_input(plan, &input) != RCORE_OK) {
            abort();
        }
    }
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .first_output = 0};
    if (rcore_plan_add_route(plan, &route) != RCORE_OK || rcore_plan_connect(plan, 0, 0, NULL) != RCORE_OK) {
        abort();
    }
    return plan;
}

stage_t stage_open(const rcore_config_t *config) {
    const rcore_config_t usual = stage_config();
    stage_t stage = {.core = rcore_create(config != NULL ? config : &usual, NULL), .gate = sgate_page_create()};
    if (stage.core == NULL || stage.gate == NULL) {
        abort();
    }
    stage.queue = rcore_queue_open(stage.core, NULL);
    stage_grant(&stage, (sgate_grant_t){.paused = false});
    if (rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW) != RCORE_OK) {
        abort();
    }
    return stage;
}

void stage_close(stage_t *stage) {
    rcore_destroy(stage->core);
    sgate_page_destroy(stage->gate);
    for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
        free(stage->out[channel]);
    }
}

static void reserve(stage_t *stage, uint64_t nframes) {
    if (stage->nframes + nframes <= stage->capacity) {
        return;
    }
    stage->capacity = (stage->nframes + nframes) * 2;
    for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
        stage->out[channel] = realloc(stage->out[channel], stage->capacity * sizeof(float));
        if (stage->out[channel] == NULL) {
            abort();
        }
    }
}

void stage_render(stage_t *stage, uint64_t nframes, uint32_t period) {
    static const uint32_t changing[] = {1, 7, 64, 8192, 13, 480, 2, 1024, 255, 257, 3, 4096, 31};
    reserve(stage, nframes);
    const uint64_t end = stage->nframes + nframes;
    while (stage->nframes < end) {
        uint64_t count = period != STAGE_CHANGING_PERIODS ? period : changing[stage->turns++ % 13];
        if (count > end - stage->nframes) {
            count = end - stage->nframes;
        }
        float *outputs[STAGE_CHANNELS];
        for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
            outputs[channel] = stage->out[channel] + stage->nframes;
            // Stale contents must not survive.
            memset(outputs[channel], 0x7F, count * sizeof(float));
        }
        rcore_process(stage->core, NULL, 0, outputs, STAGE_CHANNELS, (uint32_t)count);
        stage->nframes += count;
    }
}

uint32_t stage_grant(stage_t *stage, sgate_grant_t grant) {
    grant.serial = ++stage->serial;
    sgate_page_set_grant(stage->gate, grant);
    return grant.serial;
}

rcore_voice_t stage_start(stage_t *stage, const rcore_voice_params_t *params, uint64_t when) {
    const rcore_voice_t voice = rcore_voice_acquire(stage->core);
    if (voice == 0 || rcore_post_start(stage->queue, voice, params, when) != RCORE_OK) {
        abort();
    }
    return voice;
}

rcore_voice_t stage_play(stage_t *stage, const rcore_buffer_t *buffer, uint64_t when) {
    return stage_play_on(stage, buffer, 0, when);
}

rcore_voice_t stage_play_on(stage_t *stage, const rcore_buffer_t *buffer, uint32_t bus, uint64_t when) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = bus;
    return stage_start(stage, &params, when);
}

float ramp_sample(uint64_t frame) { return (float)(frame + 1) / 1048576.0f; }

void fill_sine(float *samples, uint32_t nframes, double hertz, double phase, double level) {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = (float)(level * sin(6.283185307179586 * hertz * i / STAGE_RATE + phase));
    }
}

/// Takes ownership of the planes.
static rcore_buffer_t *buffer_of(uint32_t channels, uint64_t nframes, float *left, float *right) {
    const float *planes[] = {left, right};
    rcore_buffer_t *buffer = rcore_buffer_create(channels, nframes, planes, NULL);
    if (buffer == NULL) {
        abort();
    }
    free(left);
    free(right);
    return buffer;
}

static float *plane_of(uint64_t nframes) {
    float *plane = calloc(nframes, sizeof(float));
    if (plane == NULL) {
        abort();
    }
    return plane;
}

rcore_buffer_t *ramp_buffer(uint64_t nframes) {
    float *left = plane_of(nframes), *right = plane_of(nframes);
    for (uint64_t frame = 0; frame < nframes; frame++) {
        left[frame] = ramp_sample(frame);
        right[frame] = -ramp_sample(frame);
    }
    return buffer_of(2, nframes, left, right);
}

rcore_buffer_t *sine_buffer(uint64_t nframes, double hertz, float level) {
    float *left = plane_of(nframes), *right = plane_of(nframes);
    for (uint64_t frame = 0; frame < nframes; frame++) {
        left[frame] = level * (float)sin(6.283185307179586 * hertz * (double)frame / STAGE_RATE);
        right[frame] = left[frame];
    }
    return buffer_of(2, nframes, left, right);
}

rcore_buffer_t *constant_buffer(uint64_t nframes, float level) {
    float *left = plane_of(nframes), *right = plane_of(nframes);
    for (uint64_t frame = 0; frame < nframes; frame++) {
        left[frame] = right[frame] = level;
    }
    return buffer_of(2, nframes, left, right);
}

rcore_buffer_t *impulse_buffer(uint32_t channels) {
    float *left = plane_of(1), *right = plane_of(1);
    left[0] = 1.0f;
    return buffer_of(channels, 1, left, right);
}

double sharpest_bend(const float *samples, uint64_t from, uint64_t to, uint64_t *at) {
    double sharpest = 0.0;
    for (uint64_t i = from > 2 ? from : 2; i < to; i++) {
        const double bend = fabs((double)samples[i] - 2.0 * (double)samples[i - 1] + (double)samples[i - 2]);
        if (!(bend <= sharpest)) {
            sharpest = bend;
            *at = i;
        }
    }
    return sharpest;
}

int64_t find_click(const float *samples, uint64_t from, uint64_t to, float limit) {
    for (uint64_t frame = from > 0 ? from : 1; frame < to; frame++) {
        if (!(fabsf(samples[frame] - samples[frame - 1]) <= limit)) {
            return (int64_t)frame;
        }
    }
    return -1;
}

float largest_step(const float *samples, uint64_t from, uint64_t to) {
    float largest = 0.0f;
    for (uint64_t frame = from + 1; frame < to; frame++) {
        largest = fmaxf(largest, fabsf(samples[frame] - samples[frame - 1]));
    }
    return largest;
}

int64_t first_other(const float *samples, uint64_t from, uint64_t to, float value) {
    for (uint64_t frame = from; frame < to; frame++) {
        if (samples[frame] != value) {
            return (int64_t)frame;
        }
    }
    return -1;
}

double decibels(double ratio) { return 20.0 * log10(ratio); }
