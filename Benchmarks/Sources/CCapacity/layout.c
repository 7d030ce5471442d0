// For clock_gettime, which C17 alone does not declare.
#define _GNU_SOURCE
#include "layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t layout_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool layout_samples_in_range(capacity_scene_t scene) {
    return scene.voices >= 1 && scene.voices <= max_voices && scene.idle_voices <= max_voices && scene.frames >= 1 &&
           scene.frames <= max_frames && scene.sources >= 1 && scene.sources <= scene.voices &&
           scene.source_frames >= guard_frames && scene.source_frames % scene.frames == 0 && scene.channels >= 1 &&
           scene.channels <= max_channels;
}

bool layout_in_range(capacity_scene_t scene) { return layout_samples_in_range(scene) && scene.channels <= 2; }

float layout_pan(uint32_t voice) { return ((float)(voice % pans) + 0.5f) * (2.0f / (float)pans) - 1.0f; }

float layout_speed(capacity_scene_t scene, uint32_t voice) {
    return scene.pitched ? exp2f(((float)(voice % pans) - 15.5f) / 31.0f) : 1.0f;
}

float layout_commanded_gain(uint64_t cycle) { return cycle % 2 == 0 ? 0.9f : 1.0f; }

static float gain_at(capacity_scene_t scene, uint64_t frame) {
    switch (scene.motion) {
    case CAPACITY_RAMPING:
        return 1.0f - (float)((double)frame / (double)ramp_frames);
    case CAPACITY_COMMANDED:
        return frame == 0 ? 1.0f : layout_commanded_gain(frame / scene.frames - 1);
    default:
        return 1.0f;
    }
}

void layout_gains(capacity_scene_t scene, uint32_t voice, uint64_t frame, float gains[2]) {
    const float gain = gain_at(scene, frame);
    if (scene.channels == 2) {
        gains[0] = gains[1] = gain;
        return;
    }
    const double moved = scene.motion == CAPACITY_RAMPING ? (double)frame / (double)ramp_frames : 0.0;
    const float pan = layout_pan(voice) * (float)(1.0 - 2.0 * moved);
    const float angle = 0.78539816f * (pan + 1.0f);
    gains[0] = gain * cosf(angle);
    gains[1] = gain * sinf(angle);
}

float *layout_output(uint32_t nframes) {
    const size_t bytes = ((size_t)nframes * sizeof(float) + 63) / 64 * 64;
    float *samples = aligned_alloc(64, bytes);
    if (samples != NULL) {
        memset(samples, 0, bytes);
    }
    return samples;
}

const float *layout_plane(const capacity_samples_t *samples, uint32_t voice, uint32_t channel) {
    const size_t source = voice % samples->scene.sources;
    return samples->planes + (source * samples->scene.channels + channel) * samples->stride + guard_frames;
}
