// The voices of notes.
#include "midi/note_voices.h"

#include "core/core.h"
#include "midi/note_levels.h"
#include "midi/note_lists.h"
#include "voices/voice.h"
#include "voices/voices.h"

static uint32_t core_frames(const rcore_t *core, const struct zone *zone, uint32_t nframes) RCORE_RT {
    return frames_at(atomic_load_explicit(&core->sample_rate, memory_order_relaxed), zone, nframes);
}

// ---- Ends ---------------------------------------------------------------------------------------

// Sends a command to a note's voice. Returns whether the voice still exists afterwards.
static bool send(rcore_t *core, const struct note *note, uint8_t kind, uint32_t ramp_frames) RCORE_RT {
    const struct command command = {.kind = kind, .voice = note->voice, .ramp_frames = ramp_frames, .queue = NO_QUEUE};
    (void)voice_apply(core, &command);
    return voice_find(core, note->voice) != NULL;
}

// Ends a note by a command. If its voice ends at once, the note is unused afterwards.
static void end(rcore_t *core, rcore_instrument_t *instrument, struct note *note, uint8_t kind,
                uint32_t ramp_frames) RCORE_RT {
    if (!send(core, note, kind, ramp_frames)) {
        note_leave(instrument, note);
    }
}

void note_stop(rcore_t *core, rcore_instrument_t *instrument, struct note *note, uint32_t ramp_frames) RCORE_RT {
    end(core, instrument, note, COMMAND_STOP, ramp_frames);
}

void note_release(rcore_t *core, rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    note_detach(instrument, note);
    if (zone->one_shot) {
        return;
    }
    if (zone->loops && zone->leaves_loop) {
        (void)send(core, note, COMMAND_LEAVE_LOOP, 0);
    }
    end(core, instrument, note, COMMAND_RELEASE, core_frames(core, note->zone, zone->release_frames));
}

static bool has_ended(const rcore_t *core, const struct note *note) RCORE_RT {
    return voice_find(core, note->voice) == NULL;
}

static bool any_plays(const rcore_t *core, const struct press *press) RCORE_RT {
    const struct note *note = press->notes.first;
    while (note != NULL && has_ended(core, note)) {
        note = note->links[LINK_KEY].next;
    }
    return note != NULL;
}

// Takes a note that is choked or stolen from its key. If no other note of the key plays, the key
// has nothing to release.
static void take_from_key(const rcore_t *core, rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    const bool was_released = note->released;
    struct channel *channel = &instrument->channels[note->channel];
    note_detach(instrument, note);
    if (!was_released && !any_plays(core, &channel->presses[note->key])) {
        keys_remove(&channel->down, note->key);
        keys_remove(&channel->pedalled, note->key);
    }
}

void notes_choke(rcore_t *core, rcore_instrument_t *instrument, const struct note_list *list) RCORE_RT {
    for (struct note *note = list->first, *next; note != NULL; note = next) {
        next = note->links[LINK_CHOKE].next;
        if (has_ended(core, note)) { // by itself, so it leaves its key as it is
            note_leave(instrument, note);
        } else if (note->message != instrument->message) {
            take_from_key(core, instrument, note);
            const uint32_t choke_frames = note->zone->settings.choke_frames;
            end(core, instrument, note, COMMAND_RELEASE, core_frames(core, note->zone, choke_frames));
        }
    }
}

// Steals the oldest note, preferably a released one. Returns false if all are of the current
// message.
static bool steal(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    struct note *note = instrument->released.first;
    if (note == NULL || note->message == instrument->message) {
        note = instrument->held.first;
    }
    if (note == NULL || note->message == instrument->message) {
        return false;
    }
    take_from_key(core, instrument, note);
    (void)send(core, note, COMMAND_STOP, core->config.steal_frames);
    note_leave(instrument, note);
    return true;
}

// ---- Starts -------------------------------------------------------------------------------------

static rcore_voice_params_t params_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    return (rcore_voice_params_t){.buffer = zone->buffer,
                                  .bus = instrument->config.bus,
                                  .matrix = zone->matrix,
                                  .gain = note->gain,
                                  .pan_law = instrument->config.pan_law,
                                  .pan = note->pan,
                                  .speed = note->speed,
                                  .priority = instrument->config.priority,
                                  .start_frame = zone->start_frame,
                                  .loop_count = zone->loops ? UINT64_MAX : 0,
                                  .loop_start = zone->loop_start,
                                  .loop_end = zone->loop_end,
                                  .loop_fade_frames = zone->loop_fade_frames,
                                  .one_shot = true};
}

