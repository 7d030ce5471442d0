// A block of the pair stays in registers while all voices are added to it: the pair is read and written once for many, and no voice costs
// a call. Neighbours of which the same moves share a pass, in the order of all.
#include "mix_group.h"

#include "widest.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

typedef float block __attribute__((vector_size(64)));
enum { block_frames = sizeof(block) / sizeof(float) };

static const block first_frames = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- Moving ---------------------------------------------------------------------------------------------------------------------

// The source times the gain, then times each side, as in mix.c. Both count on from their ends, so from below zero: a step times a negative
// number is what ramp.h takes away.
ALWAYS void add_block(block *restrict left, block *restrict right, const struct lane *lane, uint32_t i,
                      const block *restrict frames, bool pan_moves, bool pair) RCORE_RT {
    block first, second;
    memcpy(&first, lane->left + i, sizeof(block));
    memcpy(&second, (pair ? lane->right : lane->left) + i, sizeof(block));
    const block gain = lane->gain_end + lane->gain_step * (*frames - lane->gain_last);
    first *= gain;
    second *= gain;
    if (pan_moves) {
        const block ahead = *frames - lane->sides_last;
        *left += first * (lane->sides.ends[0] + lane->sides.steps[0] * ahead);
        *right += second * (lane->sides.ends[1] + lane->sides.steps[1] * ahead);
    } else {
        *left += first * lane->sides.ends[0];
        *right += second * lane->sides.ends[1];
    }
}

ALWAYS void add_moving(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                       uint32_t nframes, bool pan_moves, bool pair) RCORE_RT {
    uint32_t i = 0;
    for (; i + block_frames <= nframes; i += block_frames) {
        const block frames = first_frames + (float)(int32_t)i;
        block sums[2];
        memcpy(&sums[0], left + i, sizeof(block));
        memcpy(&sums[1], right + i, sizeof(block));
        for (uint32_t k = 0; k < count; k++) {
            add_block(&sums[0], &sums[1], &lanes[k], i, &frames, pan_moves, pair);
        }
        memcpy(left + i, &sums[0], sizeof(block));
        memcpy(right + i, &sums[1], sizeof(block));
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            const struct lane *lane = &lanes[k];
            const float frame = (float)(int32_t)i;
            const float gain = lane->gain_end + lane->gain_step * (frame - lane->gain_last);
            const float ahead = frame - lane->sides_last;
            left[i] += lane->left[i] * gain * (lane->sides.ends[0] + lane->sides.steps[0] * ahead);
            right[i] += lane->right[i] * gain * (lane->sides.ends[1] + lane->sides.steps[1] * ahead);
        }
    }
}

// ---- Standing -------------------------------------------------------------------------------------------------------------------

// Then gain and side are one number.
struct gains {
    float left;
    float right;
};

ALWAYS void add_blocks(float *restrict left, float *restrict right, const struct lane *lanes, const struct gains *gains,
                       uint32_t count, uint32_t i, unsigned blocks, bool pair) RCORE_RT {
    block lefts[2], rights[2];
    memcpy(lefts, left + i, blocks * sizeof(block));
    memcpy(rights, right + i, blocks * sizeof(block));
    for (uint32_t k = 0; k < count; k++) {
        block source[2], other[2];
        memcpy(source, lanes[k].left + i, blocks * sizeof(block));
        memcpy(other, (pair ? lanes[k].right : lanes[k].left) + i, blocks * sizeof(block));
        for (unsigned b = 0; b < blocks; b++) {
            lefts[b] += source[b] * gains[k].left;
            rights[b] += other[b] * gains[k].right;
        }
    }
    memcpy(left + i, lefts, blocks * sizeof(block));
    memcpy(right + i, rights, blocks * sizeof(block));
}

// Two blocks at a time: the sums of one alone would wait for each other.
ALWAYS void add_standing(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                         uint32_t nframes, bool pair) RCORE_RT {
    struct gains gains[GROUP_MOST];
    for (uint32_t k = 0; k < count; k++) {
        gains[k] =
            (struct gains){lanes[k].gain_end * lanes[k].sides.ends[0], lanes[k].gain_end * lanes[k].sides.ends[1]};
    }
    uint32_t i = 0;
    for (; i + 2 * block_frames <= nframes; i += 2 * block_frames) {
        add_blocks(left, right, lanes, gains, count, i, 2, pair);
    }
    for (; i + block_frames <= nframes; i += block_frames) {
        add_blocks(left, right, lanes, gains, count, i, 1, pair);
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            left[i] += lanes[k].left[i] * gains[k].left;
            right[i] += lanes[k].right[i] * gains[k].right;
        }
    }
}

// ---- Both -----------------------------------------------------------------------------------------------------------------------

ALWAYS void add_lanes(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                      uint32_t nframes, bool pair) RCORE_RT {
    for (uint32_t k = 0, run; k < count; k += run) {
        const uint32_t moves = lanes[k].moves;
        for (run = 1; k + run < count && lanes[k + run].moves == moves; run++) {
        }
        if (moves == LANE_NOTHING) {
            add_standing(left, right, lanes + k, run, nframes, pair);
        } else if (moves == LANE_GAIN) {
            add_moving(left, right, lanes + k, run, nframes, false, pair);
        } else {
            add_moving(left, right, lanes + k, run, nframes, true, pair);
        }
    }
}

WIDEST static void add_mono(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                            uint32_t nframes) RCORE_RT {
    add_lanes(left, right, lanes, count, nframes, false);
}

WIDEST static void add_pairs(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count,
                             uint32_t nframes) RCORE_RT {
    add_lanes(left, right, lanes, count, nframes, true);
}

void mix_group(float *restrict left, float *restrict right, const struct lane *lanes, uint32_t count, bool pair,
               uint32_t nframes) RCORE_RT {
    (pair ? add_pairs : add_mono)(left, right, lanes, count, nframes);
}
