/// The bound's inner loops.
#ifndef CAPACITY_KERNEL_H
#define CAPACITY_KERNEL_H

#include <stdint.h>

/// One source channel for the bare loop: where its samples are, and gains that move by a step per frame.
struct bare_source {
    const float *samples;
    const float *prefetch; ///< samples of a voice that is due soon
    uint64_t phase,
        speed; ///< pitched, in 1/2^32 of a frame: where the first one lies after `samples`, and how far on the next is
    float gains[2], steps[2];
};

/// Adds a mono source to both channels; flat, and with gains on their way.
void bare_flat(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes);
void bare_ramp(float *restrict left, float *restrict right, const struct bare_source *source, uint32_t nframes);
/// Adds one channel of a stereo source to its own channel, by `gains[0]`.
void bare_flat_one(float *restrict target, const struct bare_source *source, uint32_t nframes);
void bare_ramp_one(float *restrict target, const struct bare_source *source, uint32_t nframes);
/// Adds one channel as it is.
void bare_add(float *restrict target, const float *restrict samples, uint32_t nframes);
/// Reads a source at its speed through the 4-point Hermite spline.
void bare_interpolate(float *restrict target, const struct bare_source *source, uint32_t nframes);

#endif
