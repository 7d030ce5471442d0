/// A lookahead limiter: keeps samples, and the waveform between them, at or below a ceiling.
///
/// The gain falls before the peak that requires it, linearly or more gently, so that nothing is
/// clipped. All channels share one gain. A limiter that belongs to a route of the plan
/// (rcore_plan.h) limits the route's output to the driver, before the route's meter and capture. A
/// limiter can also be used without a core.
///
/// A signal that stays 0.25 dB below the ceiling passes bit for bit, delayed by the latency:
/// samples whose gain is 1 are not multiplied. The peaks of a limited signal lie 0.25 dB below the
/// ceiling: at most 0.3 dB below it while the signal is steady, and up to 1.3 dB below it for
/// frequencies within 2 % of half the sample rate. NaN and infinite samples count as silence. The
/// output is bit-identical, however the signal is divided into calls.
#ifndef RCORE_LIMITER_H
#define RCORE_LIMITER_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_limiter rcore_limiter_t;

/// Parameters of a limiter. Zero selects the default where the comment gives one.
typedef struct rcore_limiter_description {
    /// 1…64.
    uint32_t channels;
    /// Hz, 1,000…768,000.
    uint32_t sample_rate;
    /// Ceiling of the true peak (ITU-R BS.1770), linear, 0.001…1. 0: 0.891 (-1 dBTP).
    float ceiling;
    /// Time in which the gain falls, 0.0005…0.02 s, but at least 64 frames. 0: 0.002 s.
    float lookahead_seconds;
    /// Time in which the gain recovers by 63 %, 0.001…5 s. 0: 0.1 s.
    float release_seconds;
} rcore_limiter_description_t;

/// Creates a limiter. [control] Returns NULL and sets `status` when a value is out of range or
/// memory cannot be allocated; `status` may be NULL. The caller owns the limiter and keeps it until
/// no plan uses it.
rcore_limiter_t *rcore_limiter_create(const rcore_limiter_description_t *description, rcore_status_t *status);
/// Frees a limiter; NULL does nothing. [control]
void rcore_limiter_destroy(rcore_limiter_t *limiter);

/// Returns the number of channels. [any]
uint32_t rcore_limiter_channels(const rcore_limiter_t *limiter) RCORE_RT;
/// Returns the latency in frames: the lookahead, and 143 frames to find inter-sample peaks. [any]
uint32_t rcore_limiter_latency(const rcore_limiter_t *limiter) RCORE_RT;
/// Returns the lowest gain of the last call of `rcore_limiter_process` that had frames; 1 when that
/// call changed nothing. [any]
float rcore_limiter_gain(const rcore_limiter_t *limiter) RCORE_RT;

/// Limits `nframes` planar frames in place, with one plane for each channel. [render], or one
/// thread at a time. Cost per channel and frame: about 800 vectorised operations, or about 10 where
/// the samples are 12 dB below the ceiling. Per frame, about 20 more while the gain is below 1.
void rcore_limiter_process(rcore_limiter_t *limiter, float *const *planes, uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
