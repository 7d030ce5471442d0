// Inputs: copies the driver's buffers for voices that play them live and for captures. This is the
// first stage that processes samples.
#include "mix/inputs.h"

#include "core/core.h"
#include "core/memory.h"
#include "metering/peak.h"
#include "mix/mix.h"
#include "session_gate_page.h"

#include <string.h>

void input_reset(rcore_t *core, uint32_t slot, uint32_t join_frames) RCORE_RT {
    struct input_state *input = &core->inputs.slots[slot];
    memset(&core->inputs.tails[(size_t)slot * core->config.max_channels], 0,
           sizeof *core->inputs.tails * core->config.max_channels);
    ramp_set(&input->gain, 1.0f);
    ramp_set(&input->grant, 0.0f);
    input->channels = 0;
    input->join_frames = join_frames;
    input->resets += 1;
    input->attached = input->paused = false;
}

// Reads the permission of an input from its gate, and starts a ramp when it changes. A paused
// session has no permission.
static void read_permission(rcore_t *core, const rcore_input_description_t *description) RCORE_RT {
    struct input_state *input = &core->inputs.slots[description->slot];
    float granted = 1.0f;
    uint32_t ramp_frames = 0;
    input->paused = false;
    if (description->gate != NULL) {
        const sgate_grant_t grant = sgate_word_to_grant(sgate_page_load_grant(description->gate));
        const uint64_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
        granted = grant.input_granted && !grant.paused ? 1.0f : 0.0f;
        ramp_frames = (uint32_t)(rate * grant.ramp_ms / 1000);
        input->paused = grant.paused;
    }
    if (input->grant.target != granted || !input->attached) {
        ramp_to(&input->grant, granted, input->attached ? ramp_frames : input->join_frames);
    }
    input->attached = true;
}

void inputs_read(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; core->graph.plan != NULL && i < core->graph.plan->input_count; i++) {
        read_permission(core, &core->graph.plan->inputs[i]);
    }
}

static struct scaling input_scaling(rcore_t *core, const struct input_state *input, uint32_t nframes) RCORE_RT {
    if (input->gain.remaining == 0 && input->grant.remaining == 0) {
        return (struct scaling){.envelope = NULL, .gain = input->gain.target * input->grant.target};
    }
    envelope_fill(core->mix.envelope, nframes);
    ramp_multiply(&input->gain, core->mix.envelope, nframes);
    ramp_multiply(&input->grant, core->mix.envelope, nframes);
    return (struct scaling){.envelope = core->mix.envelope, .gain = 1.0f};
}

// Sets NaN and infinite samples to 0, since they would spread to every signal they are mixed with.
// Returns the greatest magnitude.
static float make_finite(float *samples, uint32_t nframes) RCORE_RT {
    float peak = 0.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = sample_is_finite(samples[i]) ? samples[i] : 0.0f;
        const float magnitude = samples[i] < 0.0f ? -samples[i] : samples[i];
        peak = magnitude > peak ? magnitude : peak;
    }
    return peak;
}

// Returns whether a signal with these last two samples is heard as a click if it breaks off.
static bool is_smooth(const float *last) RCORE_RT {
    const float step = last[1] - last[0];
    return last[0] != 0.0f && (step < 0.0f ? -step : step) < 0.5f * (last[1] < 0.0f ? -last[1] : last[1]);
}

// Fades a channel out if its signal has broken off: `is_silent` at the beginning of a period.
static void add_tail(const rcore_t *core, struct input_tail *tail, float *samples, bool is_silent,
                     uint32_t nframes) RCORE_RT {
    if (is_silent && is_smooth(tail->last) && core->config.crossfade_frames > 0) {
        ramp_line(&tail->line, tail->last[1], 0.0f, core->config.crossfade_frames);
    }
    for (uint32_t i = nframes > 2 ? nframes - 2 : 0; i < nframes; i++) {
        tail->last[0] = tail->last[1];
        tail->last[1] = samples[i];
    }
    for (uint32_t i = 0; i < nframes && tail->line.remaining > 0; i++) {
        ramp_advance(&tail->line, 1);
        samples[i] += ramp_value(&tail->line);
    }
}

