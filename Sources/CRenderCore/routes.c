// Routes: the last stage before the driver's buffers, where nothing that is not a number passes.
#include "core.h"

#include "memory.h"
#include "widest.h"

// Silences what is NaN or infinite and returns how many samples that were; `peak` becomes the bits of the greatest magnitude. In whole numbers, which
// magnitudes order as: the compiler may look at several at a time.
WIDEST static uint32_t make_finite(float *samples, uint32_t nframes, uint32_t *peak) RCORE_RT {
    const uint32_t infinity = 0x7F800000;
    uint32_t nonfinite = 0;
    uint32_t greatest = 0;
    for (uint32_t i = 0; i < nframes; i++) {
        uint32_t bits;
        memcpy(&bits, &samples[i], sizeof bits);
        const uint32_t magnitude = bits & 0x7FFFFFFF;
        const uint32_t kept = magnitude < infinity ? UINT32_MAX : 0;
        nonfinite += 1 + kept;
        greatest = (magnitude & kept) > greatest ? magnitude & kept : greatest;
        bits &= kept;
        memcpy(&samples[i], &bits, sizeof bits);
    }
    *peak = greatest;
    return nonfinite;
}

static void add_to_output(float *restrict output, const float *restrict samples, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sum = output[i] + samples[i];
        output[i] = sample_is_finite(sum) ? sum : 0.0f; // two routes on one output may overflow
    }
}

static uint64_t make_all_finite(float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    uint64_t nonfinite = 0;
    for (uint32_t channel = 0; channel < channels; channel++) {
        uint32_t peak;
        nonfinite += make_finite(planes[channel], nframes, &peak);
    }
    return nonfinite;
}

// Puts a route through its limiter, if it has one; while plans cross-fade, from that of the one that leaves to that of the one in use. Returns how many samples
// were silenced before.
static uint64_t limit_route(rcore_t *core, const rcore_route_description_t *route, float *const *planes,
                            uint32_t nframes) RCORE_RT {
    const rcore_plan_t *plan = core->swap.leaving;
    const rcore_route_description_t *before = plan != NULL ? swap_same_route(plan, route) : NULL;
    const bool changes = before != NULL && before->limiter != route->limiter;
    if (route->limiter == NULL && !changes) {
        return 0;
    }
    const uint64_t nonfinite = make_all_finite(planes, route->channels, nframes);
    float *leaving[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->leaving_samples, route->slot, 0), route->channels, leaving);
    for (uint32_t channel = 0; changes && channel < route->channels; channel++) {
        memcpy(leaving[channel], planes[channel], sizeof(float) * nframes);
    }
    if (route->limiter != NULL) {
        rcore_limiter_process(route->limiter, planes, nframes);
    }
    if (changes) {
        if (before->limiter != NULL) {
            rcore_limiter_process(before->limiter, leaving, nframes);
        }
        swap_weights(core, true, 0, core->envelope, nframes);
        for (uint32_t channel = 0; channel < route->channels; channel++) {
            fade_over(planes[channel], leaving[channel], core->envelope, nframes);
        }
    }
    return nonfinite;
}

static void write_route(rcore_t *core, const rcore_route_description_t *route, float *const *outputs, uint32_t noutputs,
                        uint32_t offset, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->route_samples, route->slot, 0), route->channels, planes);
    uint64_t nonfinite = limit_route(core, route, planes, nframes);
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        uint32_t bits;
        nonfinite += make_finite(planes[channel], nframes, &bits);
        float peak;
        memcpy(&peak, &bits, sizeof peak);
        peak_raise(&core->peaks[route->slot * core->config.max_channels + channel], peak);
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            add_to_output(outputs[output] + offset, planes[channel], nframes);
        }
    }
    count_up(&core->counters.nonfinite_samples, nonfinite);
    if (route->meter != NULL) {
        rcore_meter_write(route->meter, (const float *const *)planes, nframes);
    }
    if (route->capture != NULL) {
        (void)rcore_fifo_write(route->capture, (const float *const *)planes, nframes); // no room: counted as an overrun
    }
}

// What the plan that leaves had elsewhere fades out there.
static void write_leaving(rcore_t *core, const rcore_route_description_t *route, float *const *outputs,
                          uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, slot_channel(core, core->leaving_samples, route->slot, 0), route->channels, planes);
    if (route->limiter != NULL) {
        (void)make_all_finite(planes, route->channels, nframes);
        rcore_limiter_process(route->limiter, planes, nframes);
    }
    swap_weights(core, false, 0, core->envelope, nframes);
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            multiply(planes[channel], core->envelope, nframes);
            add_to_output(outputs[output] + offset, planes[channel], nframes);
        }
    }
}

void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->route_count; i++) {
        const rcore_route_description_t *route = &core->plan->routes[i].description;
        const bool heeded = route->capture != NULL || route->meter != NULL || route->limiter != NULL;
        if (heeded) {
            route_open(core, route->slot, route->channels, nframes); // takes silence too
        }
        if (core->fed_routes[route->slot]) {
            write_route(core, route, outputs, noutputs, offset, nframes);
        }
    }
    const rcore_plan_t *leaving = core->swap.leaving;
    for (uint32_t i = 0; leaving != NULL && i < leaving->route_count; i++) {
        const rcore_route_description_t *route = &leaving->routes[i].description;
        if (swap_same_route(core->plan, route) == NULL) {
            write_leaving(core, route, outputs, noutputs, offset, nframes);
        }
    }
}
