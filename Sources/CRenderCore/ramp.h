/// A linear ramp, exact at its end: the value is counted back from the target, so nothing accumulates.
#ifndef RCORE_RAMP_H
#define RCORE_RAMP_H

#include "rcore_base.h"

struct ramp {
    float target;
    float step;         ///< per frame, towards the target
    uint32_t remaining; ///< frames until the target is reached
};

/// The value now: of the last frame rendered.
static inline float ramp_value(const struct ramp *ramp) RCORE_RT {
    return ramp->remaining == 0 ? ramp->target : ramp->target - ramp->step * (float)ramp->remaining;
}

/// Whether it stands still at a value.
static inline bool ramp_rests(const struct ramp *ramp, float value) RCORE_RT {
    return ramp->remaining == 0 && ramp->target == value;
}

/// Jumps.
static inline void ramp_set(struct ramp *ramp, float value) RCORE_RT {
    ramp->target = value;
    ramp->step = 0.0f;
    ramp->remaining = 0;
}

/// Goes from a value to another on a straight line, also where both are the same.
static inline void ramp_line(struct ramp *ramp, float from, float target, uint32_t nframes) RCORE_RT {
    ramp->target = target;
    ramp->step = (target - from) / (float)nframes;
    ramp->remaining = nframes;
}

/// Goes to `target` from wherever it is: the next frame already differs, the last of `nframes` is the target.
static inline void ramp_go(struct ramp *ramp, float target, uint32_t nframes) RCORE_RT {
    const float from = ramp_value(ramp);
    if (nframes == 0 || from == target) {
        ramp_set(ramp, target);
        return;
    }
    ramp_line(ramp, from, target, nframes);
}

/// The gains of a pair of ways on a straight line: `ends - steps * (last - i)` at frame i.
struct sides {
    float ends[2];
    float steps[2]; ///< 0: they stand still
};

/// An envelope that changes nothing yet.
static inline void envelope_fill(float *envelope, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        envelope[i] = 1.0f;
    }
}

/// Multiplies sample by sample.
static inline void multiply(float *restrict samples, const float *restrict factors, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] *= factors[i];
    }
}

/// Goes over from `leaving` where the weight is 0 to `samples` where it is 1: exactly these where both are the same.
static inline void fade_over(float *restrict samples, const float *restrict leaving, const float *restrict weights,
                             uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] += (leaving[i] - samples[i]) * (1.0f - weights[i]);
    }
}

/// Multiplies the next `nframes` values into `envelope`; does not advance.
static inline void ramp_multiply(const struct ramp *ramp, float *envelope, uint32_t nframes) RCORE_RT {
    const uint32_t moving = ramp->remaining < nframes ? ramp->remaining : nframes;
    const float last = (float)ramp->remaining - 1.0f;
    for (uint32_t i = 0; i < moving; i++) {
        envelope[i] *= ramp->target - ramp->step * (last - (float)i);
    }
    if (ramp->target != 1.0f) {
        for (uint32_t i = moving; i < nframes; i++) {
            envelope[i] *= ramp->target;
        }
    }
}

/// Goes on by `nframes`.
static inline void ramp_advance(struct ramp *ramp, uint32_t nframes) RCORE_RT {
    ramp->remaining = ramp->remaining > nframes ? ramp->remaining - nframes : 0;
}

/// The same, and at its end the step is 0: who reads the ramp need not ask whether it moves.
static inline void ramp_advance_to_rest(struct ramp *ramp, uint32_t nframes) RCORE_RT {
    if (ramp->remaining > nframes) {
        ramp->remaining -= nframes;
    } else if (ramp->remaining > 0) {
        ramp_set(ramp, ramp->target);
    }
}

#endif
