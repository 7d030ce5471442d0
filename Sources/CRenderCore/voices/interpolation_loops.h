// The loops of interpolation.c for one instruction set. That file includes this one once for each
// set, and defines for it:
//
//   VECTOR_BYTES   the size of a vector, 16 or 32: at most that of a register
//   TARGET         the attribute of functions that use the set
//   VERSION(name)  the name of a function or type of this version
//
// A vector of frames is interpolated at a time: the four points of each frame are loaded together,
// as they lie, and transposed into columns. (Gathering each column separately is slower.)

#include "voices/interpolation.h"

#define INLINE TARGET static inline __attribute__((always_inline))
#define vector VERSION(vector)
#define counts VERSION(counts)
#define integers VERSION(integers)
#define VECTOR_FRAMES (VECTOR_BYTES / sizeof(float))

typedef float vector __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t counts __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t integers __attribute__((vector_size(VECTOR_BYTES)));

// The points of the frames `i` and, in a vector of two parts, `i` + 4; and the order in which
// shuffles of two vectors interleave them. Shuffles stay within the parts of 16 bytes.
#if VECTOR_BYTES == 16
#define POINTS(i) points[i]
#define FRAME_NUMBERS 0, 1, 2, 3
#define FIRST_SAMPLES 0, 4, 1, 5
#define LAST_SAMPLES 2, 6, 3, 7
#define FIRST_PAIRS 0, 1, 4, 5
#define LAST_PAIRS 2, 3, 6, 7
#else
#define POINTS(i) __builtin_shufflevector(points[i], points[(i) + 4], 0, 1, 2, 3, 4, 5, 6, 7)
#define FRAME_NUMBERS 0, 1, 2, 3, 4, 5, 6, 7
#define FIRST_SAMPLES 0, 8, 1, 9, 4, 12, 5, 13
#define LAST_SAMPLES 2, 10, 3, 11, 6, 14, 7, 15
#define FIRST_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define LAST_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#endif

// Interpolates a vector of frames. `points`: the four points of each frame.
INLINE void VERSION(interpolate_vector)(float *target, const four *points, vector t) RCORE_RT {
    const vector p = POINTS(0), q = POINTS(1), r = POINTS(2), s = POINTS(3);
    const vector first_pq = __builtin_shufflevector(p, q, FIRST_SAMPLES);
    const vector first_rs = __builtin_shufflevector(r, s, FIRST_SAMPLES);
    const vector last_pq = __builtin_shufflevector(p, q, LAST_SAMPLES);
    const vector last_rs = __builtin_shufflevector(r, s, LAST_SAMPLES);
    const vector before = __builtin_shufflevector(first_pq, first_rs, FIRST_PAIRS);
    const vector here = __builtin_shufflevector(first_pq, first_rs, LAST_PAIRS);
    const vector next = __builtin_shufflevector(last_pq, last_rs, FIRST_PAIRS);
    const vector after = __builtin_shufflevector(last_pq, last_rs, LAST_PAIRS);
    const vector linear = 0.5f * next - 0.5f * before;
    const vector quadratic = before - 2.5f * here + 2.0f * next - 0.5f * after;
    const vector bend = here - next;
    const vector cubic = 0.5f * (after - before) + (bend + 0.5f * bend);
    const vector value = ((cubic * t + quadratic) * t + linear) * t + here;
    memcpy(target, &value, sizeof value);
}

TARGET static void VERSION(interpolate)(float *restrict target, const float *restrict row,
                                        const int32_t *restrict frames, const float *restrict fractions,
                                        uint32_t nframes) RCORE_RT {
    uint32_t i = 0;
    for (; i + VECTOR_FRAMES <= nframes; i += VECTOR_FRAMES) {
        four points[VECTOR_FRAMES];
        for (unsigned k = 0; k < VECTOR_FRAMES; k++) {
            points[k] = load_four(row + frames[i + k]);
        }
        vector t;
        memcpy(&t, fractions + i, sizeof t);
        VERSION(interpolate_vector)(target + i, points, t);
    }
    for (; i < nframes; i++) {
        target[i] = spline(row + frames[i], fractions[i]);
    }
}

TARGET static void VERSION(interpolate_evenly)(float *restrict target, const float *restrict row, uint64_t position,
                                               uint64_t speed, uint32_t nframes) RCORE_RT {
    counts fractions = (uint32_t)position + (counts){FRAME_NUMBERS} * (uint32_t)speed;
    uint32_t i = 0;
    for (; i + VECTOR_FRAMES <= nframes; i += VECTOR_FRAMES) {
        four points[VECTOR_FRAMES];
        uint64_t next = position;
        for (unsigned k = 0; k < VECTOR_FRAMES; k++, next += speed) {
            points[k] = load_four(row + (next >> 32));
        }
        const vector t = __builtin_convertvector((integers)(fractions >> 8), vector) * 0x1p-24f;
        VERSION(interpolate_vector)(target + i, points, t);
        fractions += (uint32_t)VECTOR_FRAMES * (uint32_t)speed;
        position += VECTOR_FRAMES * speed;
    }
    for (; i < nframes; i++, position += speed) {
        target[i] = spline(row + (position >> 32), interpolation_fraction(position));
    }
}

#undef INLINE
#undef vector
#undef counts
#undef integers
#undef POINTS
#undef FRAME_NUMBERS
#undef FIRST_SAMPLES
#undef LAST_SAMPLES
#undef FIRST_PAIRS
#undef LAST_PAIRS
#undef VECTOR_FRAMES
#undef VECTOR_BYTES
#undef TARGET
#undef VERSION
