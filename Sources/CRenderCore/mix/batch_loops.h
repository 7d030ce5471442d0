// The loops of batch_mix.c for one instruction set. That file includes this one once for each set,
// and defines for it:
//
//   VECTOR_BYTES   the size of a register
//   TARGET         the attribute of functions that use the set
//   VERSION(name)  the name of a function or type of this version
//
// Each loop loads vectors of both target channels into registers, adds the samples of many voices
// to them, and stores them once. Adjacent voices that move the same gains (none, gain, or pan)
// share a pass. The voices are added in their order.

#define INLINE TARGET static inline __attribute__((always_inline))
#define vector VERSION(vector)
#define unaligned VERSION(unaligned)
#define load VERSION(load)
#define store VERSION(store)
#define VECTOR_FRAMES (VECTOR_BYTES / sizeof(float))

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
// A vector in memory, at any sample.
typedef float unaligned __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(float)), may_alias));

INLINE vector load(const float *samples) RCORE_RT { return *(const unaligned *)samples; }
INLINE void store(float *samples, vector value) RCORE_RT { *(unaligned *)samples = value; }

// ---- Moving -------------------------------------------------------------------------------------

// Adds `count` members whose gain moves and, if `pan_moves`, their pan, to `vectors` (1 or 2)
// vectors of each side, from frame `i` on. Multiplies the source by the gain, then by each side's
// gain, as in mix.c. Both gains count back from their ends: a step times a negative number of
// frames is the amount that ramp.h subtracts.
INLINE void VERSION(add_moving_vectors)(float *restrict left, float *restrict right, const struct batch_member *members,
                                        uint32_t count, uint32_t i, unsigned vectors, bool pan_moves,
                                        bool pair) RCORE_RT {
    vector lefts[2], rights[2], frames[2];
    for (unsigned v = 0; v < vectors; v++) {
        lefts[v] = load(left + i + v * VECTOR_FRAMES);
        rights[v] = load(right + i + v * VECTOR_FRAMES);
        frames[v] = load(first_frames) + (float)(int32_t)(i + v * VECTOR_FRAMES);
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct batch_member *member = &members[k];
        for (unsigned v = 0; v < vectors; v++) {
            const vector gain = member->gain_end + member->gain_step * (frames[v] - member->gain_last);
            const vector first = load(member->left + i + v * VECTOR_FRAMES) * gain;
            const vector second = pair ? load(member->right + i + v * VECTOR_FRAMES) * gain : first;
            if (pan_moves) {
                const vector ahead = frames[v] - member->stereo_last;
                lefts[v] += first * (member->stereo.ends[0] + member->stereo.steps[0] * ahead);
                rights[v] += second * (member->stereo.ends[1] + member->stereo.steps[1] * ahead);
            } else {
                lefts[v] += first * member->stereo.ends[0];
                rights[v] += second * member->stereo.ends[1];
            }
        }
    }
    for (unsigned v = 0; v < vectors; v++) {
        store(left + i + v * VECTOR_FRAMES, lefts[v]);
        store(right + i + v * VECTOR_FRAMES, rights[v]);
    }
}

// Adds the frames after the last full vector one by one.
INLINE void VERSION(add_moving)(float *restrict left, float *restrict right, const struct batch_member *members,
                                uint32_t count, uint32_t nframes, bool pan_moves, bool pair) RCORE_RT {
    uint32_t i = 0;
    for (; i + 2 * VECTOR_FRAMES <= nframes; i += 2 * VECTOR_FRAMES) {
        VERSION(add_moving_vectors)(left, right, members, count, i, 2, pan_moves, pair);
    }
    for (; i + VECTOR_FRAMES <= nframes; i += VECTOR_FRAMES) {
        VERSION(add_moving_vectors)(left, right, members, count, i, 1, pan_moves, pair);
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

// Adds `count` members to `vectors` (1 or 4) vectors of each side, from frame `i` on.
INLINE void VERSION(add_steady_vectors)(float *restrict left, float *restrict right, const struct batch_member *members,
                                        uint32_t count, uint32_t i, unsigned vectors, bool pair) RCORE_RT {
    vector lefts[4], rights[4];
    for (unsigned v = 0; v < vectors; v++) {
        lefts[v] = load(left + i + v * VECTOR_FRAMES);
        rights[v] = load(right + i + v * VECTOR_FRAMES);
    }
    for (uint32_t k = 0; k < count; k++) {
        const float *first = members[k].left + i;
        const float *second = (pair ? members[k].right : members[k].left) + i;
        for (unsigned v = 0; v < vectors; v++) {
            lefts[v] += load(first + v * VECTOR_FRAMES) * members[k].stereo.ends[0];
        }
        for (unsigned v = 0; v < vectors; v++) {
            rights[v] += load(second + v * VECTOR_FRAMES) * members[k].stereo.ends[1];
        }
    }
    for (unsigned v = 0; v < vectors; v++) {
        store(left + i + v * VECTOR_FRAMES, lefts[v]);
        store(right + i + v * VECTOR_FRAMES, rights[v]);
    }
}

// Processes four vectors at a time, since the additions to a single one depend on each other.
INLINE void VERSION(add_steady)(float *restrict left, float *restrict right, const struct batch_member *members,
                                uint32_t count, uint32_t nframes, bool pair) RCORE_RT {
    uint32_t i = 0;
    for (; i + 4 * VECTOR_FRAMES <= nframes; i += 4 * VECTOR_FRAMES) {
        VERSION(add_steady_vectors)(left, right, members, count, i, 4, pair);
    }
    for (; i + VECTOR_FRAMES <= nframes; i += VECTOR_FRAMES) {
        VERSION(add_steady_vectors)(left, right, members, count, i, 1, pair);
    }
    for (; i < nframes; i++) {
        for (uint32_t k = 0; k < count; k++) {
            left[i] += members[k].left[i] * members[k].stereo.ends[0];
            right[i] += members[k].right[i] * members[k].stereo.ends[1];
        }
    }
}

// ---- Both ---------------------------------------------------------------------------------------

INLINE void VERSION(add_members)(float *restrict left, float *restrict right, const struct batch_member *members,
                                 uint32_t count, uint32_t nframes, bool pair) RCORE_RT {
    for (uint32_t k = 0, run; k < count; k += run) {
        const uint32_t moves = members[k].moves;
        for (run = 1; k + run < count && members[k + run].moves == moves; run++) {
        }
        if (moves == MOVES_NOTHING) {
            VERSION(add_steady)(left, right, members + k, run, nframes, pair);
        } else if (moves == MOVES_GAIN) {
            VERSION(add_moving)(left, right, members + k, run, nframes, false, pair);
        } else {
            VERSION(add_moving)(left, right, members + k, run, nframes, true, pair);
        }
    }
}

TARGET static void VERSION(mix_batch)(float *restrict left, float *restrict right, const struct batch_member *members,
                                      uint32_t count, bool pair, uint32_t nframes) RCORE_RT {
    if (pair) {
        VERSION(add_members)(left, right, members, count, nframes, true);
    } else {
        VERSION(add_members)(left, right, members, count, nframes, false);
    }
}

#undef INLINE
#undef vector
#undef unaligned
#undef load
#undef store
#undef VECTOR_FRAMES
#undef VECTOR_BYTES
#undef TARGET
#undef VERSION
