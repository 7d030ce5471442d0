/// A mixer that is measured: mixer.c makes and runs it, mixer_bound.c knows what it should do.
#ifndef CAPACITY_MIXER_INSIDE_H
#define CAPACITY_MIXER_INSIDE_H

#include "capacity_mixer.h"
#include "graph.h"

struct capacity_mixer {
    capacity_desk_t desk;
    capacity_samples_t *samples;
    rcore_t *core;
    rcore_port_t *port;
    rcore_meter_t **meters; // of the buses
    rcore_limiter_t *limiter;
    uint64_t time;         // frames rendered
    struct planes outputs; // of the routes
    struct planes sums;    // of the bound
    struct planes mixed;   // by the bound; and what comes out of taps
};

/// Greatest sample that all voices together may come to: nothing between the samples reaches 1.
static const float mixer_sum = 0.5f;
/// Of one that limits: lower than much of what comes.
static const float mixer_ceiling = 0.1f;

#endif
