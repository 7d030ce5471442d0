/// The inner loops of a group: many voices into one pair.
#ifndef RCORE_MIX_GROUP_H
#define RCORE_MIX_GROUP_H

#include "rcore_base.h"

/// Most voices of one group.
enum { GROUP_MOST = 16 };

/// One voice of a group over the next frames. Its gains are those of a ramp (ramp.h) but for the sign of the steps: at frame i,
/// `end + back * (last - i)`.
struct lane {
    const float *left; ///< the source samples of each side; one source's twice
    const float *right;
    float gain_end;
    float gain_back;
    float gain_last;
    float pan_ends[2];
    float pan_backs[2];
    float pan_last;
    uint32_t moves; ///< what does not move has a step of zero
};

/// What moves: nothing, the gain, or the pan and perhaps the gain.
enum { LANE_NOTHING, LANE_GAIN, LANE_PAN };

/// Adds `count` lanes to the pair, in their order: the same bits as mix_two and mix_two_moving for one after the other. `pair`: their sources
/// have two channels each.
void mix_group(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count, bool pair,
               uint32_t nframes) RCORE_RT;

#endif
