// Voices: what they are told.
#include "curves.h"
#include "group.h"
#include "pan.h"
#include "playing.h"
#include "polyphony.h"
#include "source.h"
#include "voice.h"

static void voice_stop(rcore_t *core, struct voice *voice, uint32_t ramp_frames, rcore_end_t reason) RCORE_RT {
    if (voice_frozen(core, voice) || voice_silent(voice) || ramp_frames == 0) {
        playing_end(core, voice, reason);
        return;
    }
    group_leave(voice);
    ramp_go(&voice->fade, 0.0f, ramp_frames);
    if (voice_silent(voice)) { // it had not begun to be heard
        playing_end(core, voice, reason);
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
    } else {
        pan_none(voice);
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
    voice->paused = voice->pause_given ? voice->paused : params->paused;
    voice->stopping = false;
    voice->matrix = params->matrix;
    voice->bus = params->bus;
    source_begin(voice);
    begin_levels(voice);
    group_leave(voice);
    voice_publish(voice, handle, voice->paused ? RCORE_VOICE_PAUSED : RCORE_VOICE_PLAYING, RCORE_END_NONE);
    polyphony_join(core, voice);
    playing_add(core, voice);
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
        voice->paused = voice->pause_given = true;
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        voice->pause_given = true;
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

static void hurry_stop(rcore_t *core, struct voice *voice, uint32_t ramp_frames) RCORE_RT {
    if (ramp_frames == 0) {
        playing_end(core, voice, (rcore_end_t)voice->end);
    } else if (ramp_frames < voice->fade.remaining) {
        ramp_go(&voice->fade, 0.0f, ramp_frames);
    }
}

static void apply_playing(rcore_t *core, struct voice *voice, const struct command *command, bool frozen) RCORE_RT {
    if (voice->stopping) { // a stop cannot be taken back, but another may be sooner over
        if (command->kind == COMMAND_STOP) {
            hurry_stop(core, voice, command->ramp_frames);
        }
        return;
    }
    if (command->kind != COMMAND_GAIN && command->kind != COMMAND_PAN) {
        group_leave(voice);
    }
    curves_end(core, command->kind, (uint32_t)(voice - core->voices));
    switch (command->kind) {
    case COMMAND_STOP:
        voice_stop(core, voice, command->ramp_frames, RCORE_END_STOPPED);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        ramp_go(&voice->fade, 0.0f, frozen ? 0 : command->ramp_frames);
        voice_publish(voice, command->voice, RCORE_VOICE_PAUSED, RCORE_END_NONE);
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        ramp_go(&voice->fade, 1.0f, command->ramp_frames);
        voice_publish(voice, command->voice, RCORE_VOICE_PLAYING, RCORE_END_NONE);
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
        source_seek(voice, command->frame, frozen || voice_silent(voice) ? 0 : command->ramp_frames);
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

void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT {
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] == RCORE_NONE) {
            continue;
        }
        struct voice *voice = &core->voices[core->playing[i]];
        if (slot != RCORE_NONE && voice->bus != slot) {
            continue;
        }
        if (voice->stopping) {
            hurry_stop(core, voice, ramp_frames);
        } else {
            voice_stop(core, voice, ramp_frames, RCORE_END_STOPPED);
        }
    }
}
