/// What the graph costs: a render core with buses, routes and channels, and the additions that no such graph can do without.
#ifndef CAPACITY_GRAPH_H
#define CAPACITY_GRAPH_H

#include "capacity.h"

/// Voices whose gains stand still, in session buses that are open, into routes.
typedef struct capacity_topology {
    uint32_t voices;          ///< 1…65536, all playing
    uint32_t frames;          ///< of a period, 1…256: the core takes it in one piece
    uint32_t source_channels; ///< 1 (panned where there are two channels or more), or as many as `channels`
    uint32_t buses;           ///< 1…1024, at most one for each voice; each leads to every route
    uint32_t routes;          ///< 1…64
    uint32_t channels;        ///< 1…64, of each bus and route
    bool in_turn;             ///< each next voice goes to the next bus; otherwise neighbours go to the same
    // Beside them, and silent:
    uint32_t idle_buses;  ///< that lead to the first route
    uint32_t idle_routes; ///< that no bus leads to
    bool idle_outputs;    ///< whether the driver has outputs for these
    uint32_t idle_ports;  ///< through which nobody posts
    bool planned;         ///< whether the plan has the idle ones; otherwise the core has room for them, no more
    uint32_t commands;    ///< room for so many in the port, at least
} capacity_topology_t;

typedef struct capacity_graph capacity_graph_t;

/// Noise for its voices, as both read it; 1,024 frames in a loop, eight sources at most. NULL as in capacity.h.
capacity_samples_t *capacity_graph_samples(capacity_topology_t topology);
/// Makes a core with every voice playing, and the bare loop beside it. NULL as in capacity.h.
capacity_graph_t *capacity_graph_create(capacity_topology_t topology, const capacity_samples_t *samples);
void capacity_graph_destroy(capacity_graph_t *graph);
/// Renders a period; returns the nanoseconds of `rcore_process`, commands that were posted before included.
uint64_t capacity_graph_cycle(capacity_graph_t *graph);
/// What no mixer with these buses can leave out, of the same period as the core's last: each voice is added to its bus and each bus to its routes, by a
/// multiplication and an addition per channel and frame, and each route is copied to its outputs. Nanoseconds.
uint64_t capacity_graph_bound(capacity_graph_t *graph);
/// The greatest difference between what both put out last, over the greatest sample; infinite unless every voice plays and has been on time.
double capacity_graph_difference(const capacity_graph_t *graph);
/// Posts that many gains, to the voices in turn, for the next cycle or, `timed`, for the first frame of the one after it. False: the port is full.
bool capacity_graph_command(capacity_graph_t *graph, uint32_t count, bool timed);
/// Stops a voice and starts it anew. False: no room.
bool capacity_graph_restart(capacity_graph_t *graph, uint32_t voice);

/// Bytes of this process's memory that are taken, as far as its first threads took them.
size_t capacity_allocated_bytes(void);

#endif
