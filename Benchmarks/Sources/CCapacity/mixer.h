/// A mixer under measurement. mixer.c makes and runs it, mixer_bound.c computes its lower bound and
/// its expected output.
#ifndef CAPACITY_MIXER_INSIDE_H
#define CAPACITY_MIXER_INSIDE_H

#include "capacity_mixer.h"
#include "graph.h"

struct capacity_mixer {
    capacity_mixer_layout_t layout;
    capacity_samples_t *samples;
    rcore_t *core;
    rcore_queue_t *queue;
    /// One for each bus.
    rcore_meter_t **meters;
    rcore_limiter_t *limiter;
    /// Frames rendered.
    uint64_t time;
    /// Those of the routes.
    struct planes outputs;
    /// Those of the bound.
    struct planes sums;
    /// The output of the bound; also receives the contents of taps.
    struct planes mixed;
};

/// The greatest possible sum of all voices: no peak between the samples reaches 1.
static const float mixer_sum = 0.5f;
/// The ceiling when limiting: lower than many samples.
static const float mixer_ceiling = 0.1f;

#endif
