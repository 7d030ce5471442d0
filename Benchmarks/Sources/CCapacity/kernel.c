#include "kernel.h"

// The widest instructions of the machine, chosen when the program starts.
#if defined(__x86_64__) && defined(__clang__)
#define WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define WIDEST
#endif

enum { line = 16 }; // floats in a cache line

static inline void prefetch(const float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i += line) {
        __builtin_prefetch(samples + i);
    }
}

WIDEST void bare_flat(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes) {
    const float *restrict samples = source->samples;
    const float first = source->gains[0], second = source->gains[1];
    prefetch(source->prefetch, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        left[i] += samples[i] * first;
        right[i] += samples[i] * second;
    }
}

WIDEST void bare_ramp(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes) {
    const float *restrict samples = source->samples;
    const float first = source->gains[0], second = source->gains[1];
    const float first_step = source->steps[0], second_step = source->steps[1];
    prefetch(source->prefetch, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        left[i] += samples[i] * (first + first_step * (float)(int32_t)i);
        right[i] += samples[i] * (second + second_step * (float)(int32_t)i);
    }
}

WIDEST void bare_flat_one(float *restrict target, const struct bare_source *source, uint32_t nframes) {
    const float *restrict samples = source->samples;
    const float gain = source->gains[0];
    prefetch(source->prefetch, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += samples[i] * gain;
    }
}

WIDEST void bare_ramp_one(float *restrict target, const struct bare_source *source, uint32_t nframes) {
    const float *restrict samples = source->samples;
    const float gain = source->gains[0], step = source->steps[0];
    prefetch(source->prefetch, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += samples[i] * (gain + step * (float)(int32_t)i);
    }
}

WIDEST void bare_interpolate(float *restrict target, const struct bare_source *source, uint32_t nframes) {
    const float *restrict row = source->samples - 1;
    const double place = source->place, speed = source->speed;
    prefetch(source->prefetch, (uint32_t)((double)nframes * speed) + line);
    for (uint32_t i = 0; i < nframes; i++) {
        const double here = place + speed * (double)(int32_t)i;
        const int32_t index = (int32_t)here;
        const float t = (float)(here - (double)index);
        const float a = row[index], b = row[index + 1], c = row[index + 2], d = row[index + 3];
        const float bend = 0.5f * (d - a) + 1.5f * (b - c);
        const float curve = a - 2.5f * b + 2.0f * c - 0.5f * d;
        target[i] = ((bend * t + curve) * t + 0.5f * (c - a)) * t + b;
    }
}
