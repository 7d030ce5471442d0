/// The order in which buses are mixed: each after all buses that feed it, in one plan or in two
/// plans that crossfade.
#ifndef RCORE_SCHEDULE_H
#define RCORE_SCHEDULE_H

#include "graph/plan.h"

/// The indices of a bus slot in the active plans.
struct schedule_slot {
    /// Index in the current plan, or RCORE_NONE.
    uint32_t current;
    /// Index in the outgoing plan, or RCORE_NONE.
    uint32_t previous;
    /// Number of connections to it from buses that are not yet in the schedule.
    uint32_t incoming;
};

/// Orders the slots of both plans (either may be NULL) in `schedule`, and sets the indices of each
/// in `slots`, which has `max_buses` elements. Returns the number of slots, or RCORE_NONE if there
/// is no such order: the connections of both plans together form a cycle. [any]
uint32_t schedule_buses(struct schedule_slot *slots, uint32_t max_buses, const rcore_plan_t *plan,
                        const rcore_plan_t *outgoing, uint32_t *schedule) RCORE_RT;

#endif
