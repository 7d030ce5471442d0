/// Ramps of a gain, linear in decibels.
#ifndef HAND_RAMP_H
#define HAND_RAMP_H

#include <stdbool.h>
#include <stdint.h>

/// Attenuations are decibels below full; INFINITY is silence.
typedef struct ramp {
    double from;
    double to;
    int64_t begin_ns;
    int64_t duration_ns;
} ramp_t;

/// Time of the monotonic clock.
int64_t ramp_now(void);
/// Returns a ramp that begins at `now`.
ramp_t ramp_make(double from, double to, unsigned milliseconds, int64_t now);
/// Returns the attenuation at a time. A ramp to or from silence passes −60 dB: it ends there with a
/// step to 0, and begins there.
double ramp_at(const ramp_t *ramp, int64_t now);
/// Returns an attenuation's factor.
float ramp_factor(double attenuation);

#endif
