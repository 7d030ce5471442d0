/// Inside of a memory source, for the cycle.
#ifndef RCORE_BUFFER_INTERNAL_H
#define RCORE_BUFFER_INTERNAL_H

#include "rcore_buffer.h"

struct rcore_buffer {
    uint64_t nframes;
    uint64_t stride; // samples from one channel to the next
    uint64_t nonfinite;
    uint32_t channels;
    uint32_t references; // [control]
    float *samples;      // [channel * stride + frame]
};

#endif
