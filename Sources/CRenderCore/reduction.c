// Held, released, averaged. The held gain of a frame is the least that any frame of a window needs, which reaches so far ahead and back that the average
// over `fall` of them is never above what a frame needs, from `hold` frames before it until `hold` behind it.
#include "reduction.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>

static const double one = 2147483648.0; // of `recent`
static const double nearly = 1.0 - 1e-6;

static uint32_t power_of_two(uint32_t least) {
    uint32_t power = 1;
    while (power < least) {
        power *= 2;
    }
    return power;
}

bool reduction_init(struct reduction *reduction, uint32_t fall, uint32_t hold, double release_frames) {
    const uint32_t length = fall + 2 * hold;
    const size_t places = power_of_two(length + 1);
    const size_t bytes = places * (sizeof(uint64_t) + sizeof(float)) + fall * sizeof(uint32_t);
    uint64_t *frames = memory_allocate(bytes);
    if (frames == NULL) {
        return false;
    }
    (void)memory_lock(frames, bytes);
    float *gains = (float *)(frames + places);
    uint32_t *recent = (uint32_t *)(gains + places);
    for (uint32_t i = 0; i < fall; i++) {
        recent[i] = (uint32_t)one;
    }
    *reduction = (struct reduction){
        .least = {.gains = gains, .frames = frames, .mask = (uint32_t)places - 1, .length = length},
        .release = 1.0 - exp(-1.0 / release_frames),
        .held = 1.0,
        .recent = recent,
        .fall = fall,
        .sum = (uint64_t)fall * (uint64_t)one,
        .memory = frames,
        .bytes = bytes,
    };
    return true;
}

void reduction_free(struct reduction *reduction) {
    memory_unlock(reduction->memory, reduction->bytes);
    free(reduction->memory);
}

uint32_t reduction_delay(const struct reduction *reduction) RCORE_RT {
    return (reduction->fall + reduction->least.length) / 2 - 1; // fall - 1 + hold
}

static uint32_t last_place(const struct least *least) RCORE_RT {
    return (least->first + least->count - 1) & least->mask;
}

// Takes a frame's gain; returns the least of the window that ends with it.
static float least_take(struct least *least, float gain, uint64_t frame) RCORE_RT {
    while (least->count > 0 && least->gains[last_place(least)] >= gain) {
        least->count--;
    }
    least->count++;
    least->gains[last_place(least)] = gain;
    least->frames[last_place(least)] = frame;
    if (least->frames[least->first] + least->length <= frame) {
        least->first = (least->first + 1) & least->mask;
        least->count--;
    }
    return least->gains[least->first];
}

bool reduction_rests(const struct reduction *reduction) RCORE_RT {
    return reduction->held == 1.0 && reduction->sum == (uint64_t)reduction->fall * (uint64_t)one;
}

void reduction_apply(struct reduction *reduction, float *gains, uint32_t nframes) RCORE_RT {
    const double share = 1.0 / ((double)reduction->fall * one);
    for (uint32_t i = 0; i < nframes; i++) {
        const double least = (double)least_take(&reduction->least, gains[i], reduction->frame++);
        double held = reduction->held + (1.0 - reduction->held) * reduction->release;
        held = held > nearly ? 1.0 : held; // it arrives
        held = held < least ? held : least;
        reduction->held = held;
        uint32_t *oldest = &reduction->recent[reduction->place];
        const uint32_t newest = (uint32_t)(held * one);
        reduction->sum += (uint64_t)newest;
        reduction->sum -= (uint64_t)*oldest;
        *oldest = newest;
        reduction->place = reduction->place + 1 < reduction->fall ? reduction->place + 1 : 0;
        gains[i] = (float)((double)reduction->sum * share);
    }
}
