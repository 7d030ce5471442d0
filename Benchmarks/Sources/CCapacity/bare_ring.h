/// A minimal ring between two threads: two counts, and items of the size of the core's commands.
#ifndef CAPACITY_BARE_RING_H
#define CAPACITY_BARE_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { bare_ring_capacity = 1 << 16, bare_ring_targets = 256 };

/// 48 bytes, of which the reader uses these two members.
struct bare_item {
    /// 0…255.
    uint32_t target;
    float value;
    uint64_t rest[5];
};

struct bare_ring {
    alignas(64) _Atomic(uint64_t) written;
    alignas(64) _Atomic(uint64_t) read;
    alignas(64) struct bare_item items[bare_ring_capacity];
    /// The values that the reader stores.
    float targets[bare_ring_targets];
};

/// Publishes an item; the ring must not be full. bare_ring_take waits for an item.
void bare_ring_put(struct bare_ring *ring, const struct bare_item *item);
struct bare_item bare_ring_take(struct bare_ring *ring);
/// Publishes `count` items, at most the capacity; the ring must be empty.
void bare_ring_fill(struct bare_ring *ring, uint32_t count, float value);
/// Reads all waiting items and stores their values.
void bare_ring_drain(struct bare_ring *ring);
/// Returns whether the last `count` items, all of this value, have been stored.
bool bare_ring_stored(const struct bare_ring *ring, uint32_t count, float value);

#endif
