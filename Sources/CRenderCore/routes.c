// Routes: the last stage before the driver's buffers, where nothing that is not a number passes.
#include "core.h"

#include "memory.h"

// Silences what is NaN or infinite and returns how many samples that were; `peak` becomes the greatest magnitude.
static uint32_t make_finite(float *samples, uint32_t nframes, float *peak) RCORE_RT {
    uint32_t nonfinite = 0;
    float greatest = *peak;
    for (uint32_t i = 0; i < nframes; i++) {
        const bool finite = sample_is_finite(samples[i]);
        const float sample = finite ? samples[i] : 0.0f;
        const float magnitude = sample < 0.0f ? -sample : sample;
        nonfinite += finite ? 0 : 1;
        greatest = magnitude > greatest ? magnitude : greatest;
        samples[i] = sample;
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

static void write_route(rcore_t *core, const rcore_route_description_t *route, float *const *outputs, uint32_t noutputs,
                        uint32_t offset, uint32_t nframes) RCORE_RT {
    const float *planes[RCORE_MAX_CHANNELS];
    uint64_t nonfinite = 0;
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        float *samples = slot_channel(core, core->route_samples, route->slot, channel);
        float peak = 0.0f;
        nonfinite += make_finite(samples, nframes, &peak);
        peak_raise(&core->peaks[route->slot * core->config.max_channels + channel], peak);
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            add_to_output(outputs[output] + offset, samples, nframes);
        }
        planes[channel] = samples;
    }
    count_up(&core->counters.nonfinite_samples, nonfinite);
    if (route->capture != NULL) {
        (void)rcore_fifo_write(route->capture, planes, nframes); // no room: counted as an overrun
    }
}

// What the plan that leaves had elsewhere fades out there.
static void write_leaving(rcore_t *core, const rcore_route_description_t *route, float *const *outputs,
                          uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < route->channels; channel++) {
        const uint32_t output = route->first_output + channel;
        if (output < noutputs && outputs[output] != NULL) {
            add_to_output(outputs[output] + offset, slot_channel(core, core->leaving_samples, route->slot, channel),
                          nframes);
        }
    }
}

void routes_write(rcore_t *core, float *const *outputs, uint32_t noutputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->route_count; i++) {
        write_route(core, &core->plan->routes[i].description, outputs, noutputs, offset, nframes);
    }
    const rcore_plan_t *leaving = core->swap.leaving;
    for (uint32_t i = 0; leaving != NULL && i < leaving->route_count; i++) {
        const rcore_route_description_t *route = &leaving->routes[i].description;
        if (swap_same_route(core->plan, route) == NULL) {
            write_leaving(core, route, outputs, noutputs, offset, nframes);
        }
    }
}
