/// A core and a bare loop with the same topology. graph.c makes and runs the core, graph_bound.c
/// the loop.
#ifndef CAPACITY_GRAPH_INSIDE_H
#define CAPACITY_GRAPH_INSIDE_H

#include "capacity_graph.h"
#include "layout.h"
#include "render_core.h"

/// Channels to sum into: one plane each, a multiple of a cache line long.
struct planes {
    float *samples;
    float **channel;
    uint32_t count;
};

struct capacity_graph {
    capacity_topology_t topology;
    const capacity_samples_t *samples;
    uint64_t cycle;

    rcore_t *core;
    rcore_queue_t *queue;
    rcore_voice_t *voices;
    /// One for each bus.
    sgate_page_t **gates;
    uint32_t next_commanded;
    /// Those of the routes, then the idle ones.
    struct planes outputs;

    /// One for each voice and channel.
    struct bare_source *sources;
    /// For each voice, its bus's channels.
    float ***targets;
    struct planes bus_sums, route_sums, bound_outputs;
};

/// Allocates zeroed planes. Returns false if memory cannot be allocated.
bool planes_make(struct planes *planes, uint32_t count, uint32_t nframes);
void planes_free(struct planes *planes);

/// Returns the bus of a voice.
uint32_t graph_bus(capacity_topology_t topology, uint32_t voice);
/// Returns whether voices are panned: a mono source into two or more channels.
bool graph_is_panned(capacity_topology_t topology);

#endif
