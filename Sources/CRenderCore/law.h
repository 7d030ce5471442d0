/// Laws of pan: from a place between left and right to two gains.
#ifndef RCORE_LAW_H
#define RCORE_LAW_H

#include "rcore_pan.h"

/// Gains of both sides at `pan`, -1…1: of a mono source that `spreads` over both; else of a balance, which changes nothing in the middle and makes nothing louder. [render]
void law_gains(uint8_t law, bool spreads, float pan, float gains[2]) RCORE_RT;

#endif
