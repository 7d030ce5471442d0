#include "delay.h"

#include "memory.h"

#include <stdlib.h>

struct delay *delay_create(uint32_t channels, uint32_t capacity, uint32_t slice_frames) {
    struct delay *delay = memory_allocate(sizeof *delay);
    if (delay == NULL) {
        return NULL;
    }
    const uint32_t size = capacity + slice_frames;
    delay->samples = memory_allocate(sizeof(float) * size * channels);
    if (delay->samples == NULL) {
        free(delay);
        return NULL;
    }
    delay->users = 1;
    delay->channels = channels;
    delay->capacity = capacity;
    delay->size = size;
    (void)memory_lock(delay->samples, sizeof(float) * size * channels);
    return delay;
}

struct delay *delay_take(struct delay *delay) {
    if (delay != NULL) {
        delay->users += 1;
    }
    return delay;
}

void delay_give(struct delay *delay) {
    if (delay != NULL && --delay->users == 0) {
        memory_unlock(delay->samples, sizeof(float) * delay->size * delay->channels);
        free(delay->samples);
        free(delay);
    }
}

void delay_write(struct delay *delay, float *const *planes, uint32_t nframes) RCORE_RT {
    const uint32_t space = delay->size - delay->place;
    const uint32_t first = nframes < space ? nframes : space;
    for (uint32_t channel = 0; channel < delay->channels; channel++) {
        float *ring = delay->samples + (size_t)channel * delay->size;
        memcpy(ring + delay->place, planes[channel], sizeof(float) * first);
        memcpy(ring, planes[channel] + first, sizeof(float) * (nframes - first));
    }
    delay->place = (delay->place + nframes) % delay->size;
}

void delay_read(const struct delay *delay, uint32_t channel, uint32_t delayed, float *samples,
                uint32_t nframes) RCORE_RT {
    const float *ring = delay->samples + (size_t)channel * delay->size;
    const uint32_t start = (delay->place + delay->size - nframes + delay->size - delayed) % delay->size;
    const uint32_t space = delay->size - start;
    const uint32_t first = nframes < space ? nframes : space;
    memcpy(samples, ring + start, sizeof(float) * first);
    memcpy(samples + first, ring, sizeof(float) * (nframes - first));
}
