// Voices: what they were told, and what they put into their buses.
#include "group.h"
#include "pan.h"
#include "polyphony.h"
#include "pool.h"
#include "source.h"
#include "voice_mix.h"

static void publish_state(struct voice *voice, rcore_voice_t handle, rcore_voice_state_t state,
                          rcore_end_t end) RCORE_RT {
    // Release: who sees the end may free what the voice read.
    atomic_store_explicit(&voice->status, voice_status((uint32_t)(handle >> 32), state, end), memory_order_release);
}

static rcore_voice_t voice_handle(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_relaxed);
    return (status >> 32) << 32 | (uint64_t)(voice - core->voices + 1);
}

// The voice is its owner's again, or free.
static void voice_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    const rcore_voice_t handle = voice_handle(core, voice);
    const uint64_t rendered = atomic_load_explicit(&voice->frames, memory_order_relaxed);
    polyphony_leave(core, voice);
    buffer_leave(voice->params.buffer);
    voice->paused = voice->stopping = voice->gain_set = voice->speed_set = voice->pan_given = false;
    if (voice->params.one_shot) {
        pool_give_back(core, voice);
    } else {
        publish_state(voice, handle, RCORE_VOICE_ENDED, reason);
    }
    event_post(core, (rcore_event_t){.kind = RCORE_EVENT_VOICE_ENDED,
                                     .bus = RCORE_NONE,
                                     .reason = (uint32_t)reason,
                                     .voice = handle,
                                     .frame = core_now(core),
                                     .value = rendered});
}

static bool voice_frozen(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const struct bus_state *bus = voice_bus(core, voice);
    return bus != NULL && bus->frozen;
}

// ---- The list of those that play ------------------------------------------------------------------------------------------------

static void put_playing(rcore_t *core, struct voice *voice, uint32_t place) RCORE_RT {
    core->playing[place] = (uint32_t)(voice - core->voices);
    voice->place_index = place;
}

// Closes the gaps that ended voices left; the order of the others stays.
static void close_gaps(rcore_t *core) RCORE_RT {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] != RCORE_NONE) {
            put_playing(core, &core->voices[core->playing[i]], kept++);
        }
    }
    core->playing_count = kept;
}

static void add_playing(rcore_t *core, struct voice *voice) RCORE_RT {
    if (core->playing_count == core->config.max_voices) {
        close_gaps(core); // there are some: this voice is not on the list
    }
    put_playing(core, voice, core->playing_count++);
}

static void end_playing(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    core->playing[voice->place_index] = RCORE_NONE;
    voice_end(core, voice, reason);
}

// ---- Told -------------------------------------------------------------------------------------------------------------------

static bool silent(const struct voice *voice) RCORE_RT {
    return voice->fade.remaining == 0 && voice->fade.target == 0.0f;
}

static void voice_stop(rcore_t *core, struct voice *voice, uint32_t ramp_frames, rcore_end_t reason) RCORE_RT {
    if (voice_frozen(core, voice) || silent(voice) || ramp_frames == 0) {
        end_playing(core, voice, reason);
        return;
    }
    ramp_go(&voice->fade, 0.0f, ramp_frames);
    if (silent(voice)) { // it had not begun to be heard
        end_playing(core, voice, reason);
        return;
    }
    polyphony_leave(core, voice);
    voice->stopping = true;
    voice->end = (uint8_t)reason;
}

// Whether there is a place for the voice, if need be another's.
static bool make_room(rcore_t *core, const struct voice *voice) RCORE_RT {
    bool refused;
    struct voice *victim = polyphony_victim(core, voice->params.priority, &refused);
    if (victim != NULL) {
        count_up(&core->counters.stolen_voices, 1);
        voice_stop(core, victim, core->config.steal_frames, RCORE_END_STOLEN);
    }
    return !refused;
}

static void begin_levels(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    if (!voice->gain_set) {
        ramp_set(&voice->gain, params->gain);
    }
    voice->pan_law = (uint8_t)params->pan_law;
    if (pan_applies(voice)) {
        pan_set(voice, voice->pan_given ? voice->pan.target : params->pan);
    }
    if (voice->paused) {
        ramp_set(&voice->fade, 0.0f);
    } else if (params->fade_in_frames > 0) {
        ramp_set(&voice->fade, 0.0f);
        ramp_go(&voice->fade, 1.0f, params->fade_in_frames);
    } else {
        ramp_set(&voice->fade, 1.0f);
    }
}

