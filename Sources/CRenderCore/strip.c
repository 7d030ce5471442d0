#include "strip.h"

#include "law.h"

// A ramp as a scaling: a number where it stands still, else an envelope.
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

// Gain, mute and solo; the gate's factors where they are not all exactly 1.
static struct scaling fader_scaling(rcore_t *core, const struct strip *strip, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = strip->state;
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    const bool gated = strip->bus->gate != NULL && !gate_is_open(&state->gate);
    if (!gated && state->gain.remaining == 0 && state->audible.remaining == 0) {
        scaling.gain = state->gain.target * state->audible.target;
        return scaling;
    }
    envelope_fill(core->envelope, nframes);
    if (gated) {
        gate_multiply(&state->gate, core->envelope, nframes);
        scaling.envelope = core->envelope;
    }
    const struct ramp *const ramps[] = {&state->gain, &state->audible};
    for (unsigned i = 0; i < 2; i++) {
        if (ramps[i]->remaining > 0) {
            ramp_multiply(ramps[i], core->envelope, nframes);
            scaling.envelope = core->envelope;
        } else {
            scaling.gain *= ramps[i]->target;
        }
    }
    return scaling;
}

struct strip strip_make(rcore_t *core, const rcore_bus_description_t *bus, uint32_t nframes) RCORE_RT {
    struct strip strip = {.bus = bus, .state = &core->buses[bus->slot]};
    // Behind a gate that is shut not even what is no number gets out.
    strip.silent =
        ramp_rests(&strip.state->audible, 0.0f) || (bus->gate != NULL && ramp_rests(&strip.state->gate.open, 0.0f));
    strip.before = ramp_scaling(&strip.state->audible, core->way_envelopes[ENVELOPE_BEFORE], nframes);
    strip.behind = fader_scaling(core, &strip, nframes);
    return strip;
}

// ---- Ways -------------------------------------------------------------------------------------------------------------------------

static struct scaling way_scaling(rcore_t *core, const struct scaling *base, const struct ramp *level,
                                  const float *weights, uint32_t nframes) RCORE_RT {
    struct scaling scaling = *base;
    const bool moves = level != NULL && level->remaining > 0;
    if (level != NULL && !moves) {
        scaling.gain *= level->target;
    }
    if (!moves && weights == NULL) {
        return scaling;
    }
    float *envelope = core->way_envelopes[ENVELOPE_WAY];
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

// The gains of both sides; frame by frame while the pan moves.
static void scale_sides(rcore_t *core, const struct strip *strip, struct way *way, uint32_t nframes) RCORE_RT {
    struct ramp pan = strip->state->pan;
    float gains[2];
    if (pan.remaining == 0) {
        law_gains(strip->bus->pan_law, way->spreads, pan.target, gains);
        way->sides[0].gain *= gains[0];
        way->sides[1].gain *= gains[1];
        return;
    }
    float *const *envelopes = &core->way_envelopes[ENVELOPE_LEFT];
    for (uint32_t i = 0; i < nframes; i++) {
        const float base = way->rest.envelope != NULL ? way->rest.envelope[i] : 1.0f;
        ramp_advance(&pan, 1);
        law_gains(strip->bus->pan_law, way->spreads, ramp_value(&pan), gains);
        envelopes[0][i] = gains[0] * base;
        envelopes[1][i] = gains[1] * base;
    }
    way->sides[0].envelope = envelopes[0];
    way->sides[1].envelope = envelopes[1];
}

struct way way_make(rcore_t *core, const struct strip *strip, const struct edge *edge, const float *weights,
                    uint32_t nframes) RCORE_RT {
    const bool panned = !edge->pre_fader && strip->bus->pan_law != RCORE_PAN_NONE && edge->channels > 1;
    struct way way = {.spreads = panned && strip->bus->channels == 1 && edge->matrix == NULL};
    way.rest = way_scaling(core, edge->pre_fader ? &strip->before : &strip->behind, edge->level, weights, nframes);
    way.sides[0] = way.sides[1] = way.rest;
    if (panned) {
        scale_sides(core, strip, &way, nframes);
    }
    return way;
}

static const struct scaling *scaling_of(const struct way *way, uint32_t output) RCORE_RT {
    return output < 2 ? &way->sides[output] : &way->rest;
}

void way_mix(rcore_t *core, const struct strip *strip, const struct way *way, const struct edge *edge,
             float *const *planes, float *targets, uint32_t nframes) RCORE_RT {
    const uint32_t inputs = strip->bus->channels;
    const rcore_matrix_t *matrix = edge->matrix;
    for (uint32_t input = 0; input < inputs; input++) {
        for (uint32_t output = 0; output < edge->channels; output++) {
            const bool passes = output == input || (way->spreads && output == 1);
            const float gain = matrix != NULL ? matrix->gains[output * inputs + input] : passes ? 1.0f : 0.0f;
            if (gain != 0.0f) {
                mix_one(slot_channel(core, targets, edge->target, output), planes[input], scaling_of(way, output), gain,
                        nframes);
            }
        }
    }
}

// ---- Meter, time ------------------------------------------------------------------------------------------------------------------

void strip_meter(rcore_t *core, rcore_meter_t *meter, const struct strip *strip, float *const *planes,
                 uint32_t nframes) RCORE_RT {
    const float *measured[RCORE_MAX_CHANNELS] = {NULL};
    if (strip != NULL && !strip->silent) {
        const struct edge outside = {.kind = EDGE_PARENT, .channels = strip->bus->channels};
        const struct way way = way_make(core, strip, &outside, NULL, nframes);
        for (uint32_t channel = 0; channel < outside.channels; channel++) {
            float *samples = slot_channel(core, core->source_samples, 0, channel); // no voice renders now
            memset(samples, 0, sizeof(float) * nframes);
            mix_one(samples, planes[channel], scaling_of(&way, channel), 1.0f, nframes);
            measured[channel] = samples;
        }
    }
    rcore_meter_write(meter, measured, nframes);
}
