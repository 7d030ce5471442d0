// Voices: what they were told, and what they put into their buses.
#include "source.h"

static void publish_state(struct voice *voice, rcore_voice_t handle, rcore_voice_state_t state) RCORE_RT {
    // Release: who sees the end may free what the voice read.
    atomic_store_explicit(&voice->status, voice_status((uint32_t)(handle >> 32), state), memory_order_release);
}

static rcore_voice_t voice_handle(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_relaxed);
    return (status >> 32) << 32 | (uint64_t)(voice - core->voices + 1);
}

static rcore_voice_state_t voice_state(const struct voice *voice) RCORE_RT {
    return (rcore_voice_state_t)(atomic_load_explicit(&voice->status, memory_order_relaxed) & 0xFF);
}

static void voice_end(rcore_t *core, struct voice *voice) RCORE_RT {
    const rcore_voice_t handle = voice_handle(core, voice);
    const uint64_t rendered = voice->rendered;
    voice->paused = voice->stopping = voice->gain_set = voice->speed_set = false;
    voice->rendered = 0;
    publish_state(voice, handle, RCORE_VOICE_ENDED);
    event_post(core, (rcore_event_t){.kind = RCORE_EVENT_VOICE_ENDED,
                                     .bus = RCORE_NONE,
                                     .voice = handle,
                                     .frame = core_now(core),
                                     .value = rendered});
}

static const struct bus_state *voice_bus(const rcore_t *core, const struct voice *voice) RCORE_RT {
    return voice->params.bus < core->config.max_buses ? &core->buses[voice->params.bus] : NULL;
}

static bool voice_frozen(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    return bus != NULL && bus->frozen;
}

// ---- Told -------------------------------------------------------------------------------------------------------------------

static void voice_start(rcore_t *core, struct voice *voice, rcore_voice_t handle) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    if (!voice->gain_set) {
        ramp_set(&voice->gain, params->gain);
    }
    voice->paused |= params->paused;
    voice->stopping = false;
    source_begin(voice);
    if (voice->paused) {
        ramp_set(&voice->fade, 0.0f);
    } else if (params->fade_in_frames > 0) {
        ramp_set(&voice->fade, 0.0f);
        ramp_go(&voice->fade, 1.0f, params->fade_in_frames);
    } else {
        ramp_set(&voice->fade, 1.0f);
    }
    publish_state(voice, handle, voice->paused ? RCORE_VOICE_PAUSED : RCORE_VOICE_PLAYING);
    core->playing[core->playing_count++] = (uint32_t)(voice - core->voices);
}

// Takes an ended voice off the list at once; the order of the others stays.
static void forget_playing(rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint32_t index = (uint32_t)(voice - core->voices);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] != index) {
            core->playing[kept++] = core->playing[i];
        }
    }
    core->playing_count = kept;
}

static void voice_stop(rcore_t *core, struct voice *voice, uint32_t ramp_frames, bool frozen) RCORE_RT {
    const bool silent = voice->fade.remaining == 0 && voice->fade.target == 0.0f;
    if (frozen || silent || ramp_frames == 0) {
        forget_playing(core, voice);
        voice_end(core, voice);
    } else {
        voice->stopping = true;
        ramp_go(&voice->fade, 0.0f, ramp_frames);
    }
}

// Before its start took effect: a stop cancels it, the rest shapes how it will begin.
static void apply_waiting(rcore_t *core, struct voice *voice, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_START:
        voice_start(core, voice, command->voice);
        break;
    case COMMAND_STOP:
        voice_end(core, voice);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        break;
    case COMMAND_GAIN:
        voice->gain_set = true;
        ramp_set(&voice->gain, command->gain);
        break;
    case COMMAND_SPEED:
        voice->speed_set = true;
        ramp_set(&voice->speed, command->gain);
        break;
    default:
        break;
    }
}

static void apply_playing(rcore_t *core, struct voice *voice, const struct command *command, bool frozen) RCORE_RT {
    if (voice->stopping) {
        return; // a stop cannot be taken back
    }
    switch (command->kind) {
    case COMMAND_STOP:
        voice_stop(core, voice, command->ramp_frames, frozen);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        ramp_go(&voice->fade, 0.0f, frozen ? 0 : command->ramp_frames);
        publish_state(voice, command->voice, RCORE_VOICE_PAUSED);
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        ramp_go(&voice->fade, 1.0f, command->ramp_frames);
        publish_state(voice, command->voice, RCORE_VOICE_PLAYING);
        break;
    case COMMAND_GAIN:
        ramp_go(&voice->gain, command->gain, command->ramp_frames);
        break;
    case COMMAND_SPEED:
        ramp_go(&voice->speed, command->gain, command->ramp_frames);
        break;
    default:
        break;
    }
}

bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT {
    struct voice *voice = voice_find(core, command->voice);
    if (voice == NULL) {
        return true; // released meanwhile
    }
    switch (voice_state(voice)) {
    case RCORE_VOICE_WAITING:
        apply_waiting(core, voice, command);
        return !voice_frozen(core, voice);
    case RCORE_VOICE_PLAYING:
    case RCORE_VOICE_PAUSED: {
        const bool frozen = voice_frozen(core, voice);
        apply_playing(core, voice, command, frozen);
        return !frozen;
    }
    default:
        return true;
    }
}

// ---- Rendered ---------------------------------------------------------------------------------------------------------------

// Adds one source channel to every bus channel the map leads it to; a pair of them in one pass.
static void mix_channel(const rcore_t *core, const struct voice *voice, uint32_t input, const float *source,
                        uint32_t offset, const struct scaling *scaling, uint32_t nframes) RCORE_RT {
    const uint32_t slot = voice->params.bus;
    const uint32_t channels = core->buses[slot].channels;
    const rcore_matrix_t *matrix = voice->params.matrix;
    if (matrix == NULL) {
        if (input < channels) {
            mix_one(bus_channel(core, slot, input) + offset, source, scaling, 1.0f, nframes);
        }
        return;
    }
    const uint32_t outputs = matrix->outputs < channels ? matrix->outputs : channels;
    const float *gains = matrix->gains + input;
    uint32_t output = 0;
    for (; output + 1 < outputs; output += 2) {
        const float paths[2] = {gains[output * matrix->inputs], gains[(output + 1) * matrix->inputs]};
        mix_two(bus_channel(core, slot, output) + offset, bus_channel(core, slot, output + 1) + offset, source, scaling,
                paths, nframes);
    }
    if (output < outputs) {
        mix_one(bus_channel(core, slot, output) + offset, source, scaling, gains[output * matrix->inputs], nframes);
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

// One contiguous piece: every channel, and on.
static void render_piece(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    if (bus != NULL && bus->channels > 0) {
        const struct scaling scaling = voice_scaling(core, voice, nframes);
        for (uint32_t channel = 0; channel < voice->channels; channel++) {
            const float *samples = source_channel(core, voice, channel, offset, nframes);
            if (samples != NULL) {
                mix_channel(core, voice, channel, samples, offset, &scaling, nframes);
            }
        }
    }
    source_advance(voice, nframes);
    ramp_advance(&voice->gain, nframes);
    ramp_advance(&voice->fade, nframes);
    ramp_advance(&voice->speed, nframes);
}

// Fewer frames came than were due: count them, and let no fade wait for frames that may never come.
static void underrun(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (!source_over(voice)) {
        count_up(&voice->underruns, nframes);
        count_up(&core->counters.underrun_frames, nframes);
    }
    if (voice->fade.target == 0.0f) {
        ramp_set(&voice->fade, 0.0f);
    }
}

// Returns whether the voice goes on.
static bool render_voice(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice_frozen(core, voice) || (voice->paused && voice->fade.remaining == 0)) {
        return true;
    }
    const bool fading_out = voice->fade.target == 0.0f;
    const uint32_t due = fading_out && voice->fade.remaining < nframes ? voice->fade.remaining : nframes;
    uint32_t done = 0;
    while (done < due) {
        const uint32_t piece = source_piece(core, voice, due - done);
        if (piece == 0) {
            underrun(core, voice, due - done);
            break;
        }
        render_piece(core, voice, done, piece);
        done += piece;
    }
    atomic_store_explicit(&voice->frames, voice->rendered, memory_order_relaxed);
    return !(source_over(voice) || (voice->stopping && voice->fade.remaining == 0));
}

void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < core->playing_count; i++) {
        source_prefetch(core, i, nframes);
        struct voice *voice = &core->voices[core->playing[i]];
        if (render_voice(core, voice, nframes)) {
            core->playing[kept++] = core->playing[i];
        } else {
            voice_end(core, voice);
        }
    }
    core->playing_count = kept;
}
