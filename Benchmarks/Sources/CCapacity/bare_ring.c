#include "bare_ring.h"

#include <assert.h>

static_assert(sizeof(struct bare_item) == 48, "as large as a command");

void bare_ring_put(struct bare_ring *ring, const struct bare_item *item) {
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_relaxed);
    ring->items[written % bare_ring_capacity] = *item;
    atomic_store_explicit(&ring->written, written + 1, memory_order_release);
}

struct bare_item bare_ring_take(struct bare_ring *ring) {
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    while (atomic_load_explicit(&ring->written, memory_order_acquire) == read) {
    }
    const struct bare_item item = ring->items[read % bare_ring_capacity];
    atomic_store_explicit(&ring->read, read + 1, memory_order_release);
    return item;
}

void bare_ring_fill(struct bare_ring *ring, uint32_t count, float value) {
    for (uint32_t i = 0; i < count; i++) {
        const struct bare_item item = {.target = i % bare_ring_targets, .value = value};
        bare_ring_put(ring, &item);
    }
}

void bare_ring_drain(struct bare_ring *ring) {
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    for (; read < written; read++) {
        const struct bare_item *item = &ring->items[read % bare_ring_capacity];
        ring->targets[item->target] = item->value;
    }
    atomic_store_explicit(&ring->read, read, memory_order_release);
}

bool bare_ring_stored(const struct bare_ring *ring, uint32_t count, float value) {
    for (uint32_t i = 0; i < count && i < bare_ring_targets; i++) {
        if (ring->targets[i] != value) {
            return false;
        }
    }
    return true;
}
