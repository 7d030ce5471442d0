/// Mixes a bus while two plans crossfade.
#ifndef RCORE_BUS_CROSSFADE_H
#define RCORE_BUS_CROSSFADE_H

#include "mix/mix_state.h"
#include "render_core.h"

/// Mixes a bus of either plan, or of both, while they crossfade. Connections that both plans have
/// continue. Those that only one of them has fade, except those of a bus that is new and those to a
/// target that is removed.
void bus_crossfade(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT;

#endif
