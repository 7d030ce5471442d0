/// The cost of handing data from one core of the machine to another.
#ifndef CAPACITY_PAIR_H
#define CAPACITY_PAIR_H

#include "capacity_graph.h"

/// The calling thread and a partner thread, on one core each, until the pair is destroyed.
typedef struct capacity_pair capacity_pair_t;

/// Returns NULL if this process may not use two cores or if memory cannot be allocated.
capacity_pair_t *capacity_pair_create(void);
/// Ends the partner. The calling thread may use its previous cores again. NULL does nothing.
void capacity_pair_destroy(capacity_pair_t *pair);

/// Sends an item of a command's size to the partner, which sends it back, `rounds` times. Returns
/// the total nanoseconds. Three ways: through two of the core's rings; through two bare rings; and,
/// as the lower bound for any ring, in one cache line each way. Returns 0 if an item came back
/// changed.
uint64_t capacity_pair_rings(capacity_pair_t *pair, uint32_t rounds);
uint64_t capacity_pair_bare_rings(capacity_pair_t *pair, uint32_t rounds);
uint64_t capacity_pair_lines(capacity_pair_t *pair, uint32_t rounds);

/// Lets the partner post `count` gains. Returns the nanoseconds of the following cycle of the
/// graph, here. 0: there was no room.
uint64_t capacity_pair_cycle(capacity_pair_t *pair, capacity_graph_t *graph, uint32_t count);
/// Puts `count` items into a bare ring, on this core or (`apart`) by the partner. Returns the
/// nanoseconds to read each of them here and to store its value. 0: `count` is more than 2^16, or a
/// stored value is wrong.
uint64_t capacity_pair_drain(capacity_pair_t *pair, uint32_t count, bool apart);

#endif
