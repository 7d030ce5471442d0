/// A limiter: no sample, and nothing between the samples, goes above a ceiling.
///
/// It looks ahead: gain falls before the peak that needs it, in a straight line or gentler, so that nothing is clipped; all channels have one gain. Given to a route
/// with the plan (rcore_plan.h), it limits what goes to the driver, before meter and capture; other uses are free.
///
/// What stays 0.25 dB below the ceiling comes out as it was, bit by bit, later by the latency: a gain of 1 multiplies nothing. What was limited lies that much below
/// the ceiling, 0.3 dB at most while it is steady; more where it is within 2 % of half the sample rate, up to 1.3 dB. Not-a-number and infinity count as silence. What comes out does not
/// depend on how it is cut into calls, not by one bit.
#ifndef RCORE_LIMITER_H
#define RCORE_LIMITER_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_limiter rcore_limiter_t;

/// What a limiter does. Zero where a default is wanted.
typedef struct rcore_limiter_description {
    uint32_t channels;       ///< 1…64
    uint32_t sample_rate;    ///< Hz, 1,000…768,000
    float ceiling;           ///< linear, of the true peak (ITU-R BS.1770): 0.001…1; 0: 0.891 (-1 dBTP)
    float lookahead_seconds; ///< in which the gain falls: 0.0005…0.02, and 64 frames at least; 0: 0.002
    float release_seconds;   ///< 0.001…5; 0: 0.1: in which the gain comes back by 63 %
} rcore_limiter_description_t;

/// Makes a limiter. [control] NULL with a status when a value is out of its range or memory is short; `status` may be NULL. The caller owns it and
/// keeps it until no plan uses it.
rcore_limiter_t *rcore_limiter_create(const rcore_limiter_description_t *description, rcore_status_t *status);
/// Frees a limiter; NULL does nothing. [control]
void rcore_limiter_destroy(rcore_limiter_t *limiter);

/// Channels; by how many frames it delays: those of the look-ahead and 143, in which it finds the crests between the samples. [any]
uint32_t rcore_limiter_channels(const rcore_limiter_t *limiter) RCORE_RT;
uint32_t rcore_limiter_latency(const rcore_limiter_t *limiter) RCORE_RT;
/// Least gain of the last call of `rcore_limiter_process` that had frames: 1 where it did nothing. [any]
float rcore_limiter_gain(const rcore_limiter_t *limiter) RCORE_RT;

/// Limits `nframes` planar frames where they are, a plane for each channel. [render], or one thread at a time. Cost per channel and frame: some 800
/// operations in vectors, some 10 where the samples are 12 dB below the ceiling; and per frame some 20 more while the gain is below 1.
void rcore_limiter_process(rcore_limiter_t *limiter, float *const *planes, uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
