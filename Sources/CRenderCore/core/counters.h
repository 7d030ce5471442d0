/// Counters that the cycle adds to and any thread reads.
#ifndef RCORE_COUNTERS_H
#define RCORE_COUNTERS_H

#include "rcore_base.h"

#include <stdatomic.h>

struct counters {
    _Atomic(uint64_t) cycles;
    _Atomic(uint64_t) late_commands;
    _Atomic(uint64_t) dropped_events;
    _Atomic(uint64_t) underrun_frames;
    _Atomic(uint64_t) stolen_voices;
    _Atomic(uint64_t) refused_voices;
    _Atomic(uint64_t) nonfinite_samples;
    _Atomic(uint64_t) dropped_midi;
    _Atomic(uint32_t) playing_voices;
};

/// Adds to a counter that only one thread writes.
static inline void add_to_counter(_Atomic(uint64_t) *counter, uint64_t amount) RCORE_RT {
    const uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + amount, memory_order_relaxed);
}

#endif
