/// The least that a ring between two threads can be: two counts, and items that are as large as the core's commands.
#ifndef CAPACITY_BARE_RING_H
#define CAPACITY_BARE_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { bare_ring_capacity = 1 << 16, bare_ring_targets = 256 };

/// 48 bytes, of which the reader needs these two.
struct bare_item {
    uint32_t target; ///< 0…255
    float value;
    uint64_t rest[5];
};

struct bare_ring {
    alignas(64) _Atomic(uint64_t) written;
    alignas(64) _Atomic(uint64_t) read;
    alignas(64) struct bare_item items[bare_ring_capacity];
    float targets[bare_ring_targets]; ///< what the reader stores
};

/// Publishes an item, of a ring that is not full; awaits one.
void bare_ring_put(struct bare_ring *ring, const struct bare_item *item);
struct bare_item bare_ring_take(struct bare_ring *ring);
/// Publishes each of so many items; at most the capacity, of an empty ring.
void bare_ring_fill(struct bare_ring *ring, uint32_t count, float value);
/// Reads all that wait, and stores their values.
void bare_ring_drain(struct bare_ring *ring);
/// Whether the last `count` items, all of this value, have been stored.
bool bare_ring_stored(const struct bare_ring *ring, uint32_t count, float value);

#endif
