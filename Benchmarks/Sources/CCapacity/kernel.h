/// The inner loops of the bound.
#ifndef CAPACITY_KERNEL_H
#define CAPACITY_KERNEL_H

#include "capacity.h"

/// One channel's samples, and those of a signal that is due soon.
struct kernel_source {
    const float *samples;
    const float *prefetch;
};

/// Add a source to one channel, with constant gains, or with ramps.
void kernel_flat(float *restrict target, const struct kernel_source *source, const capacity_addition_t *addition,
                 uint32_t nframes);
void kernel_ramp(float *restrict target, const struct kernel_source *source, const capacity_addition_t *addition,
                 uint32_t nframes);
/// Add a source to two channels, with a gain each.
void kernel_flat_panned(float *restrict left, float *restrict right, const struct kernel_source *source,
                        const capacity_addition_t *addition, uint32_t nframes);
void kernel_ramp_panned(float *restrict left, float *restrict right, const struct kernel_source *source,
                        const capacity_addition_t *addition, uint32_t nframes);
/// Adds samples at unity gain.
void kernel_add(float *restrict target, const float *restrict samples, uint32_t nframes);
/// Reads a source at its speed with the 4-point Hermite spline.
void kernel_interpolate(float *restrict target, const struct kernel_source *source, const capacity_addition_t *addition,
                        uint32_t nframes);

#endif
