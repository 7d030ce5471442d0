// Playing voices: their list, and the rendering of a block.
#include "voices/playing.h"

#include "core/core.h"
#include "core/counters.h"
#include "core/events.h"
#include "mix/buses.h"
#include "mix/curves.h"
#include "mix/ramp.h"
#include "voices/envelope.h"
#include "voices/paging.h"
#include "voices/polyphony.h"
#include "voices/pool.h"
#include "voices/source.h"
#include "voices/voice.h"
#include "voices/voice_batch.h"
#include "voices/voice_mix.h"

static void set_playing(rcore_t *core, struct voice *voice, uint32_t index) RCORE_RT {
    core->voices.playing[index] = (uint32_t)(voice - core->voices.pool);
    voice->playing_index = index;
}

// Closes the gaps that ended voices left. Keeps the order of the other voices.
static void close_gaps(rcore_t *core) RCORE_RT {
    uint32_t count = 0;
    for (uint32_t i = 0; i < core->voices.playing_count; i++) {
        if (core->voices.playing[i] != RCORE_NONE) {
            set_playing(core, &core->voices.pool[core->voices.playing[i]], count++);
        }
    }
    core->voices.playing_count = count;
    core->voices.gap_count = 0;
}

void playing_add(rcore_t *core, struct voice *voice) RCORE_RT {
    if (core->voices.playing_count == core->config.max_voices) {
        close_gaps(core); // there is a gap: this voice is not on the list, which has room for all
    }
    set_playing(core, voice, core->voices.playing_count++);
}

void playing_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    core->voices.playing[voice->playing_index] = RCORE_NONE;
    core->voices.gap_count++;
    voice_end(core, voice, reason);
}

static rcore_voice_t voice_handle(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_relaxed);
    return (status >> 32) << 32 | (uint64_t)(voice - core->voices.pool + 1);
}

void voice_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    const rcore_voice_t handle = voice_handle(core, voice);
    const uint64_t rendered = atomic_load_explicit(&voice->frames, memory_order_relaxed);
    core->voices.ended_count += 1;
    polyphony_leave(core, voice);
    curves_end_voice(core, voice);
    buffer_remove_user(voice->params.buffer);
    voice->paused = voice->pause_preset = voice->stopping = voice->gain_preset = voice->speed_preset =
        voice->pan_preset = voice->has_envelope = voice->is_filtered = voice->is_draining = false;
    if (voice->params.one_shot) {
        pool_release(core, voice);
    } else {
        voice_publish(voice, handle, RCORE_VOICE_ENDED, reason);
    }
    event_post(core, (rcore_event_t){.kind = RCORE_EVENT_VOICE_ENDED,
                                     .bus = RCORE_NONE,
                                     .reason = (uint32_t)reason,
                                     .voice = handle,
                                     .frame = core_now(core),
                                     .value = rendered});
}

// ---- Fade-outs ----------------------------------------------------------------------------------

// Has a voice end as soon as its fade has reached 0.
static void begin_stopping(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    if (!voice->stopping) {
        polyphony_leave(core, voice);
        voice->stopping = true;
        voice->end = (uint8_t)reason;
    }
}

void playing_follow_envelope(rcore_t *core, struct voice *voice) RCORE_RT {
    const struct envelope *envelope = voice_envelope(core, voice);
    voice->fade = envelope->level;
    if (envelope->stage >= ENVELOPE_RELEASE || voice_silent(voice)) {
        begin_stopping(core, voice, RCORE_END_STOPPED);
    }
}

void playing_shorten_fade_out(rcore_t *core, struct voice *voice, uint32_t ramp_frames) RCORE_RT {
    if (voice->has_envelope) {
        envelope_shorten(voice_envelope(core, voice), ramp_frames);
        playing_follow_envelope(core, voice);
    } else if (ramp_frames < voice->fade.remaining) {
        ramp_to(&voice->fade, 0.0f, ramp_frames);
    }
}

// If the source of a filtered voice has ended, lets the filter fade out on silence, because its
// resonance would end with a click, and returns true. Returns false if that is not due.
static bool drain(rcore_t *core, struct voice *voice) RCORE_RT {
    const uint32_t ramp_frames = core->config.steal_frames;
    if (!voice->is_filtered || voice->is_draining || !source_over(voice) || ramp_frames == 0) {
        return false;
    }
    voice->is_draining = true;
    if (!voice->stopping) {
        begin_stopping(core, voice, RCORE_END_SOURCE);
        voice->has_envelope = false;
        ramp_to(&voice->fade, 0.0f, ramp_frames);
    } else {
        playing_shorten_fade_out(core, voice, ramp_frames);
    }
    return true;
}

