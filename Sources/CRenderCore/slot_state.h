/// State of the slots of buses, sends and inputs. It outlasts plans.
#ifndef RCORE_SLOT_STATE_H
#define RCORE_SLOT_STATE_H

#include "ramp.h"
#include "render_core.h"

#include <assert.h>
#include <stdalign.h>
#include <stddef.h>

/// State of a session bus's gate (gate.c): the page through which the arbiter controls a session,
/// not a noise gate. The fields that every cycle reads come first.
struct gate_state {
    uint64_t grant_word;
    uint64_t volume_word;
    /// Has read its first grant.
    bool attached;
    bool paused;
    bool suspended;
    /// A grant was applied and its ramps are not over.
    bool settling;
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

/// For a slot that the current plan does not have: whether the plan that waits for the end of a
/// crossfade has it, or (briefly, while a newer plan replaces the waiting one) the replaced plan
/// had it.
enum { EXPECTED_NOT, EXPECTED, EXPECTED_BEFORE };

/// State of a bus slot. It outlasts plans. Its fields are in the order of how often a cycle reads
/// them: for a bus without a running ramp, the first cache line suffices.
struct bus_state {
    alignas(64) struct ramp gain;
    /// -1…1.
    struct ramp pan;
    /// 1 = neither muted nor silenced by the solo of other buses (solo.c).
    struct ramp audible;
    /// The same, for the direct input: the voices that play on the bus.
    struct ramp direct;
    /// 0 while no plan has the slot; while plans crossfade, the greater of their counts.
    uint32_t channels;
    /// A signal was added to the bus in this block. Until then, the contents of its samples are
    /// undefined (bus_open).
    bool has_signal;
    /// Its gate, or that of a bus it is routed to, is suspended. While plans crossfade: in every
    /// active plan that has the bus.
    bool suspended;
    /// The same, in the outgoing plan.
    bool suspended_outgoing;
    bool muted;
    bool soloed;
    /// A bus that feeds it, through parents, is soloed or solo-safe (solo.c).
    bool passes_solo;
    /// It, or one of its ancestors, is soloed.
    bool in_solo;
    /// For a root: a bus under it is soloed.
    bool root_has_solo;

    struct gate_state gate;
    /// Index in one of two plans while they are compared (crossfade.c, gate.c).
    uint32_t index;
    /// Published gain, as the bits of a float.
    _Atomic(uint32_t) gate_gain;
    /// It has a tail, or a sounding voice or bus feeds it, as of the last `buses_mark_sounding`.
    bool sounding;
    /// It is new in the plan that is just becoming the current one.
    bool fresh;
    /// It joined during the crossfade: the outgoing plan does not have it.
    bool joined;
    /// The current plan has it.
    bool in_plan;
    /// A plan that waits has it, so it keeps the state that commands set meanwhile (EXPECTED_…).
    uint8_t expected;
    /// The current plan has it, with a gate.
    bool gated;
    /// How often the slot was reset; curves from before a reset no longer apply.
    uint32_t resets;
};
static_assert(offsetof(struct bus_state, gate) == 64, "a cache line");

/// State of a send slot. It outlasts plans.
struct send_state {
    struct ramp level;
    /// Serial of the newest plan that has it.
    uint64_t serial;
    /// Slot of its source bus in that plan.
    uint32_t source;
    /// As for a bus.
    uint32_t resets;
    /// As for a bus.
    uint8_t expected;
};

/// State of an input slot (inputs.c). It outlasts plans.
struct input_state {
    struct ramp gain;
    /// 1 = granted; 0 = silence.
    struct ramp grant;
    /// 0 while no plan has the slot.
    uint32_t channels;
    /// Length of the ramp of its first permission, in frames.
    uint32_t join_frames;
    /// As for a bus.
    uint32_t resets;
    /// As for a bus.
    uint8_t expected;
    /// Has read its first grant.
    bool attached;
    bool paused;
};

#endif
