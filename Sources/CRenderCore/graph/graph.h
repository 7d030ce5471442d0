/// The active plans, and the order in which their buses are mixed.
#ifndef RCORE_GRAPH_H
#define RCORE_GRAPH_H

#include "graph/plan.h"
#include "graph/schedule.h"

#include <stdatomic.h>

/// State of the crossfade from one plan to another. While `outgoing` is not NULL, it is active
/// together with the current plan.
struct crossfade {
    const rcore_plan_t *outgoing;
    /// Frames since the plan was replaced.
    uint32_t elapsed;
    /// Frames before the crossfade for which new paths with latency run inaudibly.
    uint32_t preroll;
    /// A plan that is due and waits for the end of the crossfade; NULL: none.
    const rcore_plan_t *next;
    /// The highest serial of the plans that were due so far.
    uint64_t newest_serial;
};

struct graph {
    /// The current plan; NULL: none yet. [render]
    const rcore_plan_t *plan;
    struct crossfade crossfade;
    /// By bus slot: its buses in the active plans.
    struct schedule_slot *slots;
    /// Bus slots of the active plans, in mixing order.
    uint32_t *schedule;
    uint32_t schedule_count;
    /// The cycle no longer uses plans with lower serials. [any]
    _Atomic(uint64_t) retired_serial;
    /// Newest first. [control]
    rcore_plan_t *posted_plans;
    uint64_t posted_serial;
};

/// Returns a slot's bus in the current plan, or NULL.
static inline const struct plan_bus *current_bus(const struct graph *graph, uint32_t slot) RCORE_RT {
    const uint32_t index = graph->slots[slot].current;
    return graph->plan != NULL && index != RCORE_NONE ? &graph->plan->buses[index] : NULL;
}
/// Returns a slot's bus in the outgoing plan, or NULL.
static inline const struct plan_bus *previous_bus(const struct graph *graph, uint32_t slot) RCORE_RT {
    const uint32_t index = graph->slots[slot].previous;
    return graph->crossfade.outgoing != NULL && index != RCORE_NONE ? &graph->crossfade.outgoing->buses[index] : NULL;
}

/// Computes the weights, 0…1, of the new signal (`rises`) or the outgoing one over the next frames
/// of the crossfade. The weights run `ahead` frames early, for a signal that still passes a latency
/// of `ahead` frames. [render]
void crossfade_weights(const rcore_t *core, bool rises, uint32_t ahead, float *weights, uint32_t nframes) RCORE_RT;

#endif
