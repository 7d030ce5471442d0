// For clock_gettime, which C17 alone does not declare.
#define _GNU_SOURCE
#include "capacity.h"

#include "kernel.h"
#include "render_core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { max_voices = 32768, ahead = 8, ramp_frames = 1 << 30 };

struct capacity_scene {
    capacity_config_t config;
    rcore_t *core;
    rcore_port_t *port;
    rcore_buffer_t **buffers; // the core's samples
    rcore_matrix_t **pans;
    float *samples; // the bound's, of the same lengths
    struct bare_voice *bare;
    uint64_t position;
    float *core_out[2];
    float *bare_out[2];
};

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// Noise between -1 and 1 that is the same every time.
static void fill(float *samples, uint64_t count, uint32_t seed) {
    uint32_t state = seed * 2654435761u + 1;
    for (uint64_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        samples[i] = (float)(int32_t)state / 2147483648.0f;
    }
}

static void pan(uint32_t voice, uint32_t voices, float gains[2]) {
    const float angle = 1.5707963f * ((float)voice + 0.5f) / (float)voices;
    gains[0] = cosf(angle);
    gains[1] = sinf(angle);
}

static bool make_sources(struct capacity_scene *scene) {
    const capacity_config_t *config = &scene->config;
    scene->buffers = calloc(config->sources, sizeof *scene->buffers);
    scene->samples = malloc((size_t)config->sources * config->source_frames * sizeof(float));
    if (scene->buffers == NULL || scene->samples == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < config->sources; i++) {
        float *plane = scene->samples + (size_t)i * config->source_frames;
        const float *planes[] = {plane};
        fill(plane, config->source_frames, i);
        scene->buffers[i] = rcore_buffer_create(1, config->source_frames, planes, NULL);
        if (scene->buffers[i] == NULL) {
            return false;
        }
    }
    return true;
}

static bool make_plan(struct capacity_scene *scene) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .first_output = 0};
    if (plan == NULL || rcore_plan_add_bus(plan, &bus) != RCORE_OK || rcore_plan_add_route(plan, &route) != RCORE_OK ||
        rcore_plan_connect(plan, 0, 0, NULL) != RCORE_OK || rcore_post_plan(scene->port, plan, RCORE_NOW) != RCORE_OK) {
        rcore_plan_destroy(plan);
        return false;
    }
    return true;
}

