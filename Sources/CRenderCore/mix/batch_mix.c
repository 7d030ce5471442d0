// Each loop loads a vector of both target channels into registers, adds the samples of many voices
// to it, and stores it once. Adjacent voices that move the same gains (none, gain, or pan) share a
// pass. The voices are added in their order.
#include "mix/batch_mix.h"

#include "core/multiversion.h"

#include <string.h>

#define ALWAYS static inline __attribute__((always_inline))

typedef float vector __attribute__((vector_size(64)));
enum { vector_frames = sizeof(vector) / sizeof(float) };

static const vector first_frames = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- Moving -------------------------------------------------------------------------------------

// Multiplies the source by the gain, then by each side's gain, as in mix.c. Both gains count back
// from their ends: a step times a negative number of frames is the amount that ramp.h subtracts.
ALWAYS void add_vector(vector *restrict left, vector *restrict right, const struct batch_member *member, uint32_t i,
                       const vector *restrict frames, bool pan_moves, bool pair) RCORE_RT {
    vector first, second;
    memcpy(&first, member->left + i, sizeof(vector));
    memcpy(&second, (pair ? member->right : member->left) + i, sizeof(vector));
    const vector gain = member->gain_end + member->gain_step * (*frames - member->gain_last);
    first *= gain;
    second *= gain;
    if (pan_moves) {
        const vector ahead = *frames - member->stereo_last;
        *left += first * (member->stereo.ends[0] + member->stereo.steps[0] * ahead);
        *right += second * (member->stereo.ends[1] + member->stereo.steps[1] * ahead);
    } else {
        *left += first * member->stereo.ends[0];
        *right += second * member->stereo.ends[1];
    }
}

// Adds `count` members whose gain moves and, if `pan_moves`, their pan. Adds the frames after the
// last full vector one by one.
ALWAYS void add_moving(float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
                       uint32_t nframes, bool pan_moves, bool pair) RCORE_RT {
    uint32_t i = 0;
    for (; i + vector_frames <= nframes; i += vector_frames) {
        const vector frames = first_frames + (float)(int32_t)i;
        vector sums[2];
        memcpy(&sums[0], left + i, sizeof(vector));
        memcpy(&sums[1], right + i, sizeof(vector));
        for (uint32_t k = 0; k < count; k++) {
            add_vector(&sums[0], &sums[1], &members[k], i, &frames, pan_moves, pair);
        }
        memcpy(left + i, &sums[0], sizeof(vector));
        memcpy(right + i, &sums[1], sizeof(vector));
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            const struct batch_member *member = &members[k];
            const float frame = (float)(int32_t)i;
            const float gain = member->gain_end + member->gain_step * (frame - member->gain_last);
            const float ahead = frame - member->stereo_last;
            left[i] += member->left[i] * gain * (member->stereo.ends[0] + member->stereo.steps[0] * ahead);
            right[i] += member->right[i] * gain * (member->stereo.ends[1] + member->stereo.steps[1] * ahead);
        }
    }
}

// ---- Steady -------------------------------------------------------------------------------------

// Products of a steady gain and the steady gains of both sides.
struct gains {
    float left;
    float right;
};

// Adds all members to `vectors` (1 or 2) vectors of each side, from frame `i` on.
ALWAYS void add_vectors(float *restrict left, float *restrict right, const struct batch_member *members,
                        const struct gains *gains, uint32_t count, uint32_t i, unsigned vectors, bool pair) RCORE_RT {
    vector lefts[2], rights[2];
    memcpy(lefts, left + i, vectors * sizeof(vector));
    memcpy(rights, right + i, vectors * sizeof(vector));
    for (uint32_t k = 0; k < count; k++) {
        vector source[2], other[2];
        memcpy(source, members[k].left + i, vectors * sizeof(vector));
        memcpy(other, (pair ? members[k].right : members[k].left) + i, vectors * sizeof(vector));
        for (unsigned b = 0; b < vectors; b++) {
            lefts[b] += source[b] * gains[k].left;
            rights[b] += other[b] * gains[k].right;
        }
    }
    memcpy(left + i, lefts, vectors * sizeof(vector));
    memcpy(right + i, rights, vectors * sizeof(vector));
}

// Processes two vectors at a time, since the additions to a single one depend on each other.
ALWAYS void add_steady(float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
                       uint32_t nframes, bool pair) RCORE_RT {
    struct gains gains[BATCH_MAX];
    for (uint32_t k = 0; k < count; k++) {
        gains[k] = (struct gains){members[k].gain_end * members[k].stereo.ends[0],
                                  members[k].gain_end * members[k].stereo.ends[1]};
    }
    uint32_t i = 0;
    for (; i + 2 * vector_frames <= nframes; i += 2 * vector_frames) {
        add_vectors(left, right, members, gains, count, i, 2, pair);
    }
    for (; i + vector_frames <= nframes; i += vector_frames) {
        add_vectors(left, right, members, gains, count, i, 1, pair);
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            left[i] += members[k].left[i] * gains[k].left;
            right[i] += members[k].right[i] * gains[k].right;
        }
    }
}

// ---- Both ---------------------------------------------------------------------------------------

ALWAYS void add_members(float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
                        uint32_t nframes, bool pair) RCORE_RT {
    for (uint32_t k = 0, run; k < count; k += run) {
        const uint32_t moves = members[k].moves;
        for (run = 1; k + run < count && members[k + run].moves == moves; run++) {
        }
        if (moves == MOVES_NOTHING) {
            add_steady(left, right, members + k, run, nframes, pair);
        } else if (moves == MOVES_GAIN) {
            add_moving(left, right, members + k, run, nframes, false, pair);
        } else {
            add_moving(left, right, members + k, run, nframes, true, pair);
        }
    }
}

MULTIVERSION static void add_mono(float *restrict left, float *restrict right, const struct batch_member *members,
                                  uint32_t count, uint32_t nframes) RCORE_RT {
    add_members(left, right, members, count, nframes, false);
}

MULTIVERSION static void add_pairs(float *restrict left, float *restrict right, const struct batch_member *members,
                                   uint32_t count, uint32_t nframes) RCORE_RT {
    add_members(left, right, members, count, nframes, true);
}

void mix_batch(float *restrict left, float *restrict right, const struct batch_member *members, uint32_t count,
               bool pair, uint32_t nframes) RCORE_RT {
    (pair ? add_pairs : add_mono)(left, right, members, count, nframes);
}
