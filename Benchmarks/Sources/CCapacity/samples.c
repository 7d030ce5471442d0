#include "layout.h"
#include "render_core.h"

#include <stdlib.h>
#include <string.h>

// Noise between -1 and 1, by SplitMix64: sources with different seeds are uncorrelated.
static void fill(float *samples, size_t count, uint64_t seed) {
    uint64_t state = seed << 32;
    for (size_t i = 0; i < count; i++) {
        uint64_t mixed = state += UINT64_C(0x9E3779B97F4A7C15);
        mixed = (mixed ^ mixed >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
        mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94D049BB133111EB);
        samples[i] = (float)(int32_t)(mixed >> 32) / 2147483648.0f;
    }
}

// Copies the loop's end before its start, and its start after its end as often as necessary:
// readers need not wrap.
static void surround(float *plane, size_t nframes, size_t tail) {
    memcpy(plane - guard_frames, plane + nframes - guard_frames, guard_frames * sizeof *plane);
    for (size_t i = 0; i < tail; i++) {
        plane[nframes + i] = plane[i];
    }
}

static bool make_source(capacity_samples_t *samples, uint32_t source) {
    const capacity_scene_t *scene = &samples->scene;
    const float *planes[max_channels];
    for (uint32_t channel = 0; channel < scene->channels; channel++) {
        float *plane = samples->planes + (source * scene->channels + channel) * samples->stride + guard_frames;
        fill(plane, scene->source_frames, source * scene->channels + channel);
        surround(plane, scene->source_frames, 2 * scene->frames + guard_frames);
        planes[channel] = plane;
    }
    samples->buffers[source] = rcore_buffer_create(scene->channels, scene->source_frames, planes, NULL);
    return samples->buffers[source] != NULL;
}

capacity_samples_t *capacity_samples_create(capacity_scene_t scene) {
    capacity_samples_t *samples = layout_samples_in_range(scene) ? calloc(1, sizeof *samples) : NULL;
    if (samples == NULL) {
        return NULL;
    }
    samples->scene = scene;
    // The stride is an odd number of cache lines; with a power of two, the planes would compete for
    // the same cache sets.
    const size_t lines = (guard_frames + scene.source_frames + 2 * scene.frames + guard_frames) / 16 + 1;
    samples->stride = 16 * (lines | 1);
    samples->planes = aligned_alloc(64, (size_t)scene.sources * scene.channels * samples->stride * sizeof(float));
    samples->buffers = calloc(scene.sources, sizeof(rcore_buffer_t *));
    bool made = samples->planes != NULL && samples->buffers != NULL;
    for (uint32_t i = 0; made && i < scene.sources; i++) {
        made = make_source(samples, i);
    }
    if (!made) {
        capacity_samples_destroy(samples);
        return NULL;
    }
    return samples;
}

void capacity_samples_destroy(capacity_samples_t *samples) {
    if (samples == NULL) {
        return;
    }
    for (uint32_t i = 0; samples->buffers != NULL && i < samples->scene.sources; i++) {
        rcore_buffer_release(samples->buffers[i]);
    }
    free(samples->buffers);
    free(samples->planes);
    free(samples);
}
