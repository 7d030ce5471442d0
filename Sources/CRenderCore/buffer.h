/// Inside of a memory source, for the cycle.
#ifndef RCORE_BUFFER_INTERNAL_H
#define RCORE_BUFFER_INTERNAL_H

#include "rcore_buffer.h"

#include <stdatomic.h>

struct rcore_buffer {
    uint64_t nframes;
    uint64_t stride; // samples from one channel to the next
    uint64_t nonfinite;
    uint32_t channels;
    uint32_t references; // [control]
    _Atomic(uint32_t) users;
    float *samples; // [channel * stride + frame]
};

#endif