static bool start_voice(struct capacity_scene *scene, uint32_t index) {
    const capacity_config_t *config = &scene->config;
    float gains[2];
    pan(index, config->voices, gains);
    scene->pans[index] = rcore_matrix_create(1, 2, gains, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = scene->buffers[index % config->sources];
    params.matrix = scene->pans[index];
    params.loop_count = UINT64_MAX;
    const rcore_voice_t voice = rcore_voice_acquire(scene->core);
    const float step = config->ramping ? -1.0f / (float)ramp_frames : 0.0f;
    scene->bare[index] = (struct bare_voice){
        .left = gains[0], .right = gains[1], .left_step = gains[0] * step, .right_step = gains[1] * step};
    return scene->pans[index] != NULL && rcore_post_start(scene->port, voice, &params, RCORE_NOW) == RCORE_OK &&
           (!config->ramping || rcore_post_gain(scene->port, voice, 0.0f, ramp_frames, RCORE_NOW) == RCORE_OK);
}

static bool make_core(struct capacity_scene *scene) {
    const capacity_config_t *config = &scene->config;
    rcore_config_t sizes = rcore_config_default();
    sizes.max_voices = config->voices;
    sizes.max_playing = config->voices;
    sizes.max_ports = 1;
    sizes.command_capacity = 2 * config->voices + 2;
    scene->core = rcore_create(&sizes, NULL);
    scene->pans = calloc(config->voices, sizeof *scene->pans);
    scene->bare = calloc(config->voices, sizeof *scene->bare);
    if (scene->core == NULL || scene->pans == NULL || scene->bare == NULL) {
        return false;
    }
    scene->port = rcore_port_open(scene->core, NULL);
    if (!make_plan(scene)) {
        return false;
    }
    for (uint32_t i = 0; i < config->voices; i++) {
        if (!start_voice(scene, i)) {
            return false;
        }
    }
    rcore_process(scene->core, NULL, 0, NULL, 0, 0); // takes all commands
    return rcore_read_counters(scene->core).playing_voices == config->voices;
}

static bool make_outputs(struct capacity_scene *scene) {
    for (unsigned channel = 0; channel < 2; channel++) {
        scene->core_out[channel] = calloc(RCORE_MAX_PERIOD, sizeof(float));
        scene->bare_out[channel] = calloc(RCORE_MAX_PERIOD, sizeof(float));
        if (scene->core_out[channel] == NULL || scene->bare_out[channel] == NULL) {
            return false;
        }
    }
    return true;
}

capacity_scene_t *capacity_scene_create(capacity_config_t config) {
    if (config.voices == 0 || config.voices > max_voices || config.frames == 0 || config.frames > RCORE_MAX_PERIOD ||
        config.sources == 0 || config.sources > config.voices || config.source_frames == 0 ||
        config.source_frames % config.frames != 0) {
        return NULL;
    }
    struct capacity_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        return NULL;
    }
    scene->config = config;
    if (!make_sources(scene) || !make_core(scene) || !make_outputs(scene)) {
        capacity_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

void capacity_scene_destroy(capacity_scene_t *scene) {
    if (scene == NULL) {
        return;
    }
    rcore_destroy(scene->core);
    for (uint32_t i = 0; scene->buffers != NULL && i < scene->config.sources; i++) {
        rcore_buffer_release(scene->buffers[i]);
    }
    for (uint32_t i = 0; scene->pans != NULL && i < scene->config.voices; i++) {
        rcore_matrix_destroy(scene->pans[i]);
    }
    for (unsigned channel = 0; channel < 2; channel++) {
        free(scene->core_out[channel]);
        free(scene->bare_out[channel]);
    }
    free(scene->buffers);
    free(scene->pans);
    free(scene->samples);
    free(scene->bare);
    free(scene);
}

uint64_t capacity_time_core(capacity_scene_t *scene) {
    const uint64_t begun = now();
    rcore_process(scene->core, NULL, 0, scene->core_out, 2, scene->config.frames);
    return now() - begun;
}

static const float *bare_samples(const struct capacity_scene *scene, uint32_t voice) {
    const uint32_t source = voice % scene->config.voices % scene->config.sources;
    return scene->samples + (size_t)source * scene->config.source_frames + scene->position;
}

uint64_t capacity_time_bound(capacity_scene_t *scene) {
    const uint32_t nframes = scene->config.frames;
    const uint64_t begun = now();
    memset(scene->bare_out[0], 0, nframes * sizeof(float));
    memset(scene->bare_out[1], 0, nframes * sizeof(float));
    for (uint32_t i = 0; i < scene->config.voices; i++) {
        struct bare_voice *voice = &scene->bare[i];
        voice->samples = bare_samples(scene, i);
        voice->prefetch = bare_samples(scene, i + ahead);
        bare_mix(scene->bare_out[0], scene->bare_out[1], voice, nframes);
        voice->left += voice->left_step * (float)nframes;
        voice->right += voice->right_step * (float)nframes;
    }
    scene->position = (scene->position + nframes) % scene->config.source_frames;
    return now() - begun;
}

float capacity_difference(const capacity_scene_t *scene) {
    float largest = 0.0f;
    for (unsigned channel = 0; channel < 2; channel++) {
        for (uint32_t i = 0; i < scene->config.frames; i++) {
            largest = fmaxf(largest, fabsf(scene->core_out[channel][i] - scene->bare_out[channel][i]));
        }
    }
    return largest;
}
