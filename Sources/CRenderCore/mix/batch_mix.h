/// The inner loops of a batch: mix many voices into one pair of channels.
#ifndef RCORE_BATCH_MIX_H
#define RCORE_BATCH_MIX_H

#include "mix/ramp.h"

/// Highest number of voices in a batch.
enum { BATCH_MAX = 16 };

/// One voice of a batch over the next frames. Its gains are linear, as in ramp.h.
struct batch_member {
    /// Source samples of the left side. For a mono source, both sides have the same samples.
    const float *left;
    /// Source samples of the right side.
    const float *right;
    /// MOVES_….
    uint32_t moves;
    /// Gains of both sides. If nothing moves, they include the voice's gain, and the members below
    /// are not set.
    struct stereo_gains stereo;
    float stereo_last;
    float gain_end;
    /// 0 while only the pan moves.
    float gain_step;
    float gain_last;
};

/// What moves: nothing, the gain, or the pan and possibly the gain.
enum { MOVES_NOTHING, MOVES_GAIN, MOVES_PAN };

/// Adds `count` members to the pair, in their order. The result has the same bits as mix_two and
/// mix_two_moving for one member after the other. `pair`: each source has two channels.
void mix_batch(float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
               bool pair, uint32_t nframes) RCORE_RT;

#endif
