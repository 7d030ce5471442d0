/// Peak meters, which the cycle raises and any thread takes.
#ifndef RCORE_PEAK_H
#define RCORE_PEAK_H

#include "rcore_base.h"

#include <stdatomic.h>
#include <string.h>

/// Raises a peak meter to `peak` if that is higher. Non-negative floats have the same order as
/// their bits. A reader that takes the peak between the load and the store loses at most the peak
/// of one block.
static inline void raise_peak(_Atomic(uint32_t) *meter, float peak) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &peak, sizeof bits);
    if (bits > atomic_load_explicit(meter, memory_order_relaxed)) {
        atomic_store_explicit(meter, bits, memory_order_relaxed);
    }
}

/// Returns and resets a peak.
static inline float take_peak(_Atomic(uint32_t) *meter) RCORE_RT {
    const uint32_t bits = atomic_exchange_explicit(meter, 0, memory_order_relaxed);
    float peak;
    memcpy(&peak, &bits, sizeof peak);
    return peak;
}

#endif
