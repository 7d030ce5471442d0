/// How a change of plans affects the state of slots. All functions [render].
#ifndef RCORE_SLOTS_H
#define RCORE_SLOTS_H

#include "mix/bus_state.h"
#include "render_core.h"

/// Prepares the slots of a plan before it becomes the core's plan. Initialises those that no active
/// plan has, with the plan's initial state.
void slots_join(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;
/// Clears `fresh` of all buses of the core's plan, once all new buses have been set up.
void slots_clear_fresh(rcore_t *core) RCORE_RT;
/// Resets the slots that only `old` has, a plan that is no longer active.
void slots_reset_removed(rcore_t *core, const rcore_plan_t *old) RCORE_RT;
/// Resets the slots that only `between` has, a plan that was activated and replaced within one
/// crossfade: neither the outgoing plan nor the current one has them.
void slots_reset_intermediate(rcore_t *core, const rcore_plan_t *between) RCORE_RT;
/// Lets commands set the state of a plan's slots while the plan waits for the end of a crossfade.
/// The slots keep that state when the plan takes effect, also if a newer plan with the same slots
/// replaces the waiting one.
void slots_expect(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;

/// Returns whether an active plan has the send.
bool send_is_active(const rcore_t *core, const struct send_state *send) RCORE_RT;

#endif
