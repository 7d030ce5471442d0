/// The cost of the graph: a render core with buses, routes and channels, compared with the
/// additions that every such graph must perform.
#ifndef CAPACITY_GRAPH_H
#define CAPACITY_GRAPH_H

#include "capacity.h"

/// Voices with constant gains, in session buses with open gates, into routes.
typedef struct capacity_topology {
    /// 1…65536, all playing.
    uint32_t voices;
    /// Frames of a period, 1…256: the core renders it in one block.
    uint32_t frames;
    /// 1 (panned with two or more channels), or equal to `channels`.
    uint32_t source_channels;
    /// 1…1024, at most one for each voice. Each is routed to every route.
    uint32_t buses;
    /// 1…64.
    uint32_t routes;
    /// 1…64, of each bus and route.
    uint32_t channels;
    /// Whether consecutive voices go to consecutive buses; otherwise neighbours share a bus.
    bool in_turn;
    // In addition, silent:
    /// Buses that are routed to the first route.
    uint32_t idle_buses;
    /// Routes that no bus feeds.
    uint32_t idle_routes;
    /// Whether the driver has outputs for these.
    bool idle_outputs;
    /// Queues that are not used.
    uint32_t idle_queues;
    /// Whether the plan contains the idle buses and routes; otherwise the core only has room for
    /// them.
    bool planned;
    /// The minimum capacity of the queue, in commands.
    uint32_t commands;
} capacity_topology_t;

typedef struct capacity_graph capacity_graph_t;

/// Noise for the voices, which both read: loops of 1,024 frames, at most eight sources. NULL as in
/// capacity.h.
capacity_samples_t *capacity_graph_samples(capacity_topology_t topology);
/// Makes a core with every voice playing, and the bare loop to compare with. NULL as in capacity.h.
capacity_graph_t *capacity_graph_create(capacity_topology_t topology, const capacity_samples_t *samples);
void capacity_graph_destroy(capacity_graph_t *graph);
/// Renders a period. Returns the nanoseconds of `rcore_process`, including commands posted before.
uint64_t capacity_graph_cycle(capacity_graph_t *graph);
/// Runs the lower bound for a mixer with these buses, for the same period as the core's last: adds
/// each voice to its bus and each bus to its routes, with one multiplication and one addition per
/// channel and frame, and copies each route to its outputs. Returns the nanoseconds.
uint64_t capacity_graph_bound(capacity_graph_t *graph);
/// Returns the greatest difference between the last outputs of both, relative to the greatest
/// sample; infinite unless every voice plays and has been on time.
double capacity_graph_difference(const capacity_graph_t *graph);
/// Posts `count` gains, to the voices in turn, for the next cycle or, with `timed`, for the first
/// frame of the cycle after it. Returns false if the queue is full.
bool capacity_graph_command(capacity_graph_t *graph, uint32_t count, bool timed);
/// Stops a voice and starts it again. Returns false if there is no room.
bool capacity_graph_restart(capacity_graph_t *graph, uint32_t voice);

/// Returns the allocated memory of this process in bytes, as far as its first threads allocated it.
size_t capacity_allocated_bytes(void);

#endif
