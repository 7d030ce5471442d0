#include "kernel.h"
#include "layout.h"

#include <stdlib.h>
#include <string.h>

// The number of voices whose samples are prefetched.
enum { ahead = 8 };

struct capacity_bound {
    capacity_scene_t scene;
    const capacity_samples_t *samples;
    uint64_t cycle;
    /// Pitched: the playhead of each voice, in 1/2^32 of a frame.
    uint64_t *places;
    /// One for each voice and channel.
    struct bare_source *sources;
    float *interpolated;
    float *output[2], *expected[2];
};

static bool allocate(struct capacity_bound *bound) {
    const uint32_t nframes = bound->scene.frames;
    bound->sources = calloc((size_t)bound->scene.voices * bound->scene.channels, sizeof *bound->sources);
    bound->places = calloc(bound->scene.voices, sizeof *bound->places);
    bound->interpolated = layout_output(nframes);
    bool made = bound->sources != NULL && bound->places != NULL && bound->interpolated != NULL;
    for (unsigned channel = 0; channel < 2; channel++) {
        bound->output[channel] = layout_output(nframes);
        bound->expected[channel] = layout_output(nframes);
        made = made && bound->output[channel] != NULL && bound->expected[channel] != NULL;
    }
    return made;
}

capacity_bound_t *capacity_bound_create(capacity_scene_t scene, const capacity_samples_t *samples) {
    struct capacity_bound *bound = layout_in_range(scene) ? calloc(1, sizeof *bound) : NULL;
    if (bound == NULL) {
        return NULL;
    }
    bound->scene = scene;
    bound->samples = samples;
    if (!allocate(bound)) {
        capacity_bound_destroy(bound);
        return NULL;
    }
    return bound;
}

void capacity_bound_destroy(capacity_bound_t *bound) {
    if (bound == NULL) {
        return;
    }
    for (unsigned channel = 0; channel < 2; channel++) {
        free(bound->output[channel]);
        free(bound->expected[channel]);
    }
    free(bound->sources);
    free(bound->places);
    free(bound->interpolated);
    free(bound);
}

// ---- A cycle ------------------------------------------------------------------------------------

static uint64_t position(const struct capacity_bound *bound) {
    return bound->cycle * bound->scene.frames % bound->scene.source_frames;
}

static const float *first_sample(const struct capacity_bound *bound, uint32_t voice, uint32_t channel) {
    const float *plane = layout_plane(bound->samples, voice, channel);
    return plane + (bound->scene.pitched ? bound->places[voice] >> 32 : position(bound));
}

static uint64_t speed(capacity_scene_t scene, uint32_t voice) {
    return (uint64_t)((double)layout_speed(scene, voice) * 4294967296.0);
}

// Not timed: sets up a cycle.
static void prepare(struct capacity_bound *bound) {
    const capacity_scene_t scene = bound->scene;
    const uint64_t frame = bound->cycle * scene.frames;
    for (uint32_t voice = 0; voice < scene.voices; voice++) {
        float from[2], to[2];
        layout_gains(scene, voice, frame, from);
        layout_gains(scene, voice, frame + scene.frames, to);
        for (uint32_t channel = 0; channel < scene.channels; channel++) {
            struct bare_source *source = &bound->sources[voice * scene.channels + channel];
            source->samples = first_sample(bound, voice, channel);
            source->prefetch = first_sample(bound, (voice + ahead) % scene.voices, channel);
            source->phase = (uint32_t)bound->places[voice];
            source->speed = speed(scene, voice);
            for (unsigned output = 0; output < 2; output++) {
                // A ramp reaches its target with its last frame, so the first frame is already one
                // step ahead.
                source->steps[output] = (to[output] - from[output]) / (float)scene.frames;
                source->gains[output] = from[output] + source->steps[output];
            }
        }
    }
}

static void leave(struct capacity_bound *bound) {
    const capacity_scene_t scene = bound->scene;
    const uint64_t length = (uint64_t)scene.source_frames << 32;
    for (uint32_t voice = 0; scene.pitched && voice < scene.voices; voice++) {
        bound->places[voice] = (bound->places[voice] + scene.frames * speed(scene, voice)) % length;
    }
    bound->cycle++;
}

static void mix(struct capacity_bound *bound, struct bare_source *source, uint32_t channel) {
    const uint32_t nframes = bound->scene.frames;
    if (bound->scene.pitched) {
        bare_interpolate(bound->interpolated, source, nframes);
        source->samples = source->prefetch = bound->interpolated;
    }
    const bool flat = bound->scene.motion == CAPACITY_FLAT;
    if (bound->scene.channels == 2) {
        (flat ? bare_flat_one : bare_ramp_one)(bound->output[channel], source, nframes);
    } else {
        (flat ? bare_flat : bare_ramp)(bound->output[0], bound->output[1], source, nframes);
    }
}

uint64_t capacity_bound_cycle(capacity_bound_t *bound) {
    prepare(bound);
    const uint32_t channels = bound->scene.channels;
    const uint64_t begun = layout_now();
    memset(bound->output[0], 0, bound->scene.frames * sizeof(float));
    memset(bound->output[1], 0, bound->scene.frames * sizeof(float));
    for (uint32_t i = 0; i < bound->scene.voices * channels; i++) {
        mix(bound, &bound->sources[i], channels == 2 ? i % 2 : 0);
    }
    const uint64_t taken = layout_now() - begun;
    leave(bound);
    return taken;
}

// ---- Output -------------------------------------------------------------------------------------

const float *capacity_bound_output(const capacity_bound_t *bound, uint32_t channel) { return bound->output[channel]; }

const float *capacity_bound_expect(capacity_bound_t *bound, const float *const gains[2], uint32_t channel) {
    float *expected = bound->expected[channel];
    memset(expected, 0, bound->scene.frames * sizeof(float));
    bound->cycle--;
    for (uint32_t voice = 0; voice < bound->scene.voices; voice++) {
        const float *samples = first_sample(bound, voice, bound->scene.channels == 2 ? channel : 0);
        const float gain = bound->scene.channels == 2 ? 1.0f : gains[channel][voice % pans];
        for (uint32_t i = 0; i < bound->scene.frames; i++) {
            expected[i] += samples[i] * gain;
        }
    }
    bound->cycle++;
    return expected;
}
