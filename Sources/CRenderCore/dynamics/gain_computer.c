// Computes gains in three steps: sliding minimum, release, moving average. The held gain is the
// minimum of a window of gains, with release. The window is long enough that the average of
// `lookahead` held gains never exceeds the gain that a frame permits, from `hold` frames before
// that frame to `hold` frames after it.
#include "dynamics/gain_computer.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>

static const double one = 2147483648.0; // represents a gain of 1 in `window`: 2^31
static const double nearly_one = 1.0 - 1e-6;

static uint32_t power_of_two(uint32_t minimum) {
    uint32_t power = 1;
    while (power < minimum) {
        power *= 2;
    }
    return power;
}

bool gain_computer_init(struct gain_computer *computer, uint32_t lookahead, uint32_t hold, double release_frames) {
    const uint32_t length = lookahead + 2 * hold;
    const size_t capacity = power_of_two(length + 1);
    const size_t bytes = capacity * (sizeof(uint64_t) + sizeof(float)) + lookahead * sizeof(uint32_t);
    uint64_t *frames = memory_allocate(bytes);
    if (frames == NULL) {
        return false;
    }
    (void)memory_lock(frames, bytes);
    float *gains = (float *)(frames + capacity);
    uint32_t *window = (uint32_t *)(gains + capacity);
    for (uint32_t i = 0; i < lookahead; i++) {
        window[i] = (uint32_t)one;
    }
    *computer = (struct gain_computer){
        .minimum = {.gains = gains, .frames = frames, .mask = (uint32_t)capacity - 1, .length = length},
        .release = 1.0 - exp(-1.0 / release_frames),
        .held = 1.0,
        .window = window,
        .lookahead = lookahead,
        .sum = (uint64_t)lookahead * (uint64_t)one,
        .memory = frames,
        .bytes = bytes,
    };
    return true;
}

void gain_computer_free(struct gain_computer *computer) {
    memory_unlock(computer->memory, computer->bytes);
    free(computer->memory);
}

uint32_t gain_computer_delay(const struct gain_computer *computer) RCORE_RT {
    return (computer->lookahead + computer->minimum.length) / 2 - 1; // lookahead - 1 + hold
}

static uint32_t newest_index(const struct sliding_minimum *minimum) RCORE_RT {
    return (minimum->first + minimum->count - 1) & minimum->mask;
}

// Adds the gain of a frame. Returns the minimum of the window that ends with that frame.
static float sliding_minimum_push(struct sliding_minimum *minimum, float gain, uint64_t frame) RCORE_RT {
    while (minimum->count > 0 && minimum->gains[newest_index(minimum)] >= gain) {
        minimum->count--;
    }
    minimum->count++;
    minimum->gains[newest_index(minimum)] = gain;
    minimum->frames[newest_index(minimum)] = frame;
    if (minimum->frames[minimum->first] + minimum->length <= frame) {
        minimum->first = (minimum->first + 1) & minimum->mask;
        minimum->count--;
    }
    return minimum->gains[minimum->first];
}

bool gain_computer_idle(const struct gain_computer *computer) RCORE_RT {
    return computer->held == 1.0 && computer->sum == (uint64_t)computer->lookahead * (uint64_t)one;
}

void gain_computer_apply(struct gain_computer *computer, float *gains, uint32_t nframes) RCORE_RT {
    const double scale = 1.0 / ((double)computer->lookahead * one);
    for (uint32_t i = 0; i < nframes; i++) {
        const double minimum = (double)sliding_minimum_push(&computer->minimum, gains[i], computer->frame++);
        double held = computer->held + (1.0 - computer->held) * computer->release;
        held = held > nearly_one ? 1.0 : held; // the release alone never reaches 1
        held = held < minimum ? held : minimum;
        computer->held = held;
        // The moving average: the newest held gain replaces the oldest one.
        uint32_t *oldest = &computer->window[computer->window_index];
        const uint32_t newest = (uint32_t)(held * one);
        computer->sum += (uint64_t)newest;
        computer->sum -= (uint64_t)*oldest;
        *oldest = newest;
        computer->window_index = computer->window_index + 1 < computer->lookahead ? computer->window_index + 1 : 0;
        gains[i] = (float)((double)computer->sum * scale);
    }
}
