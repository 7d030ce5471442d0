/// Pan: from a place between left and right to two gains, and how they move.
///
/// A moving pan is a polygon: its gains follow the law at 64 places of the move or more, 64…512 frames apart and counted from the move's end,
/// and a straight line between. From one side to the other in 64 stretches, no gain is more than 1e-4 off the law.
#ifndef RCORE_PAN_H
#define RCORE_PAN_H

#include "core.h"

/// Jumps to a place. [render]
void pan_set(struct voice *voice, float pan) RCORE_RT;
/// No law applies: the way to the pair has constant gains, those of a matrix if it has one for a pair.
void pan_none(struct voice *voice) RCORE_RT;
/// Moves to a place in `ramp_frames`.
void pan_go(struct voice *voice, float pan, uint32_t ramp_frames) RCORE_RT;
/// Begins the next stretch of a move, if it is not over.
void pan_begin_stretch(struct voice *voice) RCORE_RT;
/// Goes on by `nframes`, at most `pan_stretch` of them; where a stretch ends, the next one begins.
static inline void pan_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->pan_remaining > nframes) {
        voice->pan_remaining -= (uint16_t)nframes;
    } else if (voice->pan_remaining > 0) {
        voice->pan_remaining = 0;
        pan_begin_stretch(voice);
    }
}

/// Whether a law applies, and to a mono source that goes to the pair.
static inline bool pan_applies(const struct voice *voice) RCORE_RT { return voice->pan_law != RCORE_PAN_NONE; }
static inline bool pan_spreads(const struct voice *voice) RCORE_RT {
    return voice->channels == 1 && voice->matrix == NULL;
}
/// Frames, at most `nframes`, for which both gains are straight lines.
static inline uint32_t pan_stretch(const struct voice *voice, uint32_t nframes) RCORE_RT {
    return voice->pan_remaining > 0 && voice->pan_remaining < nframes ? voice->pan_remaining : nframes;
}
/// One side's gain over the present stretch.
static inline struct path pan_path(const struct voice *voice, uint32_t side) RCORE_RT {
    return (struct path){voice->sides.ends[side], voice->sides.steps[side], (float)voice->pan_remaining - 1.0f};
}

#endif
