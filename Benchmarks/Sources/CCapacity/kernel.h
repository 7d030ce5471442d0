/// The inner loops of the bound.
#ifndef CAPACITY_KERNEL_H
#define CAPACITY_KERNEL_H

#include <stdint.h>

/// One source channel for the bare loop: its samples, and gains that change by a step per frame.
struct bare_source {
    const float *samples;
    /// Samples of a voice that is due soon.
    const float *prefetch;
    /// When pitched, in 1/2^32 of a frame: the position of the first point after `samples`, and the
    /// distance to the next.
    uint64_t phase, speed;
    float gains[2], steps[2];
};

/// Add a mono source to both channels: with constant gains, and with ramps.
void bare_flat(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes);
void bare_ramp(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes);
/// Add one channel of a stereo source to its own channel, with `gains[0]`.
void bare_flat_one(float *restrict target, const struct bare_source *source, uint32_t nframes);
void bare_ramp_one(float *restrict target, const struct bare_source *source, uint32_t nframes);
/// Adds one channel at unity gain.
void bare_add(float *restrict target, const float *restrict samples, uint32_t nframes);
/// Reads a source at its speed with the 4-point Hermite spline.
void bare_interpolate(float *restrict target, const struct bare_source *source, uint32_t nframes);

#endif
