// Voices: applies commands to them.
#include "voices/voices.h"

#include "core/core.h"
#include "core/counters.h"
#include "mix/curves.h"
#include "mix/pan.h"
#include "mix/ramp.h"
#include "voices/playing.h"
#include "voices/polyphony.h"
#include "voices/pool.h"
#include "voices/seek.h"
#include "voices/source.h"
#include "voices/voice.h"
#include "voices/voice_batch.h"

// Fades a playing voice out and then ends it; at once if it is inaudible or `ramp_frames` is 0.
static void voice_stop(rcore_t *core, struct voice *voice, uint32_t ramp_frames, rcore_end_t reason) RCORE_RT {
    if (voice_suspended(core, voice) || voice_silent(voice) || ramp_frames == 0) {
        playing_end(core, voice, reason);
        return;
    }
    batch_leave(voice);
    voice->has_envelope = false;
    ramp_to(&voice->fade, 0.0f, ramp_frames);
    if (voice_silent(voice)) { // it was not audible yet
        playing_end(core, voice, reason);
        return;
    }
    polyphony_leave(core, voice);
    voice->stopping = true;
    voice->end = (uint8_t)reason;
}

// Steals a voice if `max_playing` voices already play. Returns false if all of them have a higher
// priority.
static bool make_room(rcore_t *core, const struct voice *voice) RCORE_RT {
    bool refused;
    struct voice *victim = polyphony_victim(core, voice->params.priority, &refused);
    if (victim != NULL) {
        add_to_counter(&core->counters.stolen_voices, 1);
        voice_stop(core, victim, core->config.steal_frames, RCORE_END_STOLEN);
    }
    return !refused;
}

// Sets gain, pan and fade at the start of a voice. Commands that came before the start take
// precedence over its parameters.
static void set_initial_levels(struct voice *voice) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    if (!voice->gain_preset) {
        ramp_set(&voice->gain, params->gain);
    }
    voice->pan_law = (uint8_t)params->pan_law;
    if (pan_applies(voice)) {
        pan_set(voice, voice->pan_preset ? voice->pan.target : params->pan);
    } else {
        pan_none(voice);
    }
    if (voice->paused) {
        ramp_set(&voice->fade, 0.0f);
    } else if (params->fade_in_frames > 0) {
        ramp_set(&voice->fade, 0.0f);
        ramp_to(&voice->fade, 1.0f, params->fade_in_frames);
    } else {
        ramp_set(&voice->fade, 1.0f);
    }
}

// Starts a waiting voice. If `max_playing` voices of higher priority play, ends it as refused.
static void voice_start(rcore_t *core, struct voice *voice, rcore_voice_t handle) RCORE_RT {
    const rcore_voice_params_t *params = &voice->params;
    if (!make_room(core, voice)) {
        add_to_counter(&core->counters.refused_voices, 1);
        voice_end(core, voice, RCORE_END_REFUSED);
        return;
    }
    voice->paused = voice->pause_preset ? voice->paused : params->paused;
    voice->stopping = false;
    voice->matrix = params->matrix;
    voice->bus = params->bus;
    source_start(voice);
    set_initial_levels(voice);
    batch_leave(voice);
    voice_publish(voice, handle, voice->paused ? RCORE_VOICE_PAUSED : RCORE_VOICE_PLAYING, RCORE_END_NONE);
    polyphony_join(core, voice);
    playing_add(core, voice);
}

bool voice_begin(rcore_t *core, rcore_voice_t handle, const rcore_voice_params_t *params,
                 const struct envelope *envelope, const struct filter_settings *filter, bool leaves_loop) RCORE_RT {
    struct voice *voice = voice_find(core, handle);
    voice->params = *params;
    if (filter != NULL) {
        voice->is_filtered = true;
        filter_start(voice_filter(core, voice), filter, atomic_load_explicit(&core->sample_rate, memory_order_relaxed));
    }
    buffer_add_user(params->buffer);
    atomic_store_explicit(&voice->start, START_POSTED | voice_start_flags(params), memory_order_release);
    voice_start(core, voice, handle);
    if (voice_find(core, handle) == NULL) {
        return false;
    }
    voice->leaves_loop = leaves_loop;
    voice->has_envelope = true;
    *voice_envelope(core, voice) = *envelope;
    envelope_start(voice_envelope(core, voice));
    playing_follow_envelope(core, voice);
    return true;
}

