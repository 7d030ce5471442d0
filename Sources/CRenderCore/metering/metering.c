// Meters of buses and routes, with the taps of loudness meters, and the peaks of routes and inputs.
#include "metering/metering.h"

#include "core/core.h"
#include "metering/peak.h"
#include "rcore_fifo.h"

void meter_write(rcore_t *core, rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT {
    rcore_meter_write(meter, planes, nframes);
    rcore_fifo_t *tap = rcore_meter_tap(meter);
    core->work.is_due |= tap != NULL && rcore_fifo_is_filling(tap);
}

float rcore_take_route_peak(rcore_t *core, uint32_t route, uint32_t channel) RCORE_RT {
    const uint32_t channels = core->config.max_channels;
    const bool exists = route < core->config.max_routes && channel < channels;
    return exists ? take_peak(&core->mix.route_peaks[route * channels + channel]) : 0.0f;
}

float rcore_take_input_peak(rcore_t *core, uint32_t input, uint32_t channel) RCORE_RT {
    const uint32_t channels = core->config.max_channels;
    const bool exists = input < core->config.max_inputs && channel < channels;
    return exists ? take_peak(&core->inputs.peaks[input * channels + channel]) : 0.0f;
}
