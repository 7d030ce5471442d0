/// The index protocol of all rings of the core: one producer, one consumer, and a capacity that is
/// a power of two. ring.c explains the memory order.
#ifndef RCORE_RING_H
#define RCORE_RING_H

#include "rcore_base.h"

#include <stdalign.h>
#include <stdatomic.h>

/// Counts of the items ever written and read. Each side owns a cache line with its own count and
/// the last value it loaded of the other side's count.
struct ring {
    alignas(64) _Atomic(uint64_t) written;
    uint64_t seen_read;
    alignas(64) _Atomic(uint64_t) read;
    uint64_t seen_written;
    alignas(64) uint64_t capacity;
};

/// Sets both counts to 0. `capacity` is a power of two. [control]
void ring_init(struct ring *ring, uint64_t capacity);
/// Returns the number of items that can be written. Loads the other side's count only if the last
/// value leaves fewer than `wanted`. [producer]
uint64_t ring_writable(struct ring *ring, uint64_t wanted) RCORE_RT;
/// Returns the number of items to read. Loads the other side's count only if the last value leaves
/// fewer than `wanted`. [consumer]
uint64_t ring_readable(struct ring *ring, uint64_t wanted) RCORE_RT;
/// Return the slot of the item `offset` after the write (read) count. [producer] ([consumer])
uint64_t ring_write_slot(const struct ring *ring, uint64_t offset) RCORE_RT;
uint64_t ring_read_slot(const struct ring *ring, uint64_t offset) RCORE_RT;
/// Publish `count` written (read) items. [producer] ([consumer])
void ring_did_write(struct ring *ring, uint64_t count) RCORE_RT;
void ring_did_read(struct ring *ring, uint64_t count) RCORE_RT;
/// Returns the number of items ever read; for another thread than the consumer, perhaps an old
/// count. [any]
uint64_t ring_read_count(const struct ring *ring) RCORE_RT;

/// Returns the smallest power of two that is at least `value` (1…2^31).
static inline uint32_t ring_round_up(uint32_t value) {
    uint32_t power = 1;
    while (power < value) {
        power <<= 1;
    }
    return power;
}

#endif
