/// Times of commands for beats.
#ifndef RCORE_BEAT_TIME_H
#define RCORE_BEAT_TIME_H

#include "rcore_transport.h"

// Commands for beats: bit 63 of `when` is set, then 15 bits of the pass, then the beat as a
// fixed-point number with 24 bits after the point.
enum { BEAT_PASS_SHIFT = 48, BEAT_PASS_MASK = 0x7FFF };
#define BEAT_FIXED_MASK ((UINT64_C(1) << BEAT_PASS_SHIFT) - 1)
#define BEAT_ONE 16777216.0

/// Returns a beat as a fixed-point number, clamped to 0…RCORE_MAX_BEAT; 0 for NaN.
static inline uint64_t fixed_of_beat(double beat) RCORE_RT {
    const double positive = beat > 0.0 ? beat : 0.0;
    return (uint64_t)((positive < RCORE_MAX_BEAT ? positive : RCORE_MAX_BEAT) * BEAT_ONE + 0.5);
}

#endif
