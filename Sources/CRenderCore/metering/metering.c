// Meters of buses and routes, and the taps of loudness meters, which control reads.
#include "metering/metering.h"

#include "core/core.h"
#include "rcore_fifo.h"

void meter_write(rcore_t *core, rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT {
    rcore_meter_write(meter, planes, nframes);
    rcore_fifo_t *tap = rcore_meter_tap(meter);
    core->work.is_due |= tap != NULL && rcore_fifo_is_filling(tap);
}
