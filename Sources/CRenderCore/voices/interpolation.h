/// The inner loops of varispeed: interpolate source samples with a 4-point, third-order Hermite
/// spline (Catmull-Rom). A value between the frames 0 and 1 is computed from the frames -1…2.
#ifndef RCORE_INTERPOLATION_H
#define RCORE_INTERPOLATION_H

#include "rcore_base.h"

/// Returns how far a position, in 1/2^32 of a frame, lies beyond its frame (0…1).
static inline __attribute__((always_inline)) float interpolation_fraction(uint64_t position) RCORE_RT {
    return (float)(int32_t)((uint32_t)position >> 8) * 0x1p-24f;
}

/// Interpolates at given positions: between the source frames `frames[i]` and `frames[i]` + 1, at
/// `fractions[i]`. `row`: the source samples from frame -1 on.
void interpolate(float *restrict target, const float *restrict row, const int32_t *restrict frames,
                 const float *restrict fractions, uint32_t nframes) RCORE_RT;
/// Interpolates at positions that begin at `position` and are `speed` apart, both in 1/2^32 of a
/// source frame. The result has the same bits as that of `interpolate`.
void interpolate_evenly(float *restrict target, const float *restrict row, uint64_t position, uint64_t speed,
                        uint32_t nframes) RCORE_RT;

#endif
