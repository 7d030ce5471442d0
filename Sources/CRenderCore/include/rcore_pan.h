/// Pan laws for voices and buses.
#ifndef RCORE_PAN_LAW_H
#define RCORE_PAN_LAW_H

#include "rcore_base.h"

/// How a position between left and right becomes two gains.
typedef enum rcore_pan_law {
    /// No pan: only the channel map applies.
    RCORE_PAN_NONE = 0,
    /// Quarter sine and cosine: -3 dB on each side in the centre.
    RCORE_PAN_EQUAL_POWER = 1,
    /// (1 - pan) / 2 and (1 + pan) / 2: -6 dB on each side in the centre.
    RCORE_PAN_LINEAR = 2,
} rcore_pan_law_t;

#endif
