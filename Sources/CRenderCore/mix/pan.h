/// Pan: converts a position between left and right into two gains, and moves them.
///
/// A moving pan is piecewise linear: its gains follow the pan law at certain points, with straight
/// lines between them. The points are counted from the end of the move. Their distance is 1/64 of
/// the move, but at least 64 and at most 512 frames. In a move from one side to the other in 64
/// segments, no gain differs from the law by more than 1e-4.
#ifndef RCORE_PAN_H
#define RCORE_PAN_H

#include "mix/mix.h"
#include "rcore_pan.h"
#include "voices/voice_state.h"

/// Sets the pan position without a ramp. [render]
void pan_set(struct voice *voice, float pan) RCORE_RT;
/// Sets constant gains for a voice without a pan law: those of its matrix if that maps one channel
/// to two, else 1 for both channels of the pair.
void pan_none(struct voice *voice) RCORE_RT;
/// Moves the pan to a position in `ramp_frames`.
void pan_to(struct voice *voice, float pan, uint32_t ramp_frames) RCORE_RT;
/// Starts the next segment of a pan ramp, if the ramp is not over.
void pan_begin_segment(struct voice *voice) RCORE_RT;
/// Advances by `nframes`, at most `pan_segment` of them. Starts the next segment where one ends.
static inline void pan_advance(struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice->pan_remaining > nframes) {
        voice->pan_remaining -= (uint16_t)nframes;
    } else if (voice->pan_remaining > 0) {
        voice->pan_remaining = 0;
        pan_begin_segment(voice);
    }
}

/// Returns whether a pan law applies, and whether the voice is a mono source that the pan spreads
/// over the channel pair.
static inline bool pan_applies(const struct voice *voice) RCORE_RT { return voice->pan_law != RCORE_PAN_NONE; }
static inline bool pan_spreads(const struct voice *voice) RCORE_RT {
    return voice->channels == 1 && voice->matrix == NULL;
}
/// Returns the number of frames, at most `nframes`, for which both gains are straight lines.
static inline uint32_t pan_segment(const struct voice *voice, uint32_t nframes) RCORE_RT {
    return voice->pan_remaining > 0 && voice->pan_remaining < nframes ? voice->pan_remaining : nframes;
}
/// Returns the gain of one side over the current segment.
static inline struct path pan_path(const struct voice *voice, uint32_t side) RCORE_RT {
    return (struct path){voice->stereo.ends[side], voice->stereo.steps[side], (float)voice->pan_remaining - 1.0f};
}

#endif
