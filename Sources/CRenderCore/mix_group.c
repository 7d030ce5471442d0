// Sixteen frames of the pair stay in registers while all voices are added to them: the pair is read and written once for the group, and no
// voice costs a call. Which of the loops below it is does not change one bit: what does not move has a step of zero.
#include "mix_group.h"

#include "widest.h"

#include <string.h>

typedef float block __attribute__((vector_size(64)));
typedef int32_t block_integers __attribute__((vector_size(64)));
enum { block_frames = sizeof(block) / sizeof(float) };

static const block_integers first_block = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// A frame's gain on each side is one product, gain times pan, and then one sum with what is there, here as in mix.c.
#define ALWAYS static inline __attribute__((always_inline))

ALWAYS void add_block(block *restrict left, block *restrict right, const struct lane *lane, uint32_t first,
                      const block *restrict frames, unsigned moves, bool pair) RCORE_RT {
    block source, other;
    memcpy(&source, lane->samples[0] + first, sizeof source);
    if (pair) {
        memcpy(&other, lane->samples[1] + first, sizeof other);
    } else {
        other = source;
    }
    if (moves == 0) {
        *left += source * (lane->gain_end * lane->pan_ends[0]);
        *right += other * (lane->gain_end * lane->pan_ends[1]);
    } else if (moves == MOVES_GAIN) {
        const block gain = lane->gain_end - lane->gain_step * (lane->gain_last - *frames);
        *left += source * (gain * lane->pan_ends[0]);
        *right += other * (gain * lane->pan_ends[1]);
    } else {
        const block gain = lane->gain_end - lane->gain_step * (lane->gain_last - *frames);
        const block back = lane->pan_last - *frames;
        *left += source * (gain * (lane->pan_ends[0] - lane->pan_steps[0] * back));
        *right += other * (gain * (lane->pan_ends[1] - lane->pan_steps[1] * back));
    }
}

// The same for a single frame, which follows the last whole block.
ALWAYS void add_frame(float *restrict left, float *restrict right, const struct lane *lane, uint32_t i) RCORE_RT {
    const float frame = (float)(int32_t)i;
    const float gain = lane->gain_end - lane->gain_step * (lane->gain_last - frame);
    const float back = lane->pan_last - frame;
    *left += lane->samples[0][i] * (gain * (lane->pan_ends[0] - lane->pan_steps[0] * back));
    *right += lane->samples[1][i] * (gain * (lane->pan_ends[1] - lane->pan_steps[1] * back));
}

ALWAYS void add_lanes(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                      uint32_t nframes, unsigned moves, bool pair) RCORE_RT {
    uint32_t i = 0;
    for (; i + block_frames <= nframes; i += block_frames) {
        const block frames = __builtin_convertvector(first_block + (int32_t)i, block);
        block sum_left, sum_right;
        memcpy(&sum_left, left + i, sizeof sum_left);
        memcpy(&sum_right, right + i, sizeof sum_right);
        for (uint32_t k = 0; k < count; k++) {
            add_block(&sum_left, &sum_right, &lanes[k], i, &frames, moves, pair);
        }
        memcpy(left + i, &sum_left, sizeof sum_left);
        memcpy(right + i, &sum_right, sizeof sum_right);
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            add_frame(&left[i], &right[i], &lanes[k], i);
        }
    }
}

WIDEST static void standing(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                            uint32_t nframes) RCORE_RT {
    add_lanes(left, right, lanes, count, nframes, 0, true);
}

WIDEST static void gain_moving(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                               uint32_t nframes) RCORE_RT {
    add_lanes(left, right, lanes, count, nframes, MOVES_GAIN, true);
}

WIDEST static void all_moving(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                              uint32_t nframes) RCORE_RT {
    add_lanes(left, right, lanes, count, nframes, MOVES_GAIN | MOVES_PAN, true);
}

void mix_group(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count, unsigned moves,
               uint32_t nframes) RCORE_RT {
    if (moves == 0) {
        standing(left, right, lanes, count, nframes);
    } else if (moves == MOVES_GAIN) {
        gain_moving(left, right, lanes, count, nframes);
    } else {
        all_moving(left, right, lanes, count, nframes);
    }
}
