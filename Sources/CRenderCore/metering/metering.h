/// Meters of buses and routes.
#ifndef RCORE_METERING_H
#define RCORE_METERING_H

#include "rcore_meter.h"
#include "render_core.h"

/// Measures the next frames with a meter, and reports work if its tap is filling.
void meter_write(rcore_t *core, rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT;

#endif
