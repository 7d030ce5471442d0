/// Memory allocated at set-up, and the check for finite samples.
#ifndef RCORE_MEMORY_H
#define RCORE_MEMORY_H

#include "rcore_base.h"

#include <string.h>

/// Size of a cache line, and of the widest vector load, in bytes.
#define RCORE_ALIGNMENT ((size_t)64)

/// Allocates memory aligned to RCORE_ALIGNMENT, zeroed and thus already backed by RAM. [control]
/// Returns NULL if memory cannot be allocated or `size` is 0. The caller frees it with free().
void *memory_allocate(size_t size);
/// Locks memory into RAM. [control] Returns the number of bytes that the system refused to lock.
size_t memory_lock(void *memory, size_t size);
/// Unlocks memory that `memory_lock` locked. [control]
void memory_unlock(void *memory, size_t size);

/// Returns whether a sample is neither NaN nor infinite. It tests the bits, so that no compiler
/// option can optimise the test away.
static inline bool sample_is_finite(float sample) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &sample, sizeof bits);
    return (bits & 0x7F800000u) != 0x7F800000u;
}

#endif
