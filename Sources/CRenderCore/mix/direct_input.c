// Direct input of a bus: the voices that play on it, before its child buses and sends are added.
#include "mix/direct_input.h"

#include "core/core.h"
#include "graph/delay.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "mix/ramp.h"

#include <string.h>

// Writes a bus's direct input to its delay line and replaces it by the delayed signal.
static void delay_direct_input(const struct plan_bus *bus, float *const *planes, uint32_t nframes) RCORE_RT {
    if (bus != NULL && bus->direct_line != NULL) {
        delay_write(bus->direct_line, planes, nframes);
        for (uint32_t channel = 0; channel < bus->description.channels; channel++) {
            delay_read(bus->direct_line, channel, bus->direct_delay, planes[channel], nframes);
        }
    }
}

// Crossfades from the outgoing plan's delay of the direct input to the current plan's.
static void change_delay(rcore_t *core, uint32_t slot, const struct plan_bus *current, const struct plan_bus *previous,
                         float *const *planes, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->mix.buses[slot].channels;
    float *outgoing[RCORE_MAX_CHANNELS];
    planes_of(core, core->mix.crossfade_samples, channels, outgoing);
    for (uint32_t channel = 0; channel < channels; channel++) {
        memcpy(outgoing[channel], planes[channel], sizeof(float) * nframes);
    }
    delay_direct_input(current, planes, nframes);
    if (current->direct_line == previous->direct_line) { // one delay line, read at two delays
        for (uint32_t channel = 0; channel < current->description.channels; channel++) {
            delay_read(previous->direct_line, channel, previous->direct_delay, outgoing[channel], nframes);
        }
    } else {
        delay_direct_input(previous, outgoing, nframes);
    }
    crossfade_weights(core, true, current->latency - current->direct_delay, core->mix.envelope, nframes);
    for (uint32_t channel = 0; channel < channels; channel++) {
        fade_over(planes[channel], outgoing[channel], core->mix.envelope, nframes);
    }
}

void direct_input_prepare(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = op->state;
    const struct plan_bus *current = op->current;
    const struct plan_bus *previous = op->previous;
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, op->samples, state->channels, planes);
    if (state->direct.remaining > 0 || state->direct.target != 1.0f) {
        envelope_fill(core->mix.envelope, nframes);
        ramp_multiply(&state->direct, core->mix.envelope, nframes);
        for (uint32_t channel = 0; channel < state->channels; channel++) {
            multiply(planes[channel], core->mix.envelope, nframes);
        }
    }
    if (current != NULL && previous != NULL && !direct_input_matches(current, previous)) {
        change_delay(core, op->slot, current, previous, planes, nframes);
    } else {
        delay_direct_input(current != NULL ? current : previous, planes, nframes);
    }
}