// Reads one input from the driver, applies gain and permission, updates its peaks, and records it.
static void process_input(rcore_t *core, const rcore_input_description_t *description, rcore_capture_t *capture,
                          const float *const *inputs, uint32_t ninputs, uint32_t offset, uint32_t nframes) RCORE_RT {
    struct input_state *input = &core->inputs.slots[description->slot];
    const struct scaling scaling = input_scaling(core, input, nframes);
    const float *planes[RCORE_MAX_CHANNELS];
    for (uint32_t channel = 0; channel < description->channels; channel++) {
        float *samples = slot_channel(core, core->inputs.samples, description->slot, channel);
        const uint32_t source = description->first_input + channel;
        memset(samples, 0, sizeof(float) * nframes);
        if (channel < description->channels - description->missing && source < ninputs && inputs[source] != NULL) {
            mix_one(samples, inputs[source] + offset, &scaling, 1.0f, nframes);
        }
        const uint32_t index = description->slot * core->config.max_channels + channel;
        const float peak = make_finite(samples, nframes);
        raise_peak(&core->inputs.peaks[index], peak);
        if (description->fades_out) {
            add_tail(core, &core->inputs.tails[index], samples, offset == 0 && peak == 0.0f, nframes);
        }
        planes[channel] = samples;
    }
    // While the input is paused and faded out, nothing is recorded: the capture has a gap in time.
    const bool is_suspended = input->paused && input->grant.remaining == 0;
    if (capture != NULL && !is_suspended) {
        // Counts the frames as lost if the capture is full.
        (void)rcore_capture_write(capture, core_now(core), planes, nframes);
    }
    ramp_advance(&input->gain, nframes);
    ramp_advance(&input->grant, nframes);
}

static bool has_input(const rcore_plan_t *plan, uint32_t slot) RCORE_RT {
    for (uint32_t i = 0; i < plan->input_count; i++) {
        if (plan->inputs[i].slot == slot) {
            return true;
        }
    }
    return false;
}

bool input_is_played(const rcore_t *core, uint32_t slot) RCORE_RT {
    for (uint32_t i = 0; i < core->voices.playing_count; i++) {
        if (core->voices.playing[i] != RCORE_NONE) {
            const struct voice *voice = &core->voices.pool[core->voices.playing[i]];
            if (voice->kind == SOURCE_INPUT && voice->params.input == slot) {
                return true;
            }
        }
    }
    return false;
}

bool inputs_fade_out_removed(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan,
                             uint32_t ramp_frames) RCORE_RT {
    bool any = false;
    for (uint32_t i = 0; i < old->input_count; i++) {
        const uint32_t slot = old->inputs[i].slot;
        if (!has_input(plan, slot)) {
            ramp_to(&core->inputs.slots[slot].grant, 0.0f, ramp_frames);
            any |= input_is_played(core, slot);
        }
    }
    return any;
}

void inputs_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, uint32_t offset,
                    uint32_t nframes) RCORE_RT {
    if (core->graph.plan == NULL) {
        return;
    }
    for (uint32_t i = 0; i < core->graph.plan->input_count; i++) {
        const rcore_input_description_t *input = &core->graph.plan->inputs[i];
        process_input(core, input, input->capture, inputs, ninputs, offset, nframes);
    }
    const rcore_plan_t *outgoing = core->graph.crossfade.outgoing;
    for (uint32_t i = 0; outgoing != NULL && i < outgoing->input_count; i++) {
        // An input of the outgoing plan only: fades out in the voices that play it, not captured.
        if (!has_input(core->graph.plan, outgoing->inputs[i].slot)) {
            process_input(core, &outgoing->inputs[i], NULL, inputs, ninputs, offset, nframes);
        }
    }
}
