/// The output of a bus: its insert, and what it adds to the targets of its connections.
#ifndef RCORE_BUS_OUTPUT_H
#define RCORE_BUS_OUTPUT_H

#include "graph/plan.h"
#include "mix/strip.h"

/// A bus of one of the active plans.
struct plan_bus_view {
    const rcore_plan_t *plan;
    const struct plan_bus *bus;
    /// The bus's sum; after `run_insert`, the output of its insert.
    float **planes;
};

/// Runs the bus's insert, if it has one, on its sum.
void run_insert(const struct plan_bus_view *view, uint32_t nframes) RCORE_RT;
/// Adds the output of a bus to the target of one of its connections, among `targets`. `weights` has
/// a weight for each frame; NULL: no fade.
void connection_add(rcore_t *core, const struct plan_bus_view *view, const struct strip *strip,
                    const struct connection *connection, const float *weights, float *targets,
                    uint32_t nframes) RCORE_RT;

#endif
