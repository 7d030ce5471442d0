/// Internals of a memory source, for the cycle.
#ifndef RCORE_BUFFER_INTERNAL_H
#define RCORE_BUFFER_INTERNAL_H

#include "rcore_buffer.h"

#include <stdatomic.h>

struct rcore_buffer {
    uint64_t nframes;
    /// Samples from one channel to the next.
    uint64_t stride;
    uint64_t nonfinite;
    uint32_t channels;
    /// [control]
    uint32_t references;
    _Atomic(uint32_t) users;
    /// [channel * stride + frame]
    float *samples;
};

#endif
