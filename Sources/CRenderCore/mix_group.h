/// The inner loop of a group: many voices into one pair, in one pass over it.
#ifndef RCORE_MIX_GROUP_H
#define RCORE_MIX_GROUP_H

#include "rcore_base.h"

/// One voice of a group over the next frames. Gains are counted back from their end, as in ramp.h: `end - step * (last - i)` at frame i.
struct lane {
    const float *samples[2]; ///< of the left and the right; one source's twice
    float gain_end;
    float gain_step;
    float gain_last;
    float pan_ends[2];
    float pan_steps[2];
    float pan_last;
};

/// What moves in any of the lanes.
enum { MOVES_GAIN = 1, MOVES_PAN = 2 };

/// Adds `count` lanes to the pair, in their order: the same bits as mix_two for one after the other.
void mix_group(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count, unsigned moves,
               uint32_t nframes) RCORE_RT;

#endif