// ---- Rendering ----------------------------------------------------------------------------------

// Renders one contiguous segment and advances past it.
static void render_segment(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    voice_mix(core, voice, offset, nframes);
    source_advance(voice, nframes);
    ramp_advance_and_stop(&voice->gain, nframes);
    ramp_advance(&voice->speed, nframes);
    if (voice->is_paged) {
        ramp_advance(&voice->page_fade, nframes);
    }
    if (voice->has_envelope) {
        envelope_advance(voice_envelope(core, voice), nframes);
        playing_follow_envelope(core, voice);
    } else {
        ramp_advance(&voice->fade, nframes);
    }
}

// Counts the missing frames unless the source has ended. Ends a fade-out at once: its frames may
// never arrive. A note whose envelope falls to 0 waits for them.
static void underrun(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    if (!source_over(voice)) {
        add_to_counter(&voice->underruns, nframes);
        add_to_counter(&core->counters.underrun_frames, nframes);
    }
    if (voice->fade.target == 0.0f && (voice->stopping || !voice->has_envelope)) {
        ramp_set(&voice->fade, 0.0f);
    }
}

static void limit(uint32_t *nframes, uint32_t remaining) RCORE_RT {
    *nframes = remaining > 0 && remaining < *nframes ? remaining : *nframes;
}

// Returns how many of the next `nframes` frames are rendered together; 0: the voice has faded out.
// A memory source is divided where a ramp of fade or gain ends, so that the same products are
// computed wherever periods are divided. A render callback is called once.
static uint32_t due_frames(const struct voice *voice, uint32_t nframes) RCORE_RT {
    if (voice_silent(voice)) {
        return 0;
    }
    if (voice->fade.target == 0.0f || voice->kind == SOURCE_MEMORY) {
        limit(&nframes, voice->fade.remaining);
    }
    if (voice->kind == SOURCE_MEMORY) {
        limit(&nframes, voice->gain.remaining);
    }
    if (voice->is_paged) {
        limit(&nframes, voice->page_fade.remaining);
    }
    return nframes;
}

// Renders up to `nframes` frames of a voice that is not in a batch. Ends the voice when its source
// or the fade-out of its stop ends; otherwise determines which batch it can join. A voice that is
// paused or suspended renders nothing.
static void render_voice(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const bool suspended = voice_suspended(core, voice);
    const rcore_end_t end = voice->is_paged ? paging_follow(core, voice, nframes) : RCORE_END_NONE;
    if (end != RCORE_END_NONE) {
        playing_end(core, voice, end);
        return;
    }
    if (voice->stopping && (suspended || voice->fade.remaining == 0)) {
        playing_end(core, voice, (rcore_end_t)voice->end); // the rest of its fade is inaudible
        return;
    }
    if (suspended || (voice->paused && voice->fade.remaining == 0)) {
        return;
    }
    if (voice->bus < core->config.max_buses) {
        bus_open_for_voice(core, voice->bus, nframes);
    }
    uint32_t done = 0;
    for (uint32_t due; (due = due_frames(voice, nframes - done)) > 0;) {
        const uint32_t segment = paging_waits(voice) ? 0 : source_segment(core, voice, due);
        if (segment > 0) {
            render_segment(core, voice, done, segment);
            done += segment;
        } else if (!drain(core, voice)) {
            underrun(core, voice, voice->is_paged ? nframes - done : due);
            break;
        }
    }
    if (voice->stopping && voice->fade.remaining == 0) {
        playing_end(core, voice, (rcore_end_t)voice->end);
    } else if (source_over(voice) && !drain(core, voice)) {
        playing_end(core, voice, RCORE_END_SOURCE);
    } else {
        batch_join(core, voice);
        core->work.is_due |= voice->kind == SOURCE_STREAM && rcore_fifo_is_due(voice->params.fifo);
    }
}

void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < core->voices.playing_count;) {
        const uint32_t together = core->voices.playing[i] != RCORE_NONE ? batch_render(core, i, nframes) : 0;
        if (together == 0) {
            source_prefetch(core, i, nframes);
            if (core->voices.playing[i] != RCORE_NONE) {
                render_voice(core, &core->voices.pool[core->voices.playing[i]], nframes);
            }
        }
        i += together > 0 ? together : 1;
    }
    // Closing gaps costs time in proportion to the list, so not for every voice that ends.
    if (core->voices.gap_count > core->voices.playing_count / 8) {
        close_gaps(core);
    }
}
