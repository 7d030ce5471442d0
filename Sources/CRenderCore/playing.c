// Voices that play: their list, and what a slice makes of them.
#include "playing.h"

#include "curves.h"
#include "group.h"
#include "polyphony.h"
#include "pool.h"
#include "source.h"
#include "voice.h"
#include "voice_mix.h"

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
    core->gap_count = 0;
}

void playing_add(rcore_t *core, struct voice *voice) RCORE_RT {
    if (core->playing_count == core->config.max_voices) {
        close_gaps(core); // there are some: this voice is not on the list
    }
    put_playing(core, voice, core->playing_count++);
}

void playing_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    core->playing[voice->place_index] = RCORE_NONE;
    core->gap_count++;
    voice_end(core, voice, reason);
}

static rcore_voice_t voice_handle(const rcore_t *core, const struct voice *voice) RCORE_RT {
    const uint64_t status = atomic_load_explicit(&voice->status, memory_order_relaxed);
    return (status >> 32) << 32 | (uint64_t)(voice - core->voices + 1);
}

void voice_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT {
    const rcore_voice_t handle = voice_handle(core, voice);
    const uint64_t rendered = atomic_load_explicit(&voice->frames, memory_order_relaxed);
    polyphony_leave(core, voice);
    curves_end_voice(core, voice);
    buffer_leave(voice->params.buffer);
    voice->paused = voice->pause_given = voice->stopping = voice->gain_set = voice->speed_set = voice->pan_given =
        false;
    if (voice->params.one_shot) {
        pool_give_back(core, voice);
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

// ---- Rendered ---------------------------------------------------------------------------------------------------------------

// One contiguous piece, and on.
static void render_piece(rcore_t *core, struct voice *voice, uint32_t offset, uint32_t nframes) RCORE_RT {
    voice_mix(core, voice, offset, nframes);
    source_advance(voice, nframes);
    ramp_advance_to_rest(&voice->gain, nframes);
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

// Renders a voice by itself, up to `nframes` frames; ends the voice if it is over.
static void render_voice(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT {
    const bool frozen = voice_frozen(core, voice);
    if (voice->stopping && (frozen || voice->fade.remaining == 0)) {
        playing_end(core, voice, (rcore_end_t)voice->end); // nobody hears the rest of its fade
        return;
    }
    if (frozen || (voice->paused && voice->fade.remaining == 0)) {
        return;
    }
    if (voice->bus < core->config.max_buses) {
        bus_open(core, voice->bus, nframes);
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
        playing_end(core, voice, (rcore_end_t)voice->end);
    } else if (source_over(voice)) {
        playing_end(core, voice, RCORE_END_SOURCE);
    } else {
        group_join(core, voice);
    }
}

void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < core->playing_count;) {
        const uint32_t together = core->playing[i] != RCORE_NONE ? group_render(core, i, nframes) : 0;
        if (together == 0) {
            source_prefetch(core, i, nframes);
            if (core->playing[i] != RCORE_NONE) {
                render_voice(core, &core->voices[core->playing[i]], nframes);
            }
        }
        i += together > 0 ? together : 1;
    }
    if (core->gap_count > core->playing_count / 8) { // not for each voice that ends: the list is long
        close_gaps(core);
    }
}
