/// Mixes the output of a bus into its connections (bus_mix.c), also while two plans crossfade
/// (bus_crossfade.c).
#ifndef RCORE_BUS_MIX_H
#define RCORE_BUS_MIX_H

#include "strip.h"

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
/// Mixes a bus of either plan, or of both, while they crossfade. Connections that both plans have
/// continue. Those that only one of them has fade, except those of a bus that is new and those to a
/// target that is removed.
void bus_crossfade(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT;

#endif
