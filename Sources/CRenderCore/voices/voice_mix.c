// Mixes a voice's source into its bus: gain and fade, channel map and pan.
#include "voices/voice_mix.h"

#include "core/core.h"
#include "mix/matrix.h"
#include "mix/mix.h"
#include "mix/pan.h"
#include "mix/ramp.h"
#include "voices/filter.h"
#include "voices/paging.h"
#include "voices/source.h"
#include "voices/voice.h"

#include <string.h>

// Adds a source channel to one bus channel, scaled by the gain `path`. The pan applies to the first
// two bus channels.
static void mix_into(const rcore_t *core, const struct voice *voice, uint32_t output, float path, const float *source,
                     uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    float *target = bus_channel(core, voice->bus, output) + offset;
    if (!pan_applies(voice) || output > 1) {
        mix_one(target, source, scaling, path, nframes);
    } else if (voice->pan_remaining == 0) {
        mix_one(target, source, scaling, path * voice->stereo.ends[output], nframes);
    } else if (path != 0.0f) {
        struct path side = pan_path(voice, output);
        side.end *= path;
        side.step *= path;
        mix_one_moving(target, source, scaling, &side, nframes);
    }
}

// Adds a mono voice to the channel pair, in one pass.
static void mix_panned(const rcore_t *core, const struct voice *voice, const float *source, uint32_t offset,
                       const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    float *left = bus_channel(core, voice->bus, 0) + offset;
    float *right = bus_channel(core, voice->bus, 1) + offset;
    if (voice->pan_remaining == 0) {
        mix_two(left, right, source, scaling, voice->stereo.ends, nframes);
    } else {
        const struct path paths[2] = {pan_path(voice, 0), pan_path(voice, 1)};
        mix_two_moving(left, right, source, scaling, paths, nframes);
    }
}

// Adds one source channel to all bus channels by the voice's matrix. Where no pan applies, mixes
// two bus channels in one pass.
static void mix_mapped(const rcore_t *core, const struct voice *voice, uint32_t input, const float *source,
                       uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->mix.buses[voice->bus].channels;
    const uint32_t outputs = voice->matrix->outputs < channels ? voice->matrix->outputs : channels;
    const size_t inputs = voice->matrix->inputs;
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

// Adds one source channel to all bus channels that it is mapped to. A mono bus has no sides, so
// nothing is panned there.
static void mix_channel(const rcore_t *core, const struct voice *voice, uint32_t input, const float *source,
                        uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    const uint32_t channels = core->mix.buses[voice->bus].channels;
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

// Returns the scaling of the voice by its gain and its fade over the next `nframes` frames: a
// constant, one ramp that lasts for all of them (times the other's constant), or else an envelope
// of their product, and of the fade at a missing page.
static struct scaling voice_scaling(rcore_t *core, const struct voice *voice, uint32_t nframes) RCORE_RT {
    const struct ramp *gain = &voice->gain;
    const struct ramp *fade = &voice->fade;
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    const bool has_page_fade = paging_fades(voice);
    if (gain->remaining == 0 && fade->remaining == 0 && !has_page_fade) {
        scaling.gain = gain->target * fade->target;
    } else if (fade->remaining == 0 && gain->remaining >= nframes && !has_page_fade) {
        scaling.ramp = *gain;
        scaling.gain = fade->target;
    } else if (gain->remaining == 0 && fade->remaining >= nframes && !has_page_fade) {
        scaling.ramp = *fade;
        scaling.gain = gain->target;
    } else {
        envelope_fill(core->mix.envelope, nframes);
        ramp_multiply(gain, core->mix.envelope, nframes);
        ramp_multiply(fade, core->mix.envelope, nframes);
        if (has_page_fade) {
            ramp_multiply(&voice->page_fade, core->mix.envelope, nframes);
        }
        scaling.envelope = core->mix.envelope;
    }
    return scaling;
}

// Filters a segment of all channels into the core's source samples.
static void filter_segment(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    const float *sources[RCORE_MAX_FILTER_CHANNELS];
    float *targets[RCORE_MAX_FILTER_CHANNELS];
    for (uint32_t channel = 0; channel < voice->channels; channel++) {
        sources[channel] = source_channel(core, voice, channel, offset, nframes);
        targets[channel] = slot_channel(core, core->voices.source_samples, 0, channel);
        if (sources[channel] == NULL) {
            memset(targets[channel], 0, sizeof(float) * nframes);
            sources[channel] = targets[channel];
        }
    }
    filter_process(voice_filter(core, voice), atomic_load_explicit(&core->sample_rate, memory_order_relaxed), sources,
                   targets, voice->channels, nframes);
}

// Mixes every channel of a segment; while the pan moves, in shorter segments.
void voice_mix(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    const bool heard = bus != NULL && bus->channels > 0;
    struct scaling scaling = {.gain = 0.0f};
    if (heard) {
        scaling = voice_scaling(core, voice, nframes);
    }
    if (voice->is_filtered) {
        filter_segment(core, voice, offset, nframes);
    }
    for (uint32_t done = 0; done < nframes;) {
        const uint32_t segment = pan_segment(voice, nframes - done);
        for (uint32_t channel = 0; heard && channel < voice->channels; channel++) {
            const float *samples = voice->is_filtered ? slot_channel(core, core->voices.source_samples, 0, channel)
                                                      : source_channel(core, voice, channel, offset, nframes);
            if (samples != NULL) {
                mix_channel(core, voice, channel, samples + done, offset + done, &scaling, segment);
            }
        }
        pan_advance(voice, segment);
        scaling_advance(&scaling, segment);
        done += segment;
    }
}
