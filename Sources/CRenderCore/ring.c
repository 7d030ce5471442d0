// Memory order, stated once for all rings.
//
// The producer writes items, then stores `written` with release; the consumer loads `written` with acquire, then reads items: it
// sees every item below the count it loaded. The consumer is done with items, then stores `read` with release; the producer
// loads `read` with acquire, then overwrites: it never overwrites an item still being read. Each side loads its own count
// relaxed, for it is the only one that stores it. Counts are 64 bits and never wrap in the life of a machine, so written - read
// is the fill level, and slots are counts modulo the capacity.
//
// What a side last saw of the other's count is never more than that count, for counts only rise: so the room, and what waits, is never
// claimed too great, only too small, and then the side looks again. A group is all or nothing because its items are written first and
// made known with one store.
//
// Tests/Models explores this file on a model of C11's memory, in every interleaving within its bounds, and plants faults in it.
#include "ring.h"

void ring_init(struct ring *ring, uint64_t capacity) {
    atomic_init(&ring->written, 0);
    atomic_init(&ring->read, 0);
    ring->seen_read = 0;
    ring->seen_written = 0;
    ring->capacity = capacity;
}

uint64_t ring_writable(struct ring *ring, uint64_t wanted) RCORE_RT {
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    uint64_t room = ring->capacity - (written - ring->seen_read);
    if (room < wanted) {
        ring->seen_read = atomic_load_explicit(&ring->read, memory_order_acquire);
        room = ring->capacity - (written - ring->seen_read);
    }
    return room;
}

uint64_t ring_readable(struct ring *ring, uint64_t wanted) RCORE_RT {
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    uint64_t waiting = ring->seen_written - read;
    if (waiting < wanted) {
        ring->seen_written = atomic_load_explicit(&ring->written, memory_order_acquire);
        waiting = ring->seen_written - read;
    }
    return waiting;
}

uint64_t ring_write_slot(const struct ring *ring, uint64_t offset) RCORE_RT {
    return (atomic_load_explicit(&ring->written, memory_order_relaxed) + offset) & (ring->capacity - 1);
}

uint64_t ring_read_slot(const struct ring *ring, uint64_t offset) RCORE_RT {
    return (atomic_load_explicit(&ring->read, memory_order_relaxed) + offset) & (ring->capacity - 1);
}

void ring_did_write(struct ring *ring, uint64_t count) RCORE_RT {
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    atomic_store_explicit(&ring->written, written + count, memory_order_release);
}

void ring_did_read(struct ring *ring, uint64_t count) RCORE_RT {
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
}
