/// A voice's samples into its bus.
#ifndef RCORE_VOICE_MIX_H
#define RCORE_VOICE_MIX_H

#include "core.h"

/// Adds the piece that its source has ready, `nframes` from `offset` in the slice on, to the voice's bus. [render]
void voice_mix(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT;

#endif
