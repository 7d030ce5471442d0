/// State of the slots of buses and sends. It outlasts plans.
#ifndef RCORE_BUS_STATE_H
#define RCORE_BUS_STATE_H

#include "mix/ramp.h"
#include "rcore_base.h"
#include "session/gate_state.h"
#include "session/key.h"
#include "session/signal.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>

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
    /// The bus of its session that has the gate, itself or an ancestor; NULL: none has one.
    struct bus_state *session;
    struct signal_state signal;
    struct key_state key;
    /// Index of its mix op; RCORE_NONE: no active plan has the slot.
    uint32_t op;
    /// Index in one of two plans while they are compared (crossfade.c, gate.c).
    uint32_t index;
    /// Published gain, as the bits of a float.
    _Atomic(uint32_t) gate_gain;
    /// It has a tail, or a sounding voice or bus feeds it, as of the last `buses_mark_sounding`.
    bool sounding;
    /// It is new in the plan that is just becoming the current one.
    bool fresh;
    /// A plan that waits has it, so it keeps the state that commands set meanwhile (EXPECTED_…).
    uint8_t expected;
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

#endif
