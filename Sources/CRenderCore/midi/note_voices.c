// The voices of notes.
#include "midi/note_voices.h"

#include "core/core.h"
#include "midi/note_levels.h"
#include "midi/note_lists.h"
#include "queue/scheduled.h"
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

void note_stop(rcore_t *core, rcore_instrument_t *instrument, struct note *note, uint32_t ramp_frames) RCORE_RT {
    if (!send(core, note, COMMAND_STOP, ramp_frames)) {
        note_leave(instrument, note);
    }
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
    note_stop(core, instrument, note, core_frames(core, note->zone, zone->release_frames));
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
            note_stop(core, instrument, note, core_frames(core, note->zone, note->zone->settings.choke_frames));
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

static struct command decay_of(const rcore_t *core, const struct note *note, uint64_t when) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    return (struct command){.kind = COMMAND_ENVELOPE,
                            .voice = note->voice,
                            .value = zone->sustain,
                            .ramp_frames = core_frames(core, note->zone, zone->decay_frames),
                            .queue = NO_QUEUE,
                            .when = when};
}

// Moves a note's envelope to its sustain level at frame `when`. If that is after the next cycle, or
// there is no room for the command, another cycle schedules it: commands of notes that end before
// their decay do not use up the room.
static void schedule_decay(rcore_t *core, rcore_instrument_t *instrument, struct note *note, uint64_t when) RCORE_RT {
    const bool is_near = when <= core_now(core) + RCORE_MAX_PERIOD;
    note->decay_at = is_near && commands_schedule(core, decay_of(core, note, when)) ? 0 : when;
    if (note->decay_at != 0 && note->decay_at < instrument->next_decay) {
        instrument->next_decay = note->decay_at;
    }
}

// Begins the decay of a note after its attack and hold; if they are empty, now.
static void begin_envelope(rcore_t *core, rcore_instrument_t *instrument, struct note *note,
                           uint32_t attack_frames) RCORE_RT {
    const uint64_t rising = (uint64_t)attack_frames + core_frames(core, note->zone, note->zone->settings.hold_frames);
    if (rising > 0) {
        schedule_decay(core, instrument, note, core_now(core) + rising);
    } else {
        const struct command command = decay_of(core, note, core_now(core));
        (void)voice_apply(core, &command);
    }
}

static rcore_voice_params_t params_of(const rcore_t *core, const rcore_instrument_t *instrument,
                                      const struct note *note) RCORE_RT {
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
                                  .fade_in_frames = core_frames(core, note->zone, zone->attack_frames),
                                  .one_shot = true};
}

// Starts the voice of a note, whose fields are set, at the current frame.
static bool begin_note(rcore_t *core, rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    note_set_levels(core, instrument, note);
    const rcore_voice_params_t params = params_of(core, instrument, note);
    if (!voice_begin(core, note->voice, &params)) {
        return false;
    }
    note_enter(instrument, note);
    if (note->zone->settings.sustain < 1.0f) {
        begin_envelope(core, instrument, note, params.fade_in_frames);
    }
    return true;
}

bool note_start(rcore_t *core, rcore_instrument_t *instrument, struct zone *zone, uint32_t channel, uint32_t key,
                uint8_t velocity) RCORE_RT {
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

static void schedule_decays_of(rcore_t *core, rcore_instrument_t *instrument, const struct note_list *list) RCORE_RT {
    for (struct note *note = list->first; note != NULL; note = note->links[LINK_AGE].next) {
        if (note->decay_at != 0) {
            schedule_decay(core, instrument, note, note->decay_at);
        }
    }
}

void notes_schedule_decays(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    if (instrument->next_decay <= core_now(core) + RCORE_MAX_PERIOD) {
        instrument->next_decay = UINT64_MAX;
        schedule_decays_of(core, instrument, &instrument->held);
        schedule_decays_of(core, instrument, &instrument->released);
    }
}
