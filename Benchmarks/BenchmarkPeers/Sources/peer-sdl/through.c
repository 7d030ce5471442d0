#include "through.h"

#include <stdatomic.h>

enum { CAPACITY = 1 << 15 };

static float ring[CAPACITY];
static atomic_uint written, taken;

void through_write(const float *samples, uint32_t count) {
    unsigned begin = atomic_load_explicit(&written, memory_order_relaxed);
    unsigned room = CAPACITY - (begin - atomic_load_explicit(&taken, memory_order_acquire));
    unsigned end = begin + (count < room ? count : room);
    for (unsigned i = begin; i != end; i++) {
        ring[i % CAPACITY] = *samples++;
    }
    atomic_store_explicit(&written, end, memory_order_release);
}

void through_read(float *samples, uint32_t count) {
    unsigned begin = atomic_load_explicit(&taken, memory_order_relaxed);
    unsigned there = atomic_load_explicit(&written, memory_order_acquire) - begin;
    for (uint32_t i = 0; i < count; i++) {
        samples[i] = i < there ? ring[(begin + i) % CAPACITY] : 0;
    }
    atomic_store_explicit(&taken, begin + (there < count ? there : count), memory_order_release);
}