// Returns the envelope of a note; its release gets a length when it begins.
static struct envelope envelope_of(const rcore_t *core, const struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    struct envelope envelope = {.sustain = zone->sustain, .is_exponential = zone->curve == RCORE_ENVELOPE_EXPONENTIAL};
    envelope.lengths[ENVELOPE_DELAY] = core_frames(core, note->zone, zone->delay_frames);
    envelope.lengths[ENVELOPE_ATTACK] = core_frames(core, note->zone, zone->attack_frames);
    if (zone->sustain < 1.0f) { // otherwise it stays at 1 anyway
        envelope.lengths[ENVELOPE_HOLD] = core_frames(core, note->zone, zone->hold_frames);
        envelope.lengths[ENVELOPE_DECAY] = core_frames(core, note->zone, zone->decay_frames);
    }
    return envelope;
}

// Returns the filter of a note, if its zone has one.
static struct filter_settings filter_of(const rcore_t *core, const struct note *note) RCORE_RT {
    const rcore_filter_t *filter = &note->zone->settings.filter;
    if (filter->type == RCORE_FILTER_NONE) {
        return (struct filter_settings){.type = RCORE_FILTER_NONE};
    }
    struct filter_settings settings = {.type = filter->type,
                                       .resonance = filter->resonance,
                                       .pitch = note->cutoff,
                                       .range = filter->envelope_range / 1200.0f,
                                       .envelope = {.sustain = filter->sustain}};
    settings.envelope.lengths[ENVELOPE_DELAY] = core_frames(core, note->zone, filter->delay_frames);
    settings.envelope.lengths[ENVELOPE_ATTACK] = core_frames(core, note->zone, filter->attack_frames);
    settings.envelope.lengths[ENVELOPE_HOLD] = core_frames(core, note->zone, filter->hold_frames);
    settings.envelope.lengths[ENVELOPE_DECAY] = core_frames(core, note->zone, filter->decay_frames);
    settings.envelope.lengths[ENVELOPE_RELEASE] = core_frames(core, note->zone, filter->release_frames);
    return settings;
}

// Starts the voice of a note, whose fields are set, at the current frame.
static bool begin_note(rcore_t *core, rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    note_set_levels(core, instrument, note);
    const rcore_voice_params_t params = params_of(instrument, note);
    const struct envelope envelope = envelope_of(core, note);
    const struct filter_settings filter = filter_of(core, note);
    const bool is_filtered = filter.type != RCORE_FILTER_NONE;
    if (!voice_begin(core, note->voice, &params, &envelope, is_filtered ? &filter : NULL,
                     note->zone->settings.leaves_loop)) {
        return false;
    }
    note_enter(instrument, note);
    return true;
}

// Returns whether the envelope of a zone never leaves 0.
static bool is_inaudible(const rcore_zone_t *zone) RCORE_RT {
    return zone->sustain == 0.0f && zone->attack_frames == 0 && zone->hold_frames == 0 && zone->decay_frames == 0;
}

bool note_start(rcore_t *core, rcore_instrument_t *instrument, struct zone *zone, uint32_t channel, uint32_t key,
                uint8_t velocity) RCORE_RT {
    if (is_inaudible(&zone->settings)) {
        return true;
    }
    const rcore_voice_t voice = rcore_voice_acquire(core);
    if (voice == 0) {
        return false;
    }
    if (instrument->unused.first == NULL) {
        notes_sweep(core, instrument);
    }
    if (instrument->unused.first == NULL && !steal(core, instrument)) {
        (void)rcore_voice_release(core, voice);
        return false;
    }
    struct note *note = instrument->unused.first;
    list_remove(&instrument->unused, LINK_AGE, note);
    *note = (struct note){.voice = voice,
                          .zone = zone,
                          .message = instrument->message,
                          .channel = (uint8_t)channel,
                          .key = (uint8_t)key,
                          .velocity = velocity,
                          .released = zone->settings.trigger == RCORE_ZONE_RELEASE};
    if (!begin_note(core, instrument, note)) {
        list_append(&instrument->unused, LINK_AGE, note);
        return false;
    }
    return true;
}

// ---- All notes ----------------------------------------------------------------------------------

// Removes the notes of an age list whose voices have ended.
static void sweep_list(const rcore_t *core, rcore_instrument_t *instrument, const struct note_list *list) RCORE_RT {
    for (struct note *note = list->first, *next; note != NULL; note = next) {
        next = note->links[LINK_AGE].next;
        if (has_ended(core, note)) {
            note_leave(instrument, note);
        }
    }
}

void notes_sweep(const rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    if (instrument->swept_at != core->voices.ended_count) {
        instrument->swept_at = core->voices.ended_count;
        sweep_list(core, instrument, &instrument->held);
        sweep_list(core, instrument, &instrument->released);
    }
}

void notes_forget(rcore_instrument_t *instrument) RCORE_RT {
    while (instrument->held.first != NULL) {
        note_leave(instrument, instrument->held.first);
    }
    while (instrument->released.first != NULL) {
        note_leave(instrument, instrument->released.first);
    }
}
