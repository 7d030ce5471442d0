// Compiles the loops of interpolation_loops.h for each instruction set, as mix/batch_mix.c does its
// own. GCC divides vectors that are larger than a register into single samples, which makes pitched
// voices three times slower.
#include "voices/interpolation.h"

#include "core/multiversion.h"

#include <string.h>

typedef float four __attribute__((vector_size(16)));

static inline __attribute__((always_inline)) four load_four(const float *samples) RCORE_RT {
    four points;
    memcpy(&points, samples, sizeof points);
    return points;
}

// Returns the value of the spline through four points, at `t` (0…1) from points[1] to points[2].
// Multiplications and additions can be contracted in one way only.
static inline __attribute__((always_inline)) float spline(const float *points, float t) RCORE_RT {
    const float linear = 0.5f * points[2] - 0.5f * points[0];
    const float quadratic = points[0] - 2.5f * points[1] + 2.0f * points[2] - 0.5f * points[3];
    const float bend = points[1] - points[2];
    const float cubic = 0.5f * (points[3] - points[0]) + (bend + 0.5f * bend);
    return ((cubic * t + quadratic) * t + linear) * t + points[1];
}

#define VECTOR_BYTES 16
#define TARGET
#define VERSION(name) name##_default
#include "voices/interpolation_loops.h"

#ifdef RCORE_SEVERAL_VERSIONS

#define VECTOR_BYTES 32
#define TARGET RCORE_TARGET_V3
#define VERSION(name) name##_v3
#include "voices/interpolation_loops.h"

#define VECTOR_BYTES 32
#define TARGET RCORE_TARGET_V4
#define VERSION(name) name##_v4
#include "voices/interpolation_loops.h"

#endif

SELECT_VERSION(interpolate,
               (float *restrict target, const float *restrict row, const int32_t *restrict frames,
                const float *restrict fractions, uint32_t nframes),
               (target, row, frames, fractions, nframes))
SELECT_VERSION(interpolate_evenly,
               (float *restrict target, const float *restrict row, uint64_t position, uint64_t speed, uint32_t nframes),
               (target, row, position, speed, nframes))
