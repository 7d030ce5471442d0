// The bound: the inner loops, and a mixer made of them.
#include "capacity.h"

#include <string.h>

// Uses the machine's widest instructions, chosen when the program starts.
#if defined(__x86_64__) && defined(__clang__)
#define MULTIVERSION __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MULTIVERSION
#endif

// The floats in a cache line.
enum { line = 16 };

static inline void prefetch(const float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i += line) {
        __builtin_prefetch(samples + i);
    }
}

MULTIVERSION static void add_flat_panned(float *restrict left, float *restrict right, const float *restrict samples,
                                         const float *next, const capacity_addition_t *addition, uint32_t nframes) {
    const float first = addition->gains[0], second = addition->gains[1];
    prefetch(next, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        left[i] += samples[i] * first;
        right[i] += samples[i] * second;
    }
}

MULTIVERSION static void add_ramp_panned(float *restrict left, float *restrict right, const float *restrict samples,
                                         const float *next, const capacity_addition_t *addition, uint32_t nframes) {
    const float first = addition->gains[0], second = addition->gains[1];
    const float first_step = addition->steps[0], second_step = addition->steps[1];
    prefetch(next, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        left[i] += samples[i] * (first + first_step * (float)(int32_t)i);
        right[i] += samples[i] * (second + second_step * (float)(int32_t)i);
    }
}

MULTIVERSION static void add_flat(float *restrict target, const float *restrict samples, const float *next,
                                  const capacity_addition_t *addition, uint32_t nframes) {
    const float gain = addition->gains[0];
    prefetch(next, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += samples[i] * gain;
    }
}

MULTIVERSION static void add_unity(float *restrict target, const float *restrict samples, const float *next,
                                   const capacity_addition_t *addition, uint32_t nframes) {
    (void)next;
    (void)addition;
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += samples[i];
    }
}

MULTIVERSION static void add_ramp(float *restrict target, const float *restrict samples, const float *next,
                                  const capacity_addition_t *addition, uint32_t nframes) {
    const float gain = addition->gains[0], step = addition->steps[0];
    prefetch(next, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += samples[i] * (gain + step * (float)(int32_t)i);
    }
}

// Processes eight positions at a time: reads the four adjacent points of each, and transposes
// points into columns.
typedef float four __attribute__((vector_size(16)));
typedef float eight __attribute__((vector_size(32)));
typedef uint32_t eight_counts __attribute__((vector_size(32)));
typedef int32_t eight_integers __attribute__((vector_size(32)));

static inline __attribute__((always_inline)) four four_at(const float *row, uint64_t position) {
    four points;
    __builtin_memcpy(&points, row + (position >> 32), sizeof points);
    return points;
}

static inline __attribute__((always_inline)) float spline(const float *points, float t) {
    const float bend = 0.5f * (points[3] - points[0]) + 1.5f * (points[1] - points[2]);
    const float curve = points[0] - 2.5f * points[1] + 2.0f * points[2] - 0.5f * points[3];
    return ((bend * t + curve) * t + 0.5f * (points[2] - points[0])) * t + points[1];
}

// The points at two positions, `apart` from each other. A macro, since a function without AVX
// cannot return eight.
#define PAIR_AT(row, position, apart)                                                                                  \
    __builtin_shufflevector(four_at(row, position), four_at(row, (position) + (apart)), 0, 1, 2, 3, 4, 5, 6, 7)

