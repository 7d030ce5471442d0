// From a voice's source to its bus: gain and fade, the channel map, the pan.
#include "voice_mix.h"

#include "pan.h"
#include "source.h"
#include "voice.h"

// Adds to one bus channel; the first two are panned.
static void mix_into(const rcore_t *core, const struct voice *voice, uint32_t output, float path, const float *source,
                     uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    float *target = bus_channel(core, voice->bus, output) + offset;
    if (!pan_applies(voice) || output > 1) {
        mix_one(target, source, scaling, path, nframes);
    } else if (voice->pan_remaining == 0) {
        mix_one(target, source, scaling, path * voice->sides.ends[output], nframes);
    } else if (path != 0.0f) {
        struct path side = pan_path(voice, output);
        side.end *= path;
        side.step *= path;
        mix_one_moving(target, source, scaling, &side, nframes);
    }
}

// A mono voice to the pair, in one pass.
static void mix_panned(const rcore_t *core, const struct voice *voice, const float *source, uint32_t offset,
                       const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    float *left = bus_channel(core, voice->bus, 0) + offset;
    float *right = bus_channel(core, voice->bus, 1) + offset;
    if (voice->pan_remaining == 0) {
        mix_two(left, right, source, scaling, voice->sides.ends, nframes);
    } else {
        const struct path paths[2] = {pan_path(voice, 0), pan_path(voice, 1)};
        mix_two_moving(left, right, source, scaling, paths, nframes);
    }
}

static void mix_mapped(const rcore_t *core, const struct voice *voice, uint32_t input, const float *source,
                       uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->buses[voice->bus].channels;
    const uint32_t outputs = voice->matrix->outputs < channels ? voice->matrix->outputs : channels;
    const uint32_t inputs = voice->matrix->inputs;
    const float *gains = voice->matrix->gains + input;
    uint32_t output = 0;
    if (pan_applies(voice) && channels > 1) {
        for (; output < 2 && output < outputs; output++) {
            mix_into(core, voice, output, gains[output * inputs], source, offset, scaling, nframes);
        }
    }
    for (; output + 1 < outputs; output += 2) {
        const float paths[2] = {gains[output * inputs], gains[(output + 1) * inputs]};
        mix_two(bus_channel(core, voice->bus, output) + offset, bus_channel(core, voice->bus, output + 1) + offset,
                source, scaling, paths, nframes);
    }
    if (output < outputs) {
        mix_one(bus_channel(core, voice->bus, output) + offset, source, scaling, gains[output * inputs], nframes);
    }
}

// Adds one source channel to every bus channel that it is led to. A mono bus has no sides: nothing is panned there.
static void mix_channel(const rcore_t *core, const struct voice *voice, uint32_t input, const float *source,
                        uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->buses[voice->bus].channels;
    if (voice->matrix != NULL) {
        mix_mapped(core, voice, input, source, offset, scaling, nframes);
    } else if (pan_applies(voice) && pan_spreads(voice) && channels > 1) {
        mix_panned(core, voice, source, offset, scaling, nframes);
    } else if (input < channels && channels > 1) {
        mix_into(core, voice, input, 1.0f, source, offset, scaling, nframes);
    } else if (input < channels) {
        mix_one(bus_channel(core, voice->bus, 0) + offset, source, scaling, 1.0f, nframes);
    }
}

// How the voice is scaled over the next frames: by a constant, by one ramp that lasts for all of them, else by an envelope.
static struct scaling voice_scaling(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    const struct ramp *gain = &voice->gain;
    const struct ramp *fade = &voice->fade;
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    if (gain->remaining == 0 && fade->remaining == 0) {
        scaling.gain = gain->target * fade->target;
    } else if (fade->remaining == 0 && gain->remaining >= nframes) {
        scaling.ramp = *gain;
        scaling.gain = fade->target;
    } else if (gain->remaining == 0 && fade->remaining >= nframes) {
        scaling.ramp = *fade;
        scaling.gain = gain->target;
    } else {
        envelope_fill(core->envelope, nframes);
        ramp_multiply(gain, core->envelope, nframes);
        ramp_multiply(fade, core->envelope, nframes);
        scaling.envelope = core->envelope;
    }
    return scaling;
}

// Every channel of a piece; where a pan moves, in stretches.
void voice_mix(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    const bool heard = bus != NULL && bus->channels > 0;
    struct scaling scaling = {.gain = 0.0f};
    if (heard) {
        scaling = voice_scaling(core, voice, nframes);
    }
    for (uint32_t done = 0; done < nframes;) {
        const uint32_t stretch = pan_stretch(voice, nframes - done);
        for (uint32_t channel = 0; heard && channel < voice->channels; channel++) {
            const float *samples = source_channel(core, voice, channel, offset, nframes);
            if (samples != NULL) {
                mix_channel(core, voice, channel, samples + done, offset + done, &scaling, stretch);
            }
        }
        pan_advance(voice, stretch);
        scaling_advance(&scaling, stretch);
        done += stretch;
    }
}
