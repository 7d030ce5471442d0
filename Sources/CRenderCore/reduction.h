/// The gain of a limiter: from what each frame may have at most to a curve that is never above it, falls in a straight line or gentler before the frame that
/// needs it, and rises exponentially behind it.
#ifndef RCORE_REDUCTION_H
#define RCORE_REDUCTION_H

#include "rcore_base.h"

/// Least gains of a window that slides: only those are kept that a later one does not undercut, least first.
struct least {
    float *gains;
    uint64_t *frames;
    uint32_t mask; ///< places less one, a power of two less one
    uint32_t first;
    uint32_t count;
    uint32_t length; ///< of the window
};

struct reduction {
    struct least least;
    double release;   ///< what of the way to 1 a frame goes
    double held;      ///< the least gain, released
    uint32_t *recent; ///< the last `fall` held gains, in 1/2^31
    uint32_t fall;    ///< frames that the gain takes to fall
    uint32_t place;
    uint64_t sum; ///< of `recent`, exact: whatever went in comes out again
    uint64_t frame;
    void *memory;
    size_t bytes;
};

/// Makes it for gains that fall within `fall` frames and hold for `hold` frames to either side of the one that needs it. [control] False: memory is short.
bool reduction_init(struct reduction *reduction, uint32_t fall, uint32_t hold, double release_frames);
/// Frees its memory. [control]
void reduction_free(struct reduction *reduction);
/// By how many frames a gain is later than the frame whose most it was made of.
uint32_t reduction_delay(const struct reduction *reduction) RCORE_RT;
/// Whether the gain is 1 and stays so while nothing needs less. Frames that may have 1 need not be told to it then.
bool reduction_rests(const struct reduction *reduction) RCORE_RT;
/// Makes, where they are, gains of what frames may have at most (0…1). [render] Some 20 operations a frame; a window's frames more now and then.
void reduction_apply(struct reduction *reduction, float *gains, uint32_t nframes) RCORE_RT;

#endif
