/// The crossfade from one plan to another.
#ifndef RCORE_CROSSFADE_H
#define RCORE_CROSSFADE_H

#include "plan.h"
#include "render_core.h"

/// State of the crossfade. While `outgoing` is not NULL, it is active together with the core's
/// plan.
struct crossfade {
    const rcore_plan_t *outgoing;
    /// Frames since the plan was replaced.
    uint32_t elapsed;
    /// Frames before the crossfade for which new paths with latency run inaudibly.
    uint32_t preroll;
    /// A plan that is due and waits for the end of the crossfade; NULL: none.
    const rcore_plan_t *next;
    /// The highest serial of the plans that were due so far.
    uint64_t newest_serial;
};

/// Applies a plan that is due, or stores it until the running crossfade ends. [render]
void crossfade_begin(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;
/// Returns the frames until the end of the crossfade, at most `nframes`.
uint32_t crossfade_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Advances the crossfade by `nframes` and retires the outgoing plan at its end.
void crossfade_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Ends the crossfade immediately, and also the crossfade to a plan that waited.
void crossfade_finish(rcore_t *core) RCORE_RT;

/// Computes the weights, 0…1, of the new signal (`rises`) or the outgoing one over the next frames.
/// The weights run `ahead` frames early, for a signal that still passes a latency of `ahead`
/// frames.
void crossfade_weights(const rcore_t *core, bool rises, uint32_t ahead, float *weights, uint32_t nframes) RCORE_RT;

/// Returns the route of `plan` with the slot, channels and outputs of `route`; NULL: none. [render]
const rcore_route_description_t *crossfade_same_route(const rcore_plan_t *plan,
                                                      const rcore_route_description_t *route) RCORE_RT;

#endif
