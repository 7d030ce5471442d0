/// Delay lines: the past of some channels. They outlast plans: a plan that needs one where another had one takes it over.
#ifndef RCORE_DELAY_H
#define RCORE_DELAY_H

#include "rcore_base.h"

struct delay {
    uint32_t users; // [control] plans
    uint32_t channels;
    uint32_t capacity; // longest delay, in frames
    uint32_t size;     // of the ring: what is written at once comes on top
    uint32_t place;    // where the next frame goes
    float *samples;    // [channel * size + place]
};

/// For delays up to `capacity`, written at most `slice_frames` at once; one user. [control] NULL when memory is short.
struct delay *delay_create(uint32_t channels, uint32_t capacity, uint32_t slice_frames);
/// One more, one fewer user; the last one frees it. NULL does nothing. [control]
struct delay *delay_take(struct delay *delay);
void delay_give(struct delay *delay);

/// Takes the next frames of all channels. [render]
void delay_write(struct delay *delay, float *const *planes, uint32_t nframes) RCORE_RT;
/// One channel, of what was written last, as it was `delayed` frames ago.
void delay_read(const struct delay *delay, uint32_t channel, uint32_t delayed, float *samples,
                uint32_t nframes) RCORE_RT;

#endif
