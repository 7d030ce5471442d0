/// A core and a bare loop over the same topology: graph.c makes and runs the core, graph_bound.c the loop.
#ifndef CAPACITY_GRAPH_INSIDE_H
#define CAPACITY_GRAPH_INSIDE_H

#include "capacity_graph.h"
#include "layout.h"
#include "render_core.h"

/// Channels that are summed: one plane each, a cache line's multiple long.
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
    rcore_port_t *port;
    rcore_voice_t *voices;
    sgate_page_t **gates; // of the buses
    uint32_t next_commanded;
    struct planes outputs; // of the routes, then of the idle ones

    struct bare_source *sources; // one for each voice and channel
    float ***targets;            // of each voice: its bus's channels
    struct planes bus_sums, route_sums, bound_outputs;
};

/// Zeroed; false when memory is short.
bool planes_make(struct planes *planes, uint32_t count, uint32_t nframes);
void planes_free(struct planes *planes);

/// Which bus a voice goes to.
uint32_t graph_bus(capacity_topology_t topology, uint32_t voice);
/// Left and right, of a mono source in two channels or more.
bool graph_is_panned(capacity_topology_t topology);

#endif
