/// The gain computer of a limiter. It converts the highest gain that each frame permits into a gain
/// curve that never exceeds it. Before a frame that permits less than 1, the curve falls linearly
/// or more gently; after that frame, it rises exponentially.
#ifndef RCORE_GAIN_COMPUTER_H
#define RCORE_GAIN_COMPUTER_H

#include "rcore_base.h"

/// The minimum of a sliding window of gains. It keeps only the gains that are below all later ones,
/// the lowest first.
struct sliding_minimum {
    float *gains;
    uint64_t *frames;
    /// Capacity - 1, where the capacity is a power of two.
    uint32_t mask;
    /// Index of the lowest gain.
    uint32_t first;
    uint32_t count;
    /// Length of the window.
    uint32_t length;
};

struct gain_computer {
    struct sliding_minimum minimum;
    /// Part of the distance to 1 by which the gain recovers in a frame.
    double release;
    /// The minimum, after release.
    double held;
    /// The last `lookahead` held gains, in 1/2^31.
    uint32_t *window;
    /// Frames in which the gain falls.
    uint32_t lookahead;
    /// Index of the oldest gain in `window`.
    uint32_t window_index;
    /// Sum of `window`. Exact, since it is an integer.
    uint64_t sum;
    /// Number of the next frame.
    uint64_t frame;
    void *memory;
    size_t bytes;
};

/// Initialises a gain computer whose gain falls within `lookahead` frames and holds for `hold`
/// frames on either side of the frame that requires it. [control] Returns false if memory cannot be
/// allocated.
bool gain_computer_init(struct gain_computer *computer, uint32_t lookahead, uint32_t hold, double release_frames);
/// Frees the memory of a gain computer. [control]
void gain_computer_free(struct gain_computer *computer);
/// Returns the delay, in frames, between the gain that a frame permits and its computed gain.
uint32_t gain_computer_delay(const struct gain_computer *computer) RCORE_RT;
/// Returns whether the gain is 1 and stays at 1 until a frame requires less. While it does, frames
/// that permit a gain of 1 need not be passed to `gain_computer_apply`.
bool gain_computer_idle(const struct gain_computer *computer) RCORE_RT;
/// Replaces the highest gains that frames permit (0…1) by the computed gains, in place. [render]
/// Cost: about 20 operations per frame, plus occasionally one for each frame of the window.
void gain_computer_apply(struct gain_computer *computer, float *gains, uint32_t nframes) RCORE_RT;

#endif
