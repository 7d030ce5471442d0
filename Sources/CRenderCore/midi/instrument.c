// Instruments: set-up, and what the cycle asks of them.
#include "midi/instrument.h"

#include "core/core.h"
#include "core/memory.h"
#include "midi/channels.h"
#include "midi/midi.h"
#include "midi/note_levels.h"
#include "midi/note_lists.h"
#include "midi/note_voices.h"
#include "midi/notes.h"
#include "midi/zones.h"

#include <math.h>
#include <stdlib.h>

enum { max_notes = 4096, max_zones = 65536, max_ramp = 1 << 20, max_bend = 96, max_pressure_gain = 16 };

rcore_instrument_config_t rcore_instrument_config_default(void) {
    return (rcore_instrument_config_t){.max_notes = 64,
                                       .pan_law = RCORE_PAN_EQUAL_POWER,
                                       .bend_range = 2.0f,
                                       .pressure_gain = 1.0f,
                                       .ramp_frames = 240,
                                       .member_bend_range = 48.0f};
}

// ---- Set-up -------------------------------------------------------------------------------------

static bool config_valid(const rcore_t *core, const rcore_instrument_config_t *config) {
    const uint32_t lower = config->lower_members, upper = config->upper_members;
    return config->bus < core->config.max_buses && config->max_notes >= 1 && config->max_notes <= max_notes &&
           config->priority <= RCORE_MAX_PRIORITY && (unsigned)config->pan_law <= RCORE_PAN_LINEAR &&
           config->bend_range >= 0.0f && config->bend_range <= max_bend && config->member_bend_range >= 0.0f &&
           config->member_bend_range <= max_bend && config->pressure_gain >= 0.0f &&
           config->pressure_gain <= max_pressure_gain && config->ramp_frames >= 1 && config->ramp_frames <= max_ramp &&
           lower <= 15 && upper <= 15 && (lower == 0 || upper == 0 || lower + upper <= 14);
}

static bool arguments_valid(const rcore_t *core, const rcore_instrument_config_t *config, const rcore_zone_t *zones,
                            uint32_t count) {
    if (config == NULL || !config_valid(core, config) || count > max_zones || (zones == NULL && count > 0)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!zone_valid(core, &zones[i])) {
            return false;
        }
    }
    return true;
}

// The parts of an instrument's block: their offsets, and its size.
struct layout {
    size_t zones;
    size_t zones_of_key;
    size_t notes;
    size_t groups;
    size_t lists;
    size_t bytes;
};

static size_t place(struct layout *layout, size_t size, size_t count) {
    const size_t offset = layout->bytes;
    layout->bytes += (size * count + RCORE_ALIGNMENT - 1) / RCORE_ALIGNMENT * RCORE_ALIGNMENT;
    return offset;
}

static struct layout lay_out(const rcore_instrument_config_t *config, const rcore_zone_t *zones, uint32_t count) {
    struct layout layout = {.bytes = 0};
    (void)place(&layout, sizeof(rcore_instrument_t), 1);
    layout.zones = place(&layout, sizeof(struct zone), count);
    layout.zones_of_key = place(&layout, sizeof(uint32_t), zones_key_entries(zones, count));
    layout.notes = place(&layout, sizeof(struct note), config->max_notes);
    layout.groups = place(&layout, sizeof(uint32_t), count);
    layout.lists = place(&layout, sizeof(struct note_list), count);
    return layout;
}

rcore_instrument_t *rcore_instrument_create(const rcore_t *core, const rcore_instrument_config_t *config,
                                            const rcore_zone_t *zones, uint32_t count, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (!arguments_valid(core, config, zones, count)) {
        return NULL;
    }
    const struct layout layout = lay_out(config, zones, count);
    *status = RCORE_NO_MEMORY;
    char *memory = memory_allocate(layout.bytes);
    if (memory == NULL) {
        return NULL;
    }
    rcore_instrument_t *instrument = (void *)memory;
    instrument->config = *config;
    instrument->bytes = layout.bytes;
    instrument->sample_rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    instrument->zones = (void *)(memory + layout.zones);
    instrument->zone_count = count;
    instrument->zones_of_key = (void *)(memory + layout.zones_of_key);
    for (uint32_t i = 0; i < count; i++) {
        instrument->zones[i].settings = zones[i];
        const rcore_filter_t *filter = &zones[i].filter;
        instrument->zones[i].cutoff = filter->type != RCORE_FILTER_NONE ? log2f(filter->cutoff) : 0.0f;
        if (filter->type != RCORE_FILTER_NONE && filter->controller_range != 0.0f) {
            instrument->followed[filter->controller / 64] |= UINT64_C(1) << filter->controller % 64;
        }
    }
    zones_index(instrument);
    zones_connect_groups(instrument, (void *)(memory + layout.groups), (void *)(memory + layout.lists));
    struct note *notes = (void *)(memory + layout.notes);
    for (uint32_t i = 0; i < config->max_notes; i++) {
        list_append(&instrument->unused, LINK_AGE, &notes[i]);
    }
    channels_reset(instrument);
    (void)memory_lock(memory, layout.bytes);
    *status = RCORE_OK;
    return instrument;
}