static void voice_start(rcore_t *core, struct voice *voice, rcore_voice_t handle) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    if (!make_room(core, voice)) {
        count_up(&core->counters.refused_voices, 1);
        voice_end(core, voice, RCORE_END_REFUSED);
        return;
    }
    voice->paused |= params->paused;
    voice->stopping = false;
    voice->matrix = params->matrix;
    voice->bus = params->bus;
    source_begin(voice);
    begin_levels(voice);
    publish_state(voice, handle, voice->paused ? RCORE_VOICE_PAUSED : RCORE_VOICE_PLAYING, RCORE_END_NONE);
    polyphony_join(core, voice);
    add_playing(core, voice);
}

// Before its start took effect: a stop cancels it, the rest shapes how it will begin.
static void apply_waiting(rcore_t *core, struct voice *voice, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_START:
        voice_start(core, voice, command->voice);
        break;
    case COMMAND_STOP:
        voice_end(core, voice, RCORE_END_STOPPED);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        break;
    case COMMAND_GAIN:
        voice->gain_set = true;
        ramp_set(&voice->gain, command->value);
        break;
    case COMMAND_PAN:
        voice->pan_given = true;
        ramp_set(&voice->pan, command->value);
        break;
    case COMMAND_SPEED:
        voice->speed_set = true;
        ramp_set(&voice->speed, command->value);
        break;
    case COMMAND_SEEK:
        voice->params.start_frame = command->frame;
        break;
    case COMMAND_LEAVE_LOOP:
        voice->params.loop_count = 0;
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
        voice_stop(core, voice, command->ramp_frames, RCORE_END_STOPPED);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        ramp_go(&voice->fade, 0.0f, frozen ? 0 : command->ramp_frames);
        publish_state(voice, command->voice, RCORE_VOICE_PAUSED, RCORE_END_NONE);
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        ramp_go(&voice->fade, 1.0f, command->ramp_frames);
        publish_state(voice, command->voice, RCORE_VOICE_PLAYING, RCORE_END_NONE);
        break;
    case COMMAND_GAIN:
        ramp_go(&voice->gain, command->value, command->ramp_frames);
        break;
    case COMMAND_PAN:
        pan_go(voice, command->value, command->ramp_frames);
        break;
    case COMMAND_SPEED:
        ramp_go(&voice->speed, command->value, command->ramp_frames);
        break;
    case COMMAND_SEEK:
        source_seek(voice, command->frame, frozen || silent(voice) ? 0 : command->ramp_frames);
        break;
    case COMMAND_LEAVE_LOOP:
        source_leave_loop(voice);
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
    // Read once, generation and state together: an ended voice may be released, and another's, from one look to the next. One that is
    // not ended stays the cycle's, for its start was posted.
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    if (status >> 32 != command->voice >> 32) {
        return true;
    }
    switch (status_state(status)) {
    case RCORE_VOICE_WAITING:
        voice->bus = voice->params.bus; // not the one it played into before
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

// One contiguous piece, and on.
static void render_piece(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    voice_mix(core, voice, offset, nframes);
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

// Renders up to `nframes` frames; ends the voice if it is over.
static void render_voice(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const bool frozen = voice_frozen(core, voice);
    if (voice->stopping && (frozen || voice->fade.remaining == 0)) {
        end_playing(core, voice, (rcore_end_t)voice->end); // nobody hears the rest of its fade
        return;
    }
    if (frozen || (voice->paused && voice->fade.remaining == 0)) {
        return;
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
    if (voice->stopping && voice->fade.remaining == 0) {
        end_playing(core, voice, (rcore_end_t)voice->end);
    } else if (source_over(voice)) {
        end_playing(core, voice, RCORE_END_SOURCE);
    }
}

void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT {
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] == RCORE_NONE) {
            continue;
        }
        struct voice *voice = &core->voices[core->playing[i]];
        if (!voice->stopping && (slot == RCORE_NONE || voice->bus == slot)) {
            voice_stop(core, voice, ramp_frames, RCORE_END_STOPPED);
        }
    }
}

void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < core->playing_count;) {
        uint32_t count = 1;
        if (group_render(core, i, nframes)) {
            count = group_size;
        } else if (core->playing[i] != RCORE_NONE) {
            render_voice(core, &core->voices[core->playing[i]], nframes);
        }
        for (const uint32_t next = i + count; i < next; i++) {
            const uint32_t index = core->playing[i];
            source_prefetch(core, i, nframes);
            if (index != RCORE_NONE && kept < i) {
                put_playing(core, &core->voices[index], kept);
            }
            kept += index != RCORE_NONE ? 1 : 0;
        }
    }
    core->playing_count = kept;
}
