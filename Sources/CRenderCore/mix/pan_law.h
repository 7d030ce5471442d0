/// Pan laws: convert a position between left and right into two gains.
#ifndef RCORE_PAN_LAW_INTERNAL_H
#define RCORE_PAN_LAW_INTERNAL_H

#include "rcore_pan.h"

/// Computes the gains of both sides at `pan` (-1…1). [render] If `spreads`, for a mono source that
/// goes to both sides; else for a balance, which changes nothing in the centre and makes nothing
/// louder.
void pan_law_gains(uint8_t law, bool spreads, float pan, float gains[2]) RCORE_RT;

#endif
