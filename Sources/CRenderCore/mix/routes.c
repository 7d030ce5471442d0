// Writes routes to the driver's buffers, the last stage of the cycle. NaN and infinite samples
// become 0 here.
#include "mix/routes.h"

#include "core/core.h"
#include "core/counters.h"
#include "core/memory.h"
#include "core/multiversion.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "metering/metering.h"
#include "metering/peak.h"
#include "mix/buses.h"
#include "mix/ramp.h"

#include <string.h>

// Replaces samples that are NaN or infinite by 0, and returns their number. Sets `peak_bits` to the
// bits of the greatest magnitude. Compares magnitudes as integers, which have the same order, so
// that the compiler can vectorise the loop.
MULTIVERSION static uint32_t make_finite(float *samples, uint32_t nframes, uint32_t *peak_bits) RCORE_RT {
    const uint32_t infinity = 0x7F800000;
    uint32_t nonfinite = 0;
    uint32_t greatest = 0;
    for (uint32_t i = 0; i < nframes; i++) {
        uint32_t bits;
        memcpy(&bits, &samples[i], sizeof bits);
        const uint32_t magnitude = bits & 0x7FFFFFFF;
        const uint32_t mask = magnitude < infinity ? UINT32_MAX : 0;
        nonfinite += 1 + mask;
        greatest = (magnitude & mask) > greatest ? magnitude & mask : greatest;
        bits &= mask;
        memcpy(&samples[i], &bits, sizeof bits);
    }
    *peak_bits = greatest;
    return nonfinite;
}

static void add_to_output(float *restrict output, const float *restrict samples, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sum = output[i] + samples[i];
        output[i] = sample_is_finite(sum) ? sum : 0.0f; // the sum of two routes may overflow
    }
}

static uint64_t make_all_finite(float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    uint64_t nonfinite = 0;
    for (uint32_t channel = 0; channel < channels; channel++) {
        uint32_t peak_bits;
        nonfinite += make_finite(planes[channel], nframes, &peak_bits);
    }
    return nonfinite;
}

// Runs a route through its limiter, if it has one. While plans crossfade, crossfades from the
// outgoing plan's limiter to the current plan's. Before that, replaces non-finite samples by 0;
// returns their number. Without a limiter in either plan, does nothing and returns 0.
static uint64_t limit_route(rcore_t *core, const rcore_route_description_t *route, float *const *planes,
                            uint32_t nframes) RCORE_RT {
    const rcore_plan_t *plan = core->graph.crossfade.outgoing;
    const rcore_route_description_t *previous = plan != NULL ? plan_same_route(plan, route) : NULL;
    const bool limiter_changes = previous != NULL && previous->limiter != route->limiter;
    if (route->limiter == NULL && !limiter_changes) {
        return 0;
    }
    const uint64_t nonfinite = make_all_finite(planes, route->channels, nframes);
    float *outgoing[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->mix.outgoing_samples, route->slot, 0), route->channels, outgoing);
    for (uint32_t channel = 0; limiter_changes && channel < route->channels; channel++) {
        memcpy(outgoing[channel], planes[channel], sizeof(float) * nframes);
    }
    if (route->limiter != NULL) {
        rcore_limiter_process(route->limiter, planes, nframes);
    }
    if (limiter_changes) {
        if (previous->limiter != NULL) {
            rcore_limiter_process(previous->limiter, outgoing, nframes);
        }
        crossfade_weights(core, true, 0, core->mix.envelope, nframes);
        for (uint32_t channel = 0; channel < route->channels; channel++) {
            fade_over(planes[channel], outgoing[channel], core->mix.envelope, nframes);
        }
    }
    return nonfinite;
}

// Limits a route's samples, removes NaN and infinity, updates its peaks, adds them to the driver's
// outputs, and passes them to the route's meter and recorder.
static void write_route(rcore_t *core, const rcore_route_description_t *route, float *const *outputs, uint32_t noutputs,
                        uint32_t offset, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->mix.route_samples, route->slot, 0), route->channels, planes);
    uint64_t nonfinite = limit_route(core, route, planes, nframes);
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        uint32_t peak_bits;
        nonfinite += make_finite(planes[channel], nframes, &peak_bits);
        float peak;
        memcpy(&peak, &peak_bits, sizeof peak);
        raise_peak(&core->mix.route_peaks[route->slot * core->config.max_channels + channel], peak);
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            add_to_output(outputs[output] + offset, planes[channel], nframes);
        }
    }
    add_to_counter(&core->counters.nonfinite_samples, nonfinite);
    if (route->meter != NULL) {
        meter_write(core, route->meter, (const float *const *)planes, nframes);
    }
    if (route->capture != NULL) {
        // The FIFO counts an overrun if it is full.
        (void)rcore_fifo_write(route->capture, (const float *const *)planes, nframes);
        core->work.is_due |= rcore_fifo_is_filling(route->capture);
    }
}

// Fades out a route that only the outgoing plan has.
static void write_outgoing(rcore_t *core, const rcore_route_description_t *route, float *const *outputs,
                           uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->mix.outgoing_samples, route->slot, 0), route->channels, planes);
    if (route->limiter != NULL) {
        (void)make_all_finite(planes, route->channels, nframes);
        rcore_limiter_process(route->limiter, planes, nframes);
    }
    crossfade_weights(core, false, 0, core->mix.envelope, nframes);
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            multiply(planes[channel], core->mix.envelope, nframes);
            add_to_output(outputs[output] + offset, planes[channel], nframes);
        }
    }
}

void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->graph.plan != NULL && i < core->graph.plan->route_count; i++) {
        const rcore_route_description_t *route = &core->graph.plan->routes[i].description;
        const bool needs_silence = route->capture != NULL || route->meter != NULL || route->limiter != NULL;
        if (needs_silence) {
            // Recorders, meters and limiters process silence as well.
            route_open(core, route->slot, route->channels, nframes);
        }
        if (core->mix.route_has_signal[route->slot]) {
            write_route(core, route, outputs, noutputs, offset, nframes);
        }
    }
    const rcore_plan_t *outgoing = core->graph.crossfade.outgoing;
    for (uint32_t i = 0; outgoing != NULL && i < outgoing->route_count; i++) {
        const rcore_route_description_t *route = &outgoing->routes[i].description;
        if (plan_same_route(core->graph.plan, route) == NULL) {
            write_outgoing(core, route, outputs, noutputs, offset, nframes);
        }
    }
}
