/// Sums of buses and routes, and which buses have a signal.
#ifndef RCORE_BUSES_H
#define RCORE_BUSES_H

#include "core/core.h"
#include "mix/bus_state.h"
#include "render_core.h"

/// Resets the state of a bus slot.
void bus_reset(struct bus_state *bus) RCORE_RT;
/// Sets the channels from `first` to `count` - 1 to silence.
void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT;
/// Prepares a bus before a signal is added: clears it if this is the first one in the block.
/// A bus without any signal is never cleared. Does nothing if no active plan has the bus.
void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT;
/// The same, for a voice: the session then has signal.
void bus_open_for_voice(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT;
/// Makes this block (before the bus's turn) or the next one process the bus, because it has a
/// signal or one of its ramps may have begun. [render]
static inline void bus_set_due(rcore_t *core, uint32_t slot) RCORE_RT {
    const uint32_t op = core->mix.buses[slot].op;
    if (op != RCORE_NONE) {
        core->mix.due[op / 64] |= (uint64_t)1 << op % 64;
    }
}
/// Prepares a route in the same way.
void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT;
/// Begins a block: marks all routes as having no signal. While plans crossfade, clears all routes
/// instead, and marks them as having a signal.
void routes_begin(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Marks the buses that receive the signal of a voice, insert or delay line in any active plan, or
/// would if its gate opened.
void buses_mark_sounding(rcore_t *core) RCORE_RT;

#endif
