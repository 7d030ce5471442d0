/// What plans that come and go make of slots. All [render].
#ifndef RCORE_SLOTS_H
#define RCORE_SLOTS_H

#include "core.h"

/// Has the slots of a plan that takes over, before it is the core's: those that are not heard begin afresh, as it says.
void slots_join(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;
/// Ends their being fresh, once all that joins has begun.
void slots_joined(rcore_t *core) RCORE_RT;
/// Forgets what only a plan has that is heard no more.
void slots_forget(rcore_t *core, const rcore_plan_t *old) RCORE_RT;
/// Of a plan that came and went within one cross-fade: what neither the one before nor the one after has.
void slots_forget_between(rcore_t *core, const rcore_plan_t *between) RCORE_RT;
/// What is told of a slot while its plan waits holds once it is there, also where a newer plan with that slot takes the place of the one that waits.
void slots_expect(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;

#endif
