// Gain, pan, pitch and filters of notes, from zone, key, velocity and controllers.
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

// Returns the greatest of the pressures that apply to a note.
static uint8_t pressure_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const struct channel *manager = manager_of(instrument, note->channel);
    const uint8_t pressure = greater(instrument->channels[note->channel].pressure, note->pressure);
    return manager != NULL ? greater(pressure, manager->pressure) : pressure;
}

static float gain_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const rcore_zone_t *zone = &note->zone->settings;
    const struct channel *channel = &instrument->channels[note->channel];
    const struct channel *manager = manager_of(instrument, note->channel);
    float gain = zone->gain * (1.0f + (squared(note->velocity) - 1.0f) * zone->velocity_tracking);
    gain *= squared(channel->volume) * squared(channel->expression);
    gain *= manager != NULL ? squared(manager->volume) * squared(manager->expression) : 1.0f;
    gain *= 1.0f + (float)pressure_of(instrument, note) / 127.0f * (instrument->config.pressure_gain - 1.0f);
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

// Returns what the controller of a filter adds, in cents, on one channel.
static float controlled_cents(const rcore_filter_t *filter, const struct channel *channel) RCORE_RT {
    const uint8_t value = channel->controllers[filter->controller];
    const int change = value != UNSET ? value - filter->controller_rest : 0;
    return filter->controller_range * (float)change / 127.0f;
}

// Returns the cutoff frequency in octaves above 1 Hz, without the envelope; 0: no filter.
static float cutoff_of(const rcore_instrument_t *instrument, const struct note *note) RCORE_RT {
    const rcore_filter_t *filter = &note->zone->settings.filter;
    if (filter->type == RCORE_FILTER_NONE) {
        return 0.0f;
    }
    const struct channel *manager = manager_of(instrument, note->channel);
    float cents = (float)(note->key - filter->center_key) * filter->key_tracking;
    cents += (float)note->velocity / 127.0f * filter->velocity_range;
    cents += (float)pressure_of(instrument, note) / 127.0f * filter->pressure_range;
    cents += controlled_cents(filter, &instrument->channels[note->channel]);
    cents += manager != NULL ? controlled_cents(filter, manager) : 0.0f;
    return note->zone->cutoff + cents / 1200.0f;
}

void note_set_levels(const rcore_t *core, const rcore_instrument_t *instrument, struct note *note) RCORE_RT {
    note->gain = gain_of(instrument, note);
    note->pan = pan_of(instrument, note);
    note->speed = speed_of(core, instrument, note);
    note->cutoff = cutoff_of(instrument, note);
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
    move(core, note, COMMAND_CUTOFF, before.cutoff, note->cutoff, ramp_frames);
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
