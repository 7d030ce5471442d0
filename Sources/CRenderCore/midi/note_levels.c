// Gain, pan and pitch of notes, from zone, key, velocity and controllers.
#include "midi/note_levels.h"

#include "core/core.h"
#include "voices/voices.h"

#include <float.h>
#include <math.h>

static float squared(uint8_t value) RCORE_RT {
    const float part = (float)value / 127.0f;
    return part * part;
}

static uint8_t greater(uint8_t a, uint8_t b) RCORE_RT { return a > b ? a : b; }

static float clamped(float value, float low, float high) RCORE_RT {
    return value < low ? low : value > high ? high : value;
}

// Returns the manager of a channel; NULL: it is not a member of an MPE zone.
static const struct channel *manager_of(const rcore_instrument_t *instrument, uint32_t channel) RCORE_RT {
    const uint32_t manager = instrument->channels[channel].manager;
    return manager != channel ? &instrument->channels[manager] : NULL;
}

static float gain_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    const struct channel *channel = &instrument->channels[note->channel];
    const struct channel *manager = manager_of(instrument, note->channel);
    float gain = zone->gain * (1.0f + (squared(note->velocity) - 1.0f) * zone->velocity_tracking);
    gain *= squared(channel->volume) * squared(channel->expression);
    uint8_t pressure = greater(channel->pressure, note->pressure);
    if (manager != NULL) {
        gain *= squared(manager->volume) * squared(manager->expression);
        pressure = greater(pressure, manager->pressure);
    }
    gain *= 1.0f + (float)pressure / 127.0f * (instrument->config.pressure_gain - 1.0f);
    return clamped(gain, -FLT_MAX, FLT_MAX);
}

// Returns the pan of a controller: 64 is the centre.
static float pan_of_controller(uint8_t value) RCORE_RT {
    return value < 64 ? (float)(value - 64) / 64.0f : (float)(value - 64) / 63.0f;
}

static float pan_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const struct channel *manager = manager_of(instrument, note->channel);
    float pan = note->zone->settings.pan + pan_of_controller(instrument->channels[note->channel].pan);
    pan += manager != NULL ? pan_of_controller(manager->pan) : 0.0f;
    return clamped(pan, -1.0f, 1.0f);
}

// Returns the pitch bend of a channel in cents.
static float bend_of(const struct channel *channel) RCORE_RT {
    return (float)channel->bend / 8192.0f * channel->bend_range * 100.0f;
}

static float speed_of(const rcore_t *core, const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    const struct channel *manager = manager_of(instrument, note->channel);
    float cents = (float)(note->key - zone->root_key) * zone->key_tracking + zone->tuning;
    cents += bend_of(&instrument->channels[note->channel]) + (manager != NULL ? bend_of(manager) : 0.0f);
    const uint32_t core_rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    const double speed = exp2((double)cents / 1200.0) * ((double)rate_at(core_rate, zone) / core_rate);
    return clamped((float)speed, 1.0f / MAX_SPEED, MAX_SPEED);
}

void note_set_levels(const rcore_t *core, const rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    note->gain = gain_of(instrument, note);
    note->pan = pan_of(instrument, note);
    note->speed = speed_of(core, instrument, note);
}

// Moves a parameter of a note's voice, if its value differs from the last one.
static void move(rcore_t *core, const struct note *note, uint8_t kind, float from, float to,
                 uint32_t ramp_frames) RCORE_RT {
    if (from != to) {
        const struct command command = {
            .kind = kind, .voice = note->voice, .value = to, .ramp_frames = ramp_frames, .queue = NO_QUEUE};
        (void)voice_apply(core, &command);
    }
}

void note_follow(rcore_t *core, const rcore_instrument_t *instrument, struct note *note,
                 uint32_t ramp_frames) RCORE_RT {
    const struct note before = *note;
    note_set_levels(core, instrument, note);
    move(core, note, COMMAND_GAIN, before.gain, note->gain, ramp_frames);
    if (instrument->config.pan_law != RCORE_PAN_NONE) {
        move(core, note, COMMAND_PAN, before.pan, note->pan, ramp_frames);
    }
    move(core, note, COMMAND_SPEED, before.speed, note->speed, ramp_frames);
}

void notes_follow(rcore_t *core, rcore_instrument_t *instrument, uint32_t channels) RCORE_RT {
    instrument->changed_channels |= channels;
    core->midi.has_changes = true;
}

void notes_apply_changes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        const bool has_changed = (instrument->changed_channels >> channel & 1) != 0;
        struct note *note = has_changed ? instrument->channels[channel].notes.first : NULL;
        for (; note != NULL; note = note->links[LINK_CHANNEL].next) {
            note_follow(core, instrument, note, instrument->config.ramp_frames);
        }
    }
    instrument->changed_channels = 0;
}
