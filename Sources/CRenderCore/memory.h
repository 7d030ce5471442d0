/// Set-up's memory, and what samples must not be.
#ifndef RCORE_MEMORY_H
#define RCORE_MEMORY_H

#include "rcore_base.h"

#include <string.h>

/// Bytes of a cache line, and of the widest vector load.
#define RCORE_ALIGNMENT ((size_t)64)

/// Allocates zeroed, touched memory aligned to RCORE_ALIGNMENT; NULL when short. [control] Freed with free().
void *memory_allocate(size_t size);
/// Locks memory into RAM; returns the bytes that the system refused to lock. [control]
size_t memory_lock(void *memory, size_t size);
/// Ends what `memory_lock` began. [control]
void memory_unlock(void *memory, size_t size);

/// Tells whether a sample is neither NaN nor infinite; by its bits, so that no compiler option can fold it away.
static inline bool sample_is_finite(float sample) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    return (bits & 0x7F800000u) != 0x7F800000u;
}

#endif