void rcore_instrument_destroy(rcore_instrument_t *instrument) {
    if (instrument != NULL) {
        memory_unlock(instrument, instrument->bytes);
        free(instrument);
    }
}

uint32_t rcore_instrument_voices(const rcore_instrument_t *instrument) RCORE_RT {
    return atomic_load_explicit(&instrument->note_count, memory_order_relaxed);
}

uint64_t rcore_instrument_missed_notes(const rcore_instrument_t *instrument) RCORE_RT {
    return atomic_load_explicit(&instrument->missed_notes, memory_order_relaxed);
}

// ---- In the cycle -------------------------------------------------------------------------------

// Follows a key's pressure.
static void key_pressure(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key,
                         uint8_t pressure) RCORE_RT {
    struct note *note = instrument->channels[channel].presses[key].notes.first;
    for (; note != NULL; note = note->links[LINK_KEY].next) {
        note->pressure = pressure;
        note_follow(core, instrument, note, instrument->config.ramp_frames);
    }
}

// Sets the program of a channel, and as a manager those of its members.
static void select_program(rcore_instrument_t *instrument, uint32_t channel, uint8_t program) RCORE_RT {
    for (uint32_t i = 0; i < CHANNELS; i++) {
        if ((instrument->channels[channel].scope >> i & 1) != 0) {
            instrument->channels[i].program = program;
        }
    }
}

// Follows a channel message whose length and data bytes are valid. `second` is 0 if it has none.
static void follow(rcore_t *core, rcore_instrument_t *instrument, uint8_t status, uint8_t first,
                   uint8_t second) RCORE_RT {
    const uint32_t number = status & 15;
    struct channel *channel = &instrument->channels[number];
    switch (status & 0xF0) {
    case 0x80:
        notes_off(core, instrument, number, first);
        break;
    case 0x90:
        if (second == 0) {
            notes_off(core, instrument, number, first);
        } else {
            notes_on(core, instrument, number, first, second);
        }
        break;
    case 0xA0:
        key_pressure(core, instrument, number, first, second);
        break;
    case 0xB0:
        channels_control(core, instrument, number, first, second);
        break;
    case 0xC0:
        select_program(instrument, number, first);
        break;
    case 0xD0:
        channel->pressure = first;
        notes_follow(core, instrument, channel->scope);
        break;
    case 0xE0:
        channel->bend = (int16_t)((second << 7 | first) - 8192);
        notes_follow(core, instrument, channel->scope);
        break;
    default:
        break;
    }
}

void instrument_message(rcore_t *core, rcore_instrument_t *instrument, const uint8_t *bytes, uint32_t size) RCORE_RT {
    const uint8_t status = bytes[0];
    if (status < 0x80 || status >= 0xF0 || size != midi_message_size(status) || bytes[1] >= 0x80 ||
        (size == 3 && bytes[2] >= 0x80)) {
        return;
    }
    instrument->message += 1;
    follow(core, instrument, status, bytes[1], size == 3 ? bytes[2] : 0);
}

void instrument_apply_changes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    if (instrument->changed_channels != 0) {
        notes_apply_changes(core, instrument);
    }
}

void instrument_end_notes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        notes_stop(core, instrument, channel);
        instrument->channels[channel].sustain = instrument->channels[channel].sostenuto = false;
    }
}

void instrument_silence(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        notes_stop(core, instrument, channel);
    }
    notes_forget(instrument);
    channels_reset(instrument);
}

void instrument_begin(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT {
    notes_sweep(core, instrument);
    const uint32_t sample_rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    if (sample_rate == instrument->sample_rate) {
        return;
    }
    instrument->sample_rate = sample_rate;
    for (uint32_t channel = 0; channel < CHANNELS; channel++) {
        struct note *note = instrument->channels[channel].notes.first;
        for (; note != NULL; note = note->links[LINK_CHANNEL].next) {
            note_follow(core, instrument, note, 0);
        }
    }
}
