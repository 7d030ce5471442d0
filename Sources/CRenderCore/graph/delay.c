#include "graph/delay.h"

#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

struct delay *delay_create(uint32_t channels, uint32_t capacity, uint32_t block_frames) {
    struct delay *delay = memory_allocate(sizeof *delay);
    if (delay == NULL) {
        return NULL;
    }
    const uint32_t size = capacity + block_frames;
    delay->samples = memory_allocate(sizeof(float) * size * channels);
    if (delay->samples == NULL) {
        free(delay);
        return NULL;
    }
    delay->references = 1;
    delay->channels = channels;
    delay->capacity = capacity;
    delay->size = size;
    (void)memory_lock(delay->samples, sizeof(float) * size * channels);
    return delay;
}

struct delay *delay_retain(struct delay *delay) {
    if (delay != NULL) {
        delay->references += 1;
    }
    return delay;
}

void delay_release(struct delay *delay) {
    if (delay != NULL && --delay->references == 0) {
        memory_unlock(delay->samples, sizeof(float) * delay->size * delay->channels);
        free(delay->samples);
        free(delay);
    }
}

void delay_write(struct delay *delay, float *const *planes, uint32_t nframes) RCORE_RT {
    const uint32_t until_wrap = delay->size - delay->write_index;
    const uint32_t first = nframes < until_wrap ? nframes : until_wrap;
    for (uint32_t channel = 0; channel < delay->channels; channel++) {
        float *ring = delay->samples + (size_t)channel * delay->size;
        memcpy(ring + delay->write_index, planes[channel], sizeof(float) * first);
        memcpy(ring, planes[channel] + first, sizeof(float) * (nframes - first));
    }
    delay->write_index = (delay->write_index + nframes) % delay->size;
}

void delay_read(const struct delay *delay, uint32_t channel, uint32_t delayed, float *samples,
                uint32_t nframes) RCORE_RT {
    const float *ring = delay->samples + (size_t)channel * delay->size;
    const uint32_t start = (delay->write_index + delay->size - nframes + delay->size - delayed) % delay->size;
    const uint32_t until_wrap = delay->size - start;
    const uint32_t first = nframes < until_wrap ? nframes : until_wrap;
    memcpy(samples, ring + start, sizeof(float) * first);
    memcpy(samples + first, ring, sizeof(float) * (nframes - first));
}
