/// Mute and solo.
#ifndef RCORE_SOLO_H
#define RCORE_SOLO_H

#include "render_core.h"

/// Applies mute and solo to the buses of the current plan, in `ramp_frames`; to new buses at once.
void solo_apply(rcore_t *core, uint32_t ramp_frames) RCORE_RT;

#endif
