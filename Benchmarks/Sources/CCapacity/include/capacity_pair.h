/// What it costs to hand something from one core of the machine to another.
#ifndef CAPACITY_PAIR_H
#define CAPACITY_PAIR_H

#include "capacity_graph.h"

/// The calling thread and a partner, on a core each, until it is destroyed.
typedef struct capacity_pair capacity_pair_t;

/// NULL: this process may not use two cores, or memory is short.
capacity_pair_t *capacity_pair_create(void);
/// Ends the partner; the calling thread may use all cores again that it used before. NULL does nothing.
void capacity_pair_destroy(capacity_pair_t *pair);

/// Sends an item of a command's size to the partner, which sends it back, so many times; nanoseconds in all. Through two of the core's rings; through
/// two bare ones; and, the bound, in one cache line each way, which no ring can beat. 0: an item came back as another.
uint64_t capacity_pair_rings(capacity_pair_t *pair, uint32_t rounds);
uint64_t capacity_pair_bare_rings(capacity_pair_t *pair, uint32_t rounds);
uint64_t capacity_pair_lines(capacity_pair_t *pair, uint32_t rounds);

/// The partner posts that many gains; nanoseconds of the graph's cycle that follows, here. 0: there was no room.
uint64_t capacity_pair_cycle(capacity_pair_t *pair, capacity_graph_t *graph, uint32_t count);
/// Puts that many items into a bare ring, here or (`apart`) by the partner; nanoseconds that it takes here to read each and to store its value where it
/// belongs. 0: more than 2^16, or what was stored is something else.
uint64_t capacity_pair_drain(capacity_pair_t *pair, uint32_t count, bool apart);

#endif
