/// Mixes a voice's samples into its bus.
#ifndef RCORE_VOICE_MIX_H
#define RCORE_VOICE_MIX_H

#include "voices/voice_state.h"

/// Adds the segment that the voice's source has prepared to the voice's bus: `nframes` frames, from
/// `offset` in the block on. [render]
void voice_mix(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT;

#endif
