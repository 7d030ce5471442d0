// Why a ring is correct, stated once for all of them. One thread at a time writes, and one thread
// at a time reads.
//
// Memory order. The producer writes items, then stores `written` with release order. The consumer
// loads `written` with acquire order, then reads items: it sees every item below the count it
// loaded. When the consumer has finished with items, it stores `read` with release order. The
// producer loads `read` with acquire order, then overwrites items: it never overwrites an item that
// is still being read. Each side loads its own count with relaxed order, because no other thread
// stores it.
//
// Counts. The counts have 64 bits and never wrap in the life of a machine, so the same count is
// never stored twice with another meaning. If they did wrap, written - read would still be the fill
// level, and since the capacity is a power of two, slots would still be counts modulo the capacity.
// read <= written <= read + capacity holds after every store, because each side advances only its
// own count, by at most what it last found available.
//
// Old counts. A load may return a count that is not the newest, and `seen_read` and `seen_written`
// keep one from an earlier call. Counts only grow, so an old count claims too little and never too
// much: the side does not yet see some room, or some items. Whatever an old count permits stays
// permitted, because the load that returned it had acquire order. A side loads the count again when
// the remembered one does not suffice, and a store becomes visible in finite time, so neither side
// waits forever. Each of these fields belongs to one side and is never shared.
//
// Batches. One store publishes a batch, so it is all or nothing: a load returns the count before it
// or the count after it. The consumer never reads items at or above `written`; the producer may
// discard them by not publishing them.
//
// Tests/Models checks this argument: it runs this file on a model of C11's memory through all
// possible executions of two threads, detects the faults injected into it, and sends 10^8 messages
// between real threads.
#include "queue/ring.h"

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

uint64_t ring_read_count(const struct ring *ring) RCORE_RT {
    return atomic_load_explicit(&ring->read, memory_order_relaxed);
}
