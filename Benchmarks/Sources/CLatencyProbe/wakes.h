#ifndef LATENCY_WAKES_H
#define LATENCY_WAKES_H

#include "latency_probe.h"

/// Records one callback, if recording is on and there is room. `wakes` may be NULL.
void wakes_add(latency_wakes_t *wakes, latency_wake_t wake);

#endif
