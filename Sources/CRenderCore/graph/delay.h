/// Delay lines: ring buffers of past samples. Successive plans share a delay line at the same point
/// of the graph.
#ifndef RCORE_DELAY_H
#define RCORE_DELAY_H

#include "rcore_base.h"

struct delay {
    /// Number of plans that share it. [control]
    uint32_t references;
    uint32_t channels;
    /// Longest delay, in frames.
    uint32_t capacity;
    /// Frames of the ring: the capacity plus the longest write.
    uint32_t size;
    /// Ring index of the next frame to write.
    uint32_t write_index;
    /// [channel * size + index]
    float *samples;
};

/// Creates a delay line with one reference, for delays of up to `capacity` frames and writes of at
/// most `block_frames`. [control] Returns NULL if memory cannot be allocated.
struct delay *delay_create(uint32_t channels, uint32_t capacity, uint32_t block_frames);
/// Adds a reference and returns the delay line. NULL does nothing. [control]
struct delay *delay_retain(struct delay *delay);
/// Removes a reference. Removing the last one frees the delay line. NULL does nothing. [control]
void delay_release(struct delay *delay);

/// Writes the next frames of all channels. [render]
void delay_write(struct delay *delay, float *const *planes, uint32_t nframes) RCORE_RT;
/// Reads one channel of the last `nframes` frames written, delayed by `delayed` frames. [render]
void delay_read(const struct delay *delay, uint32_t channel, uint32_t delayed, float *samples,
                uint32_t nframes) RCORE_RT;

#endif
