/// The inner loops of a group: many voices into one pair.
#ifndef RCORE_MIX_GROUP_H
#define RCORE_MIX_GROUP_H

#include "ramp.h"

/// Most voices of one group.
enum { GROUP_MOST = 16 };

/// One voice of a group over the next frames. Its gains are straight lines as in ramp.h.
struct lane {
    const float *left; ///< the source samples of each side; one source's twice
    const float *right;
    struct sides sides;
    float sides_last;
    float gain_end;
    float gain_step;
    float gain_last;
    uint32_t moves; ///< what does not move has a step of zero
};

/// What moves: nothing, the gain, or the pan and perhaps the gain.
enum { LANE_NOTHING, LANE_GAIN, LANE_PAN };

/// Adds `count` lanes to the pair, in their order: the same bits as mix_two and mix_two_moving for one after the other. `pair`: their sources
/// have two channels each.
void mix_group(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count, bool pair,
               uint32_t nframes) RCORE_RT;

#endif
