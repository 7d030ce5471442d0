#include "wakes.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct latency_wakes {
    uint32_t capacity;
    _Atomic bool notes;
    _Atomic uint32_t count;
    latency_wake_t items[];
};

latency_wakes_t *latency_wakes_create(uint32_t capacity) {
    size_t size = sizeof(latency_wakes_t) + capacity * sizeof(latency_wake_t);
    latency_wakes_t *wakes = malloc(size);
    if (wakes != NULL) {
        memset(wakes, 0, size); // touches all pages
        wakes->capacity = capacity;
    }
    return wakes;
}

void latency_wakes_destroy(latency_wakes_t *wakes) { free(wakes); }

void latency_wakes_note(latency_wakes_t *wakes, bool notes) { atomic_store(&wakes->notes, notes); }

uint32_t latency_wakes_count(const latency_wakes_t *wakes) { return atomic_load(&wakes->count); }

latency_wake_t latency_wakes_at(const latency_wakes_t *wakes, uint32_t index) { return wakes->items[index]; }

void wakes_add(latency_wakes_t *wakes, latency_wake_t wake) {
    if (wakes == NULL || !atomic_load(&wakes->notes)) {
        return;
    }
    uint32_t count = atomic_load_explicit(&wakes->count, memory_order_relaxed);
    if (count == wakes->capacity) {
        return;
    }
    wakes->items[count] = wake;
    atomic_store_explicit(&wakes->count, count + 1, memory_order_release);
}
