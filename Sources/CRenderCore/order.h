/// In which order buses are mixed: each after all that leads to it, in one plan or in two that cross-fade.
#ifndef RCORE_ORDER_H
#define RCORE_ORDER_H

#include "plan.h"

/// What a bus slot is in the plans that are heard.
struct order_slot {
    uint32_t now;      // index in the plan in use, or RCORE_NONE
    uint32_t before;   // in the one that leaves
    uint32_t incoming; // ways that lead to it and are not yet in order
};

/// Puts the slots of both plans (either may be NULL) in order, and notes in `slots` (`max_buses` of them) what each is; returns how many there are, or RCORE_NONE
/// when there is no such order: one plan leads a bus to another, and the other plan the other way round. [any]
uint32_t order_buses(struct order_slot *slots, uint32_t max_buses, const rcore_plan_t *plan,
                     const rcore_plan_t *leaving, uint32_t *order) RCORE_RT;

#endif
