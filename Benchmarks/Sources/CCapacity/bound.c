#include "capacity.h"
#include "clock.h"
#include "kernel.h"

#include <string.h>

static void add(const capacity_pass_t *pass, const capacity_addition_t *addition, float *target, size_t stride,
                const struct kernel_source *source, uint32_t nframes) {
    if (pass->unity) {
        kernel_add(target, source->samples, nframes);
    } else if (pass->panned) {
        (pass->ramping ? kernel_ramp_panned : kernel_flat_panned)(target, target + stride, source, addition, nframes);
    } else {
        (pass->ramping ? kernel_ramp : kernel_flat)(target, source, addition, nframes);
    }
}

static void run(const capacity_bound_t *bound, const capacity_pass_t *pass) {
    for (uint32_t i = 0; i < pass->count; i++) {
        const capacity_addition_t *addition = &pass->additions[i];
        // No division for each of the voices: it would take as long as several frames.
        const uint32_t next = i + pass->ahead < pass->count ? i + pass->ahead : (i + pass->ahead) % pass->count;
        for (uint32_t channel = 0; channel < pass->channels; channel++) {
            struct kernel_source source = {.samples = addition->samples + channel * pass->stride,
                                           .prefetch = pass->additions[next].samples + channel * pass->stride};
            if (pass->pitched) {
                kernel_interpolate(bound->interpolated, &source, addition, bound->nframes);
                source.samples = source.prefetch = bound->interpolated;
            }
            add(pass, addition, addition->target + channel * bound->stride, bound->stride, &source, bound->nframes);
        }
    }
}

uint64_t capacity_mix(const capacity_bound_t *bound) {
    const uint64_t begun = clock_now();
    for (uint32_t i = 0; i < bound->nsums; i++) {
        memset(bound->sums + i * bound->stride, 0, bound->nframes * sizeof(float));
    }
    run(bound, &bound->voices);
    run(bound, &bound->connections);
    for (uint32_t i = 0; i < bound->noutputs; i++) {
        memcpy(bound->outputs + i * bound->stride, bound->mixed + i * bound->stride, bound->nframes * sizeof(float));
    }
    return clock_now() - begun;
}
