/// Laws of pan, for voices and buses.
#ifndef RCORE_PAN_LAW_H
#define RCORE_PAN_LAW_H

#include "rcore_base.h"

/// How a place between left and right becomes two gains.
typedef enum rcore_pan_law {
    RCORE_PAN_NONE = 0,        ///< the channel map alone decides
    RCORE_PAN_EQUAL_POWER = 1, ///< quarter sine and cosine: -3 dB each in the middle
    RCORE_PAN_LINEAR = 2,      ///< (1 - pan) / 2 and (1 + pan) / 2: -6 dB each in the middle
} rcore_pan_law_t;

#endif
