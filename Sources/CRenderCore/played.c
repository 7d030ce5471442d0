// What is played into buses, before their children are added.
#include "strip.h"

// Takes what a bus's place has, and puts there what was there before.
static void delay_played(const struct plan_bus *bus, float *const *planes, uint32_t nframes) RCORE_RT {
    if (bus != NULL && bus->played != NULL) {
        delay_write(bus->played, planes, nframes);
        for (uint32_t channel = 0; channel < bus->description.channels; channel++) {
            delay_read(bus->played, channel, bus->played_delay, planes[channel], nframes);
        }
    }
}

// Where both plans delay it, and otherwise: from one to the other.
static void change_delay(rcore_t *core, uint32_t slot, const struct plan_bus *now, const struct plan_bus *before,
                         float *const *planes, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->buses[slot].channels;
    float *leaving[RCORE_MAX_CHANNELS];
    planes_of(core, core->swap_samples, channels, leaving);
    for (uint32_t channel = 0; channel < channels; channel++) {
        memcpy(leaving[channel], planes[channel], sizeof(float) * nframes);
    }
    delay_played(now, planes, nframes);
    if (now->played == before->played) { // one ring, two places in it
        for (uint32_t channel = 0; channel < now->description.channels; channel++) {
            delay_read(before->played, channel, before->played_delay, leaving[channel], nframes);
        }
    } else {
        delay_played(before, leaving, nframes);
    }
    swap_weights(core, true, now->latency - now->played_delay, core->envelope, nframes);
    for (uint32_t channel = 0; channel < channels; channel++) {
        fade_over(planes[channel], leaving[channel], core->envelope, nframes);
    }
}

void played_prepare(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = step->state;
    const struct plan_bus *now = step->now;
    const struct plan_bus *before = step->before;
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, step->samples, state->channels, planes);
    if (state->played.remaining > 0 || state->played.target != 1.0f) {
        envelope_fill(core->envelope, nframes);
        ramp_multiply(&state->played, core->envelope, nframes);
        for (uint32_t channel = 0; channel < state->channels; channel++) {
            multiply(planes[channel], core->envelope, nframes);
        }
    }
    if (now != NULL && before != NULL && !played_stays(now, before)) {
        change_delay(core, step->slot, now, before, planes, nframes);
    } else {
        delay_played(now != NULL ? now : before, planes, nframes);
    }
}
