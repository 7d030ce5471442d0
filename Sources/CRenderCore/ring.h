/// The index protocol of every ring here: one producer, one consumer, a power-of-two capacity. See ring.c for the memory order.
#ifndef RCORE_RING_H
#define RCORE_RING_H

#include "rcore_base.h"

#include <stdalign.h>
#include <stdatomic.h>

/// Counts of items ever written and read. Each side owns a cache line: its own count, and the last it saw of the other's.
struct ring {
    alignas(64) _Atomic(uint64_t) written;
    uint64_t seen_read;
    alignas(64) _Atomic(uint64_t) read;
    uint64_t seen_written;
    alignas(64) uint64_t capacity;
};

/// Sets both counts to 0; `capacity` is a power of two. [control]
void ring_init(struct ring *ring, uint64_t capacity);
/// Room for items; looks at the other side again only if it last saw less than `wanted`. [producer]
uint64_t ring_writable(struct ring *ring, uint64_t wanted) RCORE_RT;
/// Items that wait; looks at the other side again only if it last saw less than `wanted`. [consumer]
uint64_t ring_readable(struct ring *ring, uint64_t wanted) RCORE_RT;
/// Slot of the item `offset` after the write (read) count. [producer] ([consumer])
uint64_t ring_write_slot(const struct ring *ring, uint64_t offset) RCORE_RT;
uint64_t ring_read_slot(const struct ring *ring, uint64_t offset) RCORE_RT;
/// Publishes `count` written (read) items. [producer] ([consumer])
void ring_did_write(struct ring *ring, uint64_t count) RCORE_RT;
void ring_did_read(struct ring *ring, uint64_t count) RCORE_RT;

/// The smallest power of two that is at least `value` (1…2^31).
static inline uint32_t ring_round_up(uint32_t value) {
    uint32_t power = 1;
    while (power < value) {
        power <<= 1;
    }
    return power;
}

#endif
