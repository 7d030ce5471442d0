/// What leaves a bus, and where it goes (ways.c); and how, while one plan takes over from another (ways_swap.c).
#ifndef RCORE_WAYS_H
#define RCORE_WAYS_H

#include "strip.h"

/// A bus of one of the plans that are heard.
struct side {
    const rcore_plan_t *plan;
    const struct plan_bus *bus;
    float **planes; ///< what left its insert
};

/// Puts a bus's sum through its insert, if it has one.
void side_insert(const struct side *side, uint32_t nframes) RCORE_RT;
/// Adds what leaves a bus to where one of its ways leads, among `targets`; a weight for each frame, or NULL: all of it.
void way_add(rcore_t *core, const struct side *side, const struct strip *strip, const struct edge *edge,
             const float *weights, float *targets, uint32_t nframes) RCORE_RT;
/// Mixes a bus of either plan, or of both: what only one has fades, the rest goes on.
void ways_cross_fade(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT;

#endif
