/// Envelopes: a level that rises, falls to a sustain level, and after the release falls to 0. All
/// functions [render].
///
/// The level is always on a straight line. A linear stage is one line, unless it is very long; an
/// exponential one consists of short lines between points of the curve. A line goes on over the
/// ends of blocks, so the bits do not depend on how periods are divided.
#ifndef RCORE_ENVELOPE_H
#define RCORE_ENVELOPE_H

#include "mix/ramp.h"

/// The stages, in their order. ENVELOPE_SUSTAIN and ENVELOPE_ENDED are constant and have no length.
enum envelope_stage {
    ENVELOPE_DELAY,
    ENVELOPE_ATTACK,
    ENVELOPE_HOLD,
    ENVELOPE_DECAY,
    ENVELOPE_SUSTAIN,
    ENVELOPE_RELEASE,
    ENVELOPE_ENDED,
    ENVELOPE_STAGES,
};

struct envelope {
    /// The current line, 0…1.
    struct ramp level;
    /// Lengths of the stages, in frames. An empty stage sets its level at once.
    uint32_t lengths[ENVELOPE_STAGES];
    /// 0…1.
    float sustain;
    /// Decay and release are exponential.
    bool is_exponential;
    uint8_t stage;
    /// Frames of the stage that follow the current line.
    uint32_t left;
};

/// Starts an envelope, whose lengths, sustain level and curve are set.
void envelope_start(struct envelope *envelope) RCORE_RT;
/// Begins the release from the current level, in `nframes`; does nothing if it has begun.
void envelope_release(struct envelope *envelope, uint32_t nframes) RCORE_RT;
/// Begins the release again from the current level, with this length, if what is left of the stage
/// takes longer. The level is then nowhere above that of the longer release.
void envelope_shorten(struct envelope *envelope, uint32_t nframes) RCORE_RT;
/// Returns the number of frames for which the level is one straight line; UINT32_MAX: it is
/// constant from now on, until the release if that has not begun.
static inline uint32_t envelope_line(const struct envelope *envelope) RCORE_RT {
    const bool is_constant = envelope->stage == ENVELOPE_SUSTAIN || envelope->stage == ENVELOPE_ENDED;
    return is_constant ? UINT32_MAX : envelope->level.remaining;
}
/// Advances by `nframes`, at most `envelope_line`.
void envelope_advance(struct envelope *envelope, uint32_t nframes) RCORE_RT;

#endif
