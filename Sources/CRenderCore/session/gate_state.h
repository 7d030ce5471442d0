/// State of a session bus's gate.
#ifndef RCORE_GATE_STATE_H
#define RCORE_GATE_STATE_H

#include "mix/ramp.h"

/// What a gate's page says, and whether one of the keys that lower the session is audible.
struct gate_words {
    uint64_t grant;
    uint64_t volume;
    uint64_t keyed_duck;
    uint64_t detection;
    bool keyed;
};

/// State of a session bus's gate (gate.c): the page through which the arbiter controls a session,
/// not a noise gate.
struct gate_state {
    /// What was applied last.
    struct gate_words words;
    /// Has read its first grant.
    bool attached;
    bool paused;
    bool suspended;
    /// A grant was applied and its ramps are not over.
    bool settling;
    /// The session is a key, whose samples are looked at (key.h).
    bool is_key;
    /// No ramp is running, and all events were posted.
    bool steady;
    /// 1 = audible; 0 = paused or muted.
    struct ramp open;
    struct ramp volume;
    /// Current attenuation, in 1/256 dB.
    double duck;
    /// Change per frame.
    double duck_step;
    double duck_target;
    uint32_t duck_remaining;
    /// Frames until the session's inserts and delay lines have filled again, if a plan replaced any
    /// of them while the session was suspended; otherwise 0.
    uint32_t refill_frames;
    /// Frames until `open` rises: until then, the new signal has not passed through the delay
    /// lines.
    uint32_t resume_delay;
    uint32_t resume_ramp;
};

/// Returns to the state before the first grant.
static inline void gate_reset(struct gate_state *gate) RCORE_RT {
    *gate = (struct gate_state){.attached = false};
    ramp_set(&gate->open, 1.0f);
    ramp_set(&gate->volume, 1.0f);
}

#endif
