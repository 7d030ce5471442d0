/// One plan taking over from another.
#ifndef RCORE_SWAP_H
#define RCORE_SWAP_H

#include "plan.h"
#include "render_core.h"

/// While `leaving` is not NULL, it is heard beside the core's plan.
struct swap {
    const rcore_plan_t *leaving;
    uint32_t elapsed;         // frames since it leaves
    uint32_t hold;            // frames in which what is new and delays runs unheard; `swap_frames` of cross-fade follow
    const rcore_plan_t *next; // due, and waiting for the end of the fade
    uint64_t newest_serial;   // of all plans that were due so far
};

/// Takes a plan that is due. [render]
void swap_begin(rcore_t *core, const rcore_plan_t *plan) RCORE_RT;
/// Frames until the cross-fade is over, at most `nframes`.
uint32_t swap_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;
/// Goes on by `nframes`; at the end of the cross-fade lets the old plan go.
void swap_advance(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Ends the cross-fade now, and that of the plan that waited.
void swap_finish(rcore_t *core) RCORE_RT;

/// Over the next frames, 0…1: how much there is of what is new (`rises`) or of what leaves. `lead` frames earlier for what passes what is late by as much.
void swap_weights(const rcore_t *core, bool rises, uint32_t lead, float *weights, uint32_t nframes) RCORE_RT;

/// The route in `plan` that is where `route` is: same slot, channels and outputs; NULL: none. [render]
const rcore_route_description_t *swap_same_route(const rcore_plan_t *plan,
                                                 const rcore_route_description_t *route) RCORE_RT;

#endif
