/// Replaces the plan, with a crossfade if the change is audible.
#ifndef RCORE_CROSSFADE_H
#define RCORE_CROSSFADE_H

#include "render_core.h"

/// Applies a plan that is due, or stores it until the running crossfade ends. [render]
void crossfade_begin(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;
/// Returns the frames until the end of the crossfade, at most `nframes`.
uint32_t crossfade_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Advances the crossfade by `nframes` and retires the outgoing plan at its end.
void crossfade_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Ends the crossfade immediately, and also the crossfade to a plan that waited.
void crossfade_finish(rcore_t *core) RCORE_RT;

#endif
