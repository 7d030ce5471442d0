/// Internals of a memory source, for the cycle.
#ifndef RCORE_BUFFER_INTERNAL_H
#define RCORE_BUFFER_INTERNAL_H

#include "rcore_buffer.h"

#include <stdatomic.h>

struct page_cache;

struct rcore_buffer {
    uint64_t nframes;
    /// Samples from one channel to the next.
    uint64_t stride;
    uint64_t nonfinite;
    uint32_t channels;
    _Atomic(uint32_t) references;
    _Atomic(uint32_t) users;
    /// [channel * stride + frame]; of a streamed buffer, the samples of its head.
    float *samples;

    /// Of a streamed buffer (page_cache.h); NULL for others.
    struct page_cache *cache;
    rcore_buffer_t *head;
    void *context;
    uint64_t head_frames;
    /// The slot of each page; RCORE_NONE: it has none. [render]
    uint32_t *slots;
    /// Number of pages that have a slot. [render]
    uint32_t page_count;
    /// Binary logarithm of the number of frames of a page.
    uint32_t page_shift;
};

#endif
