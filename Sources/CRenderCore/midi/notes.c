// Keys and their notes.
//
// A key that is down, or that a pedal holds, has a press, with the notes that it started. It exists
// until it is released, or until the last of its notes has been choked or stolen. Notes that end by
// themselves do not end it, so release zones also follow sounds that were over before.
#include "midi/notes.h"

#include "core/core.h"
#include "core/counters.h"
#include "midi/note_lists.h"
#include "midi/note_voices.h"

static bool is_suspended(const rcore_t *core, const rcore_instrument_t *instrument) RCORE_RT {
    return core->mix.buses[instrument->config.bus].suspended;
}

// ---- Starts -------------------------------------------------------------------------------------

// Returns whether a zone plays a press of a key in its range, and counts the press.
static bool takes_turn(struct zone *zone, const struct press *press) RCORE_RT {
    const rcore_zone_t *settings = &zone->settings;
    if (press->velocity < settings->low_velocity || press->velocity > settings->high_velocity ||
        press->program < settings->low_program || press->program > settings->high_program) {
        return false;
    }
    const uint8_t turn = zone->sequence_count++;
    if (zone->sequence_count == settings->sequence_length) {
        zone->sequence_count = 0;
    }
    return turn == settings->sequence_position - 1;
}

// Starts the zones of a press, up to the first for which no voice is free.
static void start_zones(rcore_t *core, rcore_instrument_t *instrument, rcore_zone_trigger_t trigger, uint32_t channel,
                        uint32_t key) RCORE_RT {
    const struct press *press = &instrument->channels[channel].presses[key];
    const uint32_t end = instrument->first_of_key[trigger][key + 1];
    bool missed = false;
    for (uint32_t i = instrument->first_of_key[trigger][key]; i < end; i++) {
        struct zone *zone = &instrument->zones[instrument->zones_of_key[i]];
        if (takes_turn(zone, press) && !missed) {
            if (zone->chokes != NULL) {
                notes_choke(core, instrument, zone->chokes);
            }
            missed = !note_start(core, instrument, zone, channel, key, press->velocity);
        }
    }
    if (missed) {
        add_to_counter(&instrument->missed_notes, 1);
    }
}

// ---- Keys ---------------------------------------------------------------------------------------

// Releases the notes of a key, and starts its release zones.
static void release_key(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    keys_remove(&state->down, key);
    keys_remove(&state->pedalled, key);
    for (struct note *note = state->presses[key].notes.first, *next; note != NULL; note = next) {
        next = note->links[LINK_KEY].next;
        note_release(core, instrument, note);
    }
    if (!is_suspended(core, instrument)) {
        start_zones(core, instrument, RCORE_ZONE_RELEASE, channel, key);
    }
}

void notes_on(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key,
              uint8_t velocity) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    if (is_suspended(core, instrument)) {
        return;
    }
    if (keys_have(&state->down, key) || keys_have(&state->pedalled, key)) {
        release_key(core, instrument, channel, key);
    }
    keys_add(&state->down, key);
    state->presses[key].velocity = velocity;
    state->presses[key].program = state->program;
    start_zones(core, instrument, RCORE_ZONE_ATTACK, channel, key);
}

// Returns whether a pedal holds a key that goes up.
static bool pedal_holds(const rcore_instrument_t *instrument, uint32_t channel, uint32_t key) RCORE_RT {
    const struct channel *state = &instrument->channels[channel];
    return state->sustain || instrument->channels[state->manager].sustain || keys_have(&state->sostenuto_keys, key);
}

void notes_off(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    if (!keys_have(&state->down, key)) {
        return;
    }
    if (pedal_holds(instrument, channel, key)) {
        keys_remove(&state->down, key);
        keys_add(&state->pedalled, key);
    } else {
        release_key(core, instrument, channel, key);
    }
}

void notes_off_all(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    const struct channel *state = &instrument->channels[channel];
    for (uint32_t key = 0; key < KEYS && !keys_empty(&state->down); key++) {
        notes_off(core, instrument, channel, key);
    }
}

void notes_follow_pedals(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    const struct channel *state = &instrument->channels[channel];
    for (uint32_t key = 0; key < KEYS && !keys_empty(&state->pedalled); key++) {
        if (keys_have(&state->pedalled, key) && !pedal_holds(instrument, channel, key)) {
            release_key(core, instrument, channel, key);
        }
    }
}

// ---- All notes ----------------------------------------------------------------------------------

void notes_stop(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    struct channel *state = &instrument->channels[channel];
    for (struct note *note = state->notes.first, *next; note != NULL; note = next) {
        next = note->links[LINK_CHANNEL].next;
        note_detach(instrument, note);
        note_stop(core, instrument, note, core->config.steal_frames);
    }
    state->down = state->pedalled = state->sostenuto_keys = (struct keys){{0}};
}
