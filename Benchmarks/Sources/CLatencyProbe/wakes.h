#ifndef LATENCY_WAKES_H
#define LATENCY_WAKES_H

#include "latency_probe.h"

/// Notes one callback, if callbacks are to be noted and there is room. `wakes` may be NULL.
void wakes_add(latency_wakes_t *wakes, latency_wake_t wake);

#endif
