// Why a ring is correct, stated once for all of them. One thread at a time writes, one reads.
//
// Memory order. The producer writes items, then stores `written` with release; the consumer loads `written` with acquire, then
// reads items: it sees every item below the count it loaded. The consumer is done with items, then stores `read` with release;
// the producer loads `read` with acquire, then overwrites: it never overwrites an item still being read. Each side loads its own
// count relaxed, for it is the only one that stores it.
//
// Counts. They are 64 bits and never come round in the life of a machine, so the same count is never stored twice with another
// meaning; and if they did, written - read would still be the fill level, and as the capacity is a power of two, slots are counts
// modulo the capacity all the same. read <= written <= read + capacity holds after every store, because each side moves only its
// own count, by no more than it was last told.
//
// Old counts. A load may return a count that is no longer the newest, and `seen_read` and `seen_written` keep one from an
// earlier call. Counts only grow, so an old one claims too little, never too much: room that is there is not seen yet, and an item
// that waits is not seen yet. What an old count permits was permitted for good by the acquire that loaded it. A side looks again
// when what it remembers is too little for what it wants, and a store becomes visible in finite time, so neither waits for ever.
// The fields belong to one side each and are never shared.
//
// Groups are all or nothing because one store publishes them: a load returns the count before it or after it. What a producer
// has written at and above `written` nobody looks at; it may give that up by never publishing it.
//
// Tests/Models checks this argument: it runs this file on a model of C11's memory through all that two threads may do, finds
// the faults planted in it, and sends 10^8 messages between real threads.
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
