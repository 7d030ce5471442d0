/// The bound's inner loop.
#ifndef CAPACITY_KERNEL_H
#define CAPACITY_KERNEL_H

#include <stdint.h>

/// One voice for the bare loop: where its samples are, and gains that may move by a step per frame.
struct bare_voice {
    const float *samples;
    const float *prefetch; ///< samples of a voice that is due soon
    float left, right, left_step, right_step;
};

/// Adds one voice to a stereo pair.
void bare_mix(float *restrict left, float *restrict right, const struct bare_voice *voice, uint32_t nframes);

#endif
