/// A voice's samples into its bus.
#ifndef RCORE_VOICE_MIX_H
#define RCORE_VOICE_MIX_H

#include "core.h"

/// The bus that a voice plays into; NULL: beyond the core's.
static inline const struct bus_state *voice_bus(const rcore_t *core, const struct voice *voice) RCORE_RT {
    return voice->bus < core->config.max_buses ? &core->buses[voice->bus] : NULL;
}

/// Adds the piece that its source has ready, `nframes` from `offset` in the slice on, to the voice's bus. [render]
void voice_mix(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT;

#endif
