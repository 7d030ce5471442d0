/// A linear ramp that is exact at its end: its value is counted back from the target, so no error
/// accumulates.
#ifndef RCORE_RAMP_H
#define RCORE_RAMP_H

#include "rcore_base.h"

struct ramp {
    float target;
    /// Change per frame, towards the target.
    float step;
    /// Frames until the target is reached.
    uint32_t remaining;
};

/// Returns the current value: that of the last frame rendered.
static inline float ramp_value(const struct ramp *ramp) RCORE_RT {
    return ramp->remaining == 0 ? ramp->target : ramp->target - ramp->step * (float)ramp->remaining;
}

/// Returns whether the ramp is over and its value is `value`.
static inline bool ramp_is_at(const struct ramp *ramp, float value) RCORE_RT {
    return ramp->remaining == 0 && ramp->target == value;
}

/// Sets the value without a ramp.
static inline void ramp_set(struct ramp *ramp, float value) RCORE_RT {
    ramp->target = value;
    ramp->step = 0.0f;
    ramp->remaining = 0;
}

/// Starts a straight line from one value to another, even if both are the same.
static inline void ramp_line(struct ramp *ramp, float from, float target, uint32_t nframes) RCORE_RT {
    ramp->target = target;
    ramp->step = (target - from) / (float)nframes;
    ramp->remaining = nframes;
}

/// Starts a ramp to `target` from the current value: the next frame already differs, and the last
/// of `nframes` is the target. Sets the target at once if `nframes` is 0 or the value is the target
/// already.
static inline void ramp_to(struct ramp *ramp, float target, uint32_t nframes) RCORE_RT {
    const float from = ramp_value(ramp);
    if (nframes == 0 || from == target) {
        ramp_set(ramp, target);
        return;
    }
    ramp_line(ramp, from, target, nframes);
}

/// The gains of a left and a right channel on straight lines: `ends - steps * (last - i)` at frame
/// i, where `last` is the frame at which the lines end.
struct stereo_gains {
    float ends[2];
    /// 0 while the gains are constant.
    float steps[2];
};

/// Fills an envelope with 1.
static inline void envelope_fill(float *envelope, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        envelope[i] = 1.0f;
    }
}

/// Multiplies each sample by its factor.
static inline void multiply(float *restrict samples, const float *restrict factors, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] *= factors[i];
    }
}

/// Crossfades from `outgoing` (weight 0) to `samples` (weight 1). Samples that are the same in both
/// do not change.
static inline void fade_over(float *restrict samples, const float *restrict outgoing, const float *restrict weights,
                             uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] += (outgoing[i] - samples[i]) * (1.0f - weights[i]);
    }
}

/// Multiplies `envelope` by the ramp's values for the next `nframes` frames. Does not advance the
/// ramp.
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

/// Advances by `nframes`.
static inline void ramp_advance(struct ramp *ramp, uint32_t nframes) RCORE_RT {
    ramp->remaining = ramp->remaining > nframes ? ramp->remaining - nframes : 0;
}

/// Like `ramp_advance`, but also sets the step to 0 at the end, so that readers need not check
/// whether the ramp is running.
static inline void ramp_advance_and_stop(struct ramp *ramp, uint32_t nframes) RCORE_RT {
    if (ramp->remaining > nframes) {
        ramp->remaining -= nframes;
    } else if (ramp->remaining > 0) {
        ramp_set(ramp, ramp->target);
    }
}

#endif