MULTIVERSION static void interpolate(float *restrict target, const float *restrict samples, const float *next,
                                     const capacity_addition_t *addition, uint32_t nframes) {
    const float *row = samples - 1;
    const uint64_t speed = addition->speed;
    uint64_t position = addition->phase;
    const eight_counts steps = (eight_counts){0, 1, 2, 3, 4, 5, 6, 7} * (uint32_t)speed;
    prefetch(next, (uint32_t)(nframes * speed >> 32) + line);
    uint32_t i = 0;
    for (; i + 8 <= nframes; i += 8, position += 8 * speed) {
        const eight p = PAIR_AT(row, position, 4 * speed), q = PAIR_AT(row, position + speed, 4 * speed);
        const eight r = PAIR_AT(row, position + 2 * speed, 4 * speed);
        const eight s = PAIR_AT(row, position + 3 * speed, 4 * speed);
        const eight pq = __builtin_shufflevector(p, q, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight rs = __builtin_shufflevector(r, s, 0, 8, 1, 9, 4, 12, 5, 13);
        const eight pq2 = __builtin_shufflevector(p, q, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight rs2 = __builtin_shufflevector(r, s, 2, 10, 3, 11, 6, 14, 7, 15);
        const eight a = __builtin_shufflevector(pq, rs, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight b = __builtin_shufflevector(pq, rs, 2, 3, 10, 11, 6, 7, 14, 15);
        const eight c = __builtin_shufflevector(pq2, rs2, 0, 1, 8, 9, 4, 5, 12, 13);
        const eight d = __builtin_shufflevector(pq2, rs2, 2, 3, 10, 11, 6, 7, 14, 15);
        const eight_counts low = (uint32_t)position + steps;
        const eight t = __builtin_convertvector((eight_integers)(low >> 8), eight) * 0x1p-24f;
        const eight bend = 0.5f * (d - a) + 1.5f * (b - c);
        const eight curve = a - 2.5f * b + 2.0f * c - 0.5f * d;
        const eight mixed = ((bend * t + curve) * t + 0.5f * (c - a)) * t + b;
        __builtin_memcpy(target + i, &mixed, sizeof mixed);
    }
    for (; i < nframes; i++, position += speed) {
        target[i] = spline(row + (position >> 32), (float)(int32_t)((uint32_t)position >> 8) * 0x1p-24f);
    }
}

// ---- The mixer ----------------------------------------------------------------------------------

// Two loops, since the choices for each voice would take as long as several frames.
static void run_panned(const capacity_bound_t *bound, const capacity_pass_t *pass) {
    const bool pitched = pass->pitched;
    const uint32_t nframes = bound->nframes;
    void (*const add)(float *restrict, float *restrict, const float *restrict, const float *,
                      const capacity_addition_t *, uint32_t) = pass->ramping ? add_ramp_panned : add_flat_panned;
    const capacity_addition_t *const end = pass->additions + pass->count;
    for (const capacity_addition_t *addition = pass->additions; addition < end; addition++) {
        const float *samples = addition->samples, *next = addition[capacity_ahead].samples;
        if (pitched) {
            interpolate(bound->interpolated, samples, next, addition, nframes);
            samples = next = bound->interpolated;
        }
        add(addition->target, addition->target + bound->stride, samples, next, addition, nframes);
    }
}

static void run_channels(const capacity_bound_t *bound, const capacity_pass_t *pass) {
    const bool pitched = pass->pitched;
    const uint32_t nframes = bound->nframes;
    void (*const add)(float *restrict, const float *restrict, const float *, const capacity_addition_t *, uint32_t) =
        pass->unity     ? add_unity
        : pass->ramping ? add_ramp
                        : add_flat;
    const capacity_addition_t *const end = pass->additions + pass->count;
    for (const capacity_addition_t *addition = pass->additions; addition < end; addition++) {
        for (uint32_t channel = 0; channel < pass->channels; channel++) {
            const float *samples = addition->samples + channel * pass->stride;
            const float *next = addition[capacity_ahead].samples + channel * pass->stride;
            if (pitched) {
                interpolate(bound->interpolated, samples, next, addition, nframes);
                samples = next = bound->interpolated;
            }
            add(addition->target + channel * bound->stride, samples, next, addition, nframes);
        }
    }
}

static void run(const capacity_bound_t *bound, const capacity_pass_t *pass) {
    (pass->panned ? run_panned : run_channels)(bound, pass);
}

uint64_t capacity_mix(const capacity_bound_t *bound) {
    const uint64_t begun = capacity_now();
    for (uint32_t i = 0; i < bound->nsums; i++) {
        memset(bound->sums + i * bound->stride, 0, bound->nframes * sizeof(float));
    }
    run(bound, &bound->voices);
    run(bound, &bound->connections);
    for (uint32_t i = 0; i < bound->noutputs; i++) {
        memcpy(bound->outputs + i * bound->stride, bound->mixed + i * bound->stride, bound->nframes * sizeof(float));
    }
    return capacity_now() - begun;
}
