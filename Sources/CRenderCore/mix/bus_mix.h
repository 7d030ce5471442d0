/// Mixes each bus into its connections.
#ifndef RCORE_BUS_MIX_H
#define RCORE_BUS_MIX_H

#include "mix/mix_state.h"
#include "render_core.h"

/// Sets the connections and the flags of a mix op whose other members are set, once for the active
/// plans.
void mix_op_prepare(rcore_t *core, struct mix_op *op) RCORE_RT;
/// Mixes buses into parents, sends and routes.
void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT;

#endif
