/// Pan: from a place between left and right to two gains, and how they move.
///
/// A moving pan is a polygon: its gains follow the law from stretch to stretch, counted from the move's end, and straight lines between.
#ifndef RCORE_PAN_H
#define RCORE_PAN_H

#include "core.h"

/// Jumps to a place. [render]
void pan_set(struct voice *voice, float pan) RCORE_RT;
/// Moves to a place in `ramp_frames`.
void pan_go(struct voice *voice, float pan, uint32_t ramp_frames) RCORE_RT;
/// Begins the next stretch of a move.
void pan_begin_stretch(struct voice *voice) RCORE_RT;

/// Frames, at most `nframes`, for which both gains are straight lines; begins the next stretch if need be.
static inline uint32_t pan_stretch(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->pan_remaining == 0) {
        if (voice->pan.remaining == 0) {
            return nframes;
        }
        pan_begin_stretch(voice);
    }
    return voice->pan_remaining < nframes ? voice->pan_remaining : nframes;
}
/// Goes on by `nframes`, at most that many.
static inline void pan_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    voice->pan_remaining -= nframes < voice->pan_remaining ? (uint16_t)nframes : voice->pan_remaining;
}

/// Whether a law applies, and to a mono source that goes to the pair.
static inline bool pan_applies(const struct voice *voice) RCORE_RT { return voice->pan_law != RCORE_PAN_NONE; }
static inline bool pan_spreads(const struct voice *voice) RCORE_RT {
    return voice->channels == 1 && voice->matrix == NULL;
}
/// One side's gain over the present stretch.
static inline struct path pan_path(const struct voice *voice, uint32_t side) RCORE_RT {
    return (struct path){voice->pan_gains[side], voice->pan_steps[side], (float)voice->pan_remaining - 1.0f};
}

#endif
