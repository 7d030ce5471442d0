#include "mix/strip.h"

#include "core/core.h"
#include "metering/metering.h"
#include "mix/matrix.h"
#include "mix/pan_law.h"
#include "mix/ramp.h"
#include "session/gate_gains.h"

#include <string.h>

// Returns a ramp as a scaling: a constant gain if the ramp is over, else an envelope.
static struct scaling ramp_scaling(const struct ramp *ramp, float *envelope, uint32_t nframes) RCORE_RT {
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    if (ramp->remaining == 0) {
        scaling.gain = ramp->target;
        return scaling;
    }
    envelope_fill(envelope, nframes);
    ramp_multiply(ramp, envelope, nframes);
    scaling.envelope = envelope;
    return scaling;
}

// Returns the scaling by gain, mute and solo, and by the gate unless all its factors are exactly 1.
static struct scaling fader_scaling(rcore_t *core, const struct strip *strip, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = strip->state;
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    const bool gated = strip->bus->gate != NULL && !gate_is_open(&state->gate);
    if (!gated && state->gain.remaining == 0 && state->audible.remaining == 0) {
        scaling.gain = state->gain.target * state->audible.target;
        return scaling;
    }
    envelope_fill(core->mix.envelope, nframes);
    if (gated) {
        gate_multiply(&state->gate, core->mix.envelope, nframes);
        scaling.envelope = core->mix.envelope;
    }
    const struct ramp *const ramps[] = {&state->gain, &state->audible};
    for (unsigned i = 0; i < 2; i++) {
        if (ramps[i]->remaining > 0) {
            ramp_multiply(ramps[i], core->mix.envelope, nframes);
            scaling.envelope = core->mix.envelope;
        } else {
            scaling.gain *= ramps[i]->target;
        }
    }
    return scaling;
}

struct strip strip_make(rcore_t *core, const rcore_bus_description_t *bus, uint32_t nframes) RCORE_RT {
    struct strip strip = {.bus = bus, .state = &core->mix.buses[bus->slot]};
    // A closed gate must stop NaN and infinity, too.
    strip.silent =
        ramp_is_at(&strip.state->audible, 0.0f) || (bus->gate != NULL && ramp_is_at(&strip.state->gate.open, 0.0f));
    strip.pre_fader = ramp_scaling(&strip.state->audible, core->mix.envelopes[ENVELOPE_PRE_FADER], nframes);
    strip.post_fader = fader_scaling(core, &strip, nframes);
    return strip;
}

// ---- Connections --------------------------------------------------------------------------------

// Returns `base` with a send's level (NULL: none) and a weight per frame (NULL: none) applied.
static struct scaling connection_scaling(rcore_t *core, const struct scaling *base, const struct ramp *level,
                                         const float *weights, uint32_t nframes) RCORE_RT {
    struct scaling scaling = *base;
    const bool moves = level != NULL && level->remaining > 0;
    if (level != NULL && !moves) {
        scaling.gain *= level->target;
    }
    if (!moves && weights == NULL) {
        return scaling;
    }
    float *envelope = core->mix.envelopes[ENVELOPE_CONNECTION];
    envelope_fill(envelope, nframes);
    if (base->envelope != NULL) {
        multiply(envelope, base->envelope, nframes);
    }
    if (moves) {
        ramp_multiply(level, envelope, nframes);
    }
    if (weights != NULL) {
        multiply(envelope, weights, nframes);
    }
    scaling.envelope = envelope;
    return scaling;
}

// Multiplies the gains of both sides by the pan; frame by frame while the pan moves.
static void scale_stereo(rcore_t *core, const struct strip *strip, struct connection_gains *gains,
                         uint32_t nframes) RCORE_RT {
    struct ramp pan = strip->state->pan;
    float pan_gains[2];
    if (pan.remaining == 0) {
        pan_law_gains(strip->bus->pan_law, gains->spreads, pan.target, pan_gains);
        gains->stereo[0].gain *= pan_gains[0];
        gains->stereo[1].gain *= pan_gains[1];
        return;
    }
    float *const *envelopes = &core->mix.envelopes[ENVELOPE_LEFT];
    for (uint32_t i = 0; i < nframes; i++) {
        const float base = gains->others.envelope != NULL ? gains->others.envelope[i] : 1.0f;
        ramp_advance(&pan, 1);
        pan_law_gains(strip->bus->pan_law, gains->spreads, ramp_value(&pan), pan_gains);
        envelopes[0][i] = pan_gains[0] * base;
        envelopes[1][i] = pan_gains[1] * base;
    }
    gains->stereo[0].envelope = envelopes[0];
    gains->stereo[1].envelope = envelopes[1];
}

struct connection_gains connection_gains_make(rcore_t *core, const struct strip *strip,
                                              const struct connection *connection, const float *weights,
                                              uint32_t nframes) RCORE_RT {
    const bool panned = !connection->pre_fader && strip->bus->pan_law != RCORE_PAN_NONE && connection->channels > 1;
    struct connection_gains gains = {.spreads = panned && strip->bus->channels == 1 && connection->matrix == NULL};
    gains.others = connection_scaling(core, connection->pre_fader ? &strip->pre_fader : &strip->post_fader,
                                      connection->level, weights, nframes);
    gains.stereo[0] = gains.stereo[1] = gains.others;
    if (panned) {
        scale_stereo(core, strip, &gains, nframes);
    }
    return gains;
}

static const struct scaling *scaling_of(const struct connection_gains *gains, uint32_t output) RCORE_RT {
    return output < 2 ? &gains->stereo[output] : &gains->others;
}

void connection_mix(rcore_t *core, const struct strip *strip, const struct connection_gains *gains,
                    const struct connection *connection, float *const *planes, float *targets,
                    uint32_t nframes) RCORE_RT {
    const uint32_t inputs = strip->bus->channels;
    const rcore_matrix_t *matrix = connection->matrix;
    for (uint32_t input = 0; input < inputs; input++) {
        for (uint32_t output = 0; output < connection->channels; output++) {
            const bool passes = output == input || (gains->spreads && output == 1);
            const float gain = matrix != NULL ? matrix->gains[output * inputs + input] : passes ? 1.0f : 0.0f;
            if (gain != 0.0f) {
                mix_one(slot_channel(core, targets, connection->target, output), planes[input],
                        scaling_of(gains, output), gain, nframes);
            }
        }
    }
}

// ---- Meter --------------------------------------------------------------------------------------

void strip_meter(rcore_t *core, rcore_meter_t *meter, const struct strip *strip, float *const *planes,
                 uint32_t nframes) RCORE_RT {
    const float *measured[RCORE_MAX_CHANNELS] = {NULL};
    if (strip != NULL && !strip->silent) {
        const struct connection bus_output = {.kind = CONNECTION_PARENT, .channels = strip->bus->channels};
        const struct connection_gains gains = connection_gains_make(core, strip, &bus_output, NULL, nframes);
        for (uint32_t channel = 0; channel < bus_output.channels; channel++) {
            // No voice is rendering, so these samples are free.
            float *samples = slot_channel(core, core->voices.source_samples, 0, channel);
            memset(samples, 0, sizeof(float) * nframes);
            mix_one(samples, planes[channel], scaling_of(&gains, channel), 1.0f, nframes);
            measured[channel] = samples;
        }
    }
    meter_write(core, meter, measured, nframes);
}