// Applies a command to a voice whose start has not taken effect: a start command starts it, a stop
// cancels it, the others change how it will start.
static void apply_waiting(rcore_t *core, struct voice *voice, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_START:
        voice_start(core, voice, command->voice);
        break;
    case COMMAND_STOP:
        voice_end(core, voice, RCORE_END_STOPPED);
        break;
    case COMMAND_PAUSE:
        voice->paused = voice->pause_preset = true;
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        voice->pause_preset = true;
        break;
    case COMMAND_GAIN:
        voice->gain_preset = true;
        ramp_set(&voice->gain, command->value);
        break;
    case COMMAND_PAN:
        voice->pan_preset = true;
        ramp_set(&voice->pan, command->value);
        break;
    case COMMAND_SPEED:
        voice->speed_preset = true;
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

// Begins the release of a note's envelope, in `ramp_frames`, and that of its filter. The voice ends
// with the envelope; at once if it is inaudible.
static void release(rcore_t *core, struct voice *voice, uint32_t ramp_frames) RCORE_RT {
    if (voice->is_filtered) {
        filter_release(voice_filter(core, voice));
    }
    if (voice->has_envelope) {
        envelope_release(voice_envelope(core, voice), ramp_frames);
        playing_follow_envelope(core, voice);
    }
    if (voice_suspended(core, voice) || voice_silent(voice)) {
        playing_end(core, voice, RCORE_END_STOPPED);
    }
}

// Ends a stopping voice within `ramp_frames` if its fade-out would take longer.
static void shorten_fade_out(rcore_t *core, struct voice *voice, uint32_t ramp_frames) RCORE_RT {
    if (ramp_frames == 0) {
        playing_end(core, voice, (rcore_end_t)voice->end);
    } else {
        playing_shorten_fade_out(core, voice, ramp_frames);
    }
}

// Applies a command to a voice that is stopping. A stop cannot be undone, but another one may end
// it sooner. The release of a note also follows gain, pan, speed and cutoff.
static void apply_stopping(rcore_t *core, struct voice *voice, const struct command *command) RCORE_RT {
    if (command->kind == COMMAND_STOP || command->kind == COMMAND_RELEASE) {
        shorten_fade_out(core, voice, command->ramp_frames);
    } else if (command->queue != NO_QUEUE) {
        return;
    } else if (command->kind == COMMAND_GAIN) {
        ramp_to(&voice->gain, command->value, command->ramp_frames);
    } else if (command->kind == COMMAND_PAN) {
        pan_to(voice, command->value, command->ramp_frames);
    } else if (command->kind == COMMAND_SPEED) {
        ramp_to(&voice->speed, command->value, command->ramp_frames);
    } else if (command->kind == COMMAND_CUTOFF) {
        filter_move(voice_filter(core, voice), command->value, command->ramp_frames);
    }
}

// Applies a command to a voice that has started, whether it plays or is paused. Ends the curve of
// the parameter that the command sets.
static void apply_playing(rcore_t *core, struct voice *voice, const struct command *command, bool suspended) RCORE_RT {
    if (voice->stopping) {
        apply_stopping(core, voice, command);
        return;
    }
    // A batch can ramp gain and pan itself.
    if (command->kind != COMMAND_GAIN && command->kind != COMMAND_PAN) {
        batch_leave(voice);
    }
    curves_end(core, command->kind, (uint32_t)(voice - core->voices.pool));
    switch (command->kind) {
    case COMMAND_STOP:
        voice_stop(core, voice, command->ramp_frames, RCORE_END_STOPPED);
        break;
    case COMMAND_PAUSE:
        voice->paused = true;
        ramp_to(&voice->fade, 0.0f, suspended ? 0 : command->ramp_frames);
        voice_publish(voice, command->voice, RCORE_VOICE_PAUSED, RCORE_END_NONE);
        break;
    case COMMAND_RESUME:
        voice->paused = false;
        ramp_to(&voice->fade, 1.0f, command->ramp_frames);
        voice_publish(voice, command->voice, RCORE_VOICE_PLAYING, RCORE_END_NONE);
        break;
    case COMMAND_GAIN:
        ramp_to(&voice->gain, command->value, command->ramp_frames);
        break;
    case COMMAND_PAN:
        pan_to(voice, command->value, command->ramp_frames);
        break;
    case COMMAND_SPEED:
        ramp_to(&voice->speed, command->value, command->ramp_frames);
        break;
    case COMMAND_SEEK:
        source_seek(voice, command->frame, suspended || voice_silent(voice) ? 0 : command->ramp_frames);
        break;
    case COMMAND_LEAVE_LOOP:
        source_leave_loop(voice);
        break;
    case COMMAND_CUTOFF:
        filter_move(voice_filter(core, voice), command->value, command->ramp_frames);
        break;
    case COMMAND_RELEASE:
        release(core, voice, command->ramp_frames);
        break;
    default:
        break;
    }
}

bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT {
    struct voice *voice = voice_find(core, command->voice);
    if (voice == NULL) {
        return true; // released in the meantime
    }
    // Read generation and state together, once: between two reads, an ended voice may be released
    // and acquired by another owner. A voice that has not ended stays with the render thread,
    // because its start was posted.
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_acquire);
    if (status >> 32 != command->voice >> 32) {
        return true;
    }
    switch (status_state(status)) {
    case RCORE_VOICE_WAITING:
        voice->bus = voice->params.bus; // not the one of its previous use
        apply_waiting(core, voice, command);
        return !voice_suspended(core, voice);
    case RCORE_VOICE_PLAYING:
    case RCORE_VOICE_PAUSED: {
        const bool suspended = voice_suspended(core, voice);
        apply_playing(core, voice, command, suspended);
        return !suspended;
    }
    default:
        return true;
    }
}

void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT {
    for (uint32_t i = 0; i < core->voices.playing_count; i++) {
        if (core->voices.playing[i] == RCORE_NONE) {
            continue;
        }
        struct voice *voice = &core->voices.pool[core->voices.playing[i]];
        if (slot != RCORE_NONE && voice->bus != slot) {
            continue;
        }
        if (voice->stopping) {
            shorten_fade_out(core, voice, ramp_frames);
        } else {
            voice_stop(core, voice, ramp_frames, RCORE_END_STOPPED);
        }
    }
}
