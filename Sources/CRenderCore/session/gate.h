/// Gates: apply the grants of the arbiter to session buses, and suspend the buses of paused
/// sessions.
#ifndef RCORE_GATE_H
#define RCORE_GATE_H

#include "render_core.h"
#include "session/gate_state.h"
#include "session_keys.h"

/// A bus that has a gate in the current plan, or otherwise in the outgoing plan.
/// Every cycle reads these in turn, and the states of the buses only if a page differs.
struct gated {
    const sgate_page_t *page;
    /// The keys page; NULL: none.
    sgate_keys_t *keys;
    /// As in the bus's state: what was applied last.
    struct gate_words words;
    uint32_t slot;
};

struct gates {
    /// Those of the active plans.
    struct gated *gated;
    uint32_t count;
    /// Whether a gate has a running ramp or a new grant or volume, or the plan changed. Otherwise
    /// all gates are steady.
    bool move;
    /// Whether a gate may not have read its first grant.
    bool any_unattached;
    /// Whether a gate was suspended when the cycle last checked.
    bool any_suspended;
};

/// Lists the buses that have gates, after the active plans have changed.
void gates_collect(rcore_t *core) RCORE_RT;
/// Applies the new grants and volumes of all gates, and suspends the buses under suspended gates.
void gates_read(rcore_t *core) RCORE_RT;
/// Returns the frames until the next session suspends or resume delay ends, at most `nframes`.
uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Advances all gates by `nframes`; suspends sessions and reports grants whose ramps have ended.
void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// After a change of the plan from `old`: makes each suspended session refill when it resumes (sets
/// its `refill_frames` to the session's latency) if one of its buses has another insert, channel
/// count, direct delay or delay line than in `old`, or is new and has latency.
void gates_plan_changed(rcore_t *core, const rcore_plan_t *old) RCORE_RT;

#endif
