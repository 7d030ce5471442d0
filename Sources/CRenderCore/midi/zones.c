// Zones: checks them, and finds those of each key and choke group in advance, so that a note-on
// need not search.
#include "midi/zones.h"

#include "core/core.h"
#include "core/memory.h"
#include "mix/matrix.h"
#include "voices/buffer.h"

#include <stdlib.h>

enum { max_tracking = 1200, max_tuning = 12000, max_cents = 12000, max_cutoff = 96000, max_resonance = 40 };

rcore_filter_t rcore_filter_default(void) {
    return (rcore_filter_t){.cutoff = 1000.0f, .center_key = 60, .sustain = 1.0f};
}

rcore_zone_t rcore_zone_default(void) {
    return (rcore_zone_t){.sample_rate = 48000,
                          .high_key = 127,
                          .low_velocity = 1,
                          .high_velocity = 127,
                          .high_program = 127,
                          .sequence_length = 1,
                          .sequence_position = 1,
                          .root_key = 60,
                          .key_tracking = 100.0f,
                          .gain = 1.0f,
                          .velocity_tracking = 1.0f,
                          .release_frames = 240,
                          .sustain = 1.0f,
                          .filter = rcore_filter_default()};
}

// ---- Checks -------------------------------------------------------------------------------------

static bool within(float value, float low, float high) { return value >= low && value <= high; }

static bool ranges_valid(const rcore_zone_t *zone) {
    return zone->low_key <= zone->high_key && zone->high_key < KEYS && zone->low_velocity >= 1 &&
           zone->low_velocity <= zone->high_velocity && zone->high_velocity <= 127 &&
           zone->low_program <= zone->high_program && zone->high_program <= 127 && zone->sequence_length >= 1 &&
           zone->sequence_length <= 127 && zone->sequence_position >= 1 &&
           zone->sequence_position <= zone->sequence_length && zone->root_key < KEYS;
}

static bool levels_valid(const rcore_zone_t *zone) {
    return within(zone->key_tracking, -max_tracking, max_tracking) && within(zone->tuning, -max_tuning, max_tuning) &&
           sample_is_finite(zone->gain) && within(zone->velocity_tracking, 0.0f, 1.0f) &&
           within(zone->pan, -1.0f, 1.0f) && within(zone->sustain, 0.0f, 1.0f) &&
           zone->curve <= RCORE_ENVELOPE_EXPONENTIAL;
}

// Returns whether start frame and loop lie within the buffer. Only a note that is released may loop
// without end.
static bool playback_valid(const rcore_zone_t *zone) {
    const uint64_t nframes = zone->buffer->nframes;
    const uint64_t loop_end = zone->loop_end == 0 ? nframes : zone->loop_end;
    return zone->start_frame < nframes && loop_end <= nframes && zone->loop_start < loop_end &&
           zone->loop_fade_frames <= zone->loop_start && zone->loop_fade_frames <= loop_end - zone->loop_start &&
           !(zone->loops && (zone->one_shot || zone->trigger == RCORE_ZONE_RELEASE));
}

static bool filter_valid(const rcore_zone_t *zone) {
    const rcore_filter_t *filter = &zone->filter;
    if (filter->type == RCORE_FILTER_NONE) {
        return true;
    }
    return filter->type <= RCORE_FILTER_BAND_REJECT && zone->buffer->channels <= RCORE_MAX_FILTER_CHANNELS &&
           within(filter->cutoff, 1.0f, max_cutoff) && within(filter->resonance, 0.0f, max_resonance) &&
           filter->center_key < KEYS && filter->controller < CONTROLLERS && filter->controller_rest <= 127 &&
           within(filter->key_tracking, -max_tracking, max_tracking) &&
           within(filter->velocity_range, -max_cents, max_cents) &&
           within(filter->pressure_range, -max_cents, max_cents) &&
           within(filter->controller_range, -max_cents, max_cents) &&
           within(filter->envelope_range, -max_cents, max_cents) && within(filter->sustain, 0.0f, 1.0f);
}

// Returns whether a streamed buffer is one of this core, and its head has the frames that a note
// plays at once.
static bool streaming_valid(const rcore_t *core, const rcore_zone_t *zone) {
    const rcore_buffer_t *buffer = zone->buffer;
    return buffer->cache == NULL ||
           (buffer->cache == atomic_load_explicit(&core->voices.page_cache, memory_order_acquire) &&
            zone->start_frame < buffer->head_frames);
}

bool zone_valid(const rcore_t *core, const rcore_zone_t *zone) {
    return zone->buffer != NULL && streaming_valid(core, zone) &&
           (zone->matrix == NULL || zone->matrix->inputs == zone->buffer->channels) &&
           (zone->sample_rate == 0 ||
            (zone->sample_rate >= RCORE_MIN_SAMPLE_RATE && zone->sample_rate <= RCORE_MAX_SAMPLE_RATE)) &&
           zone->trigger <= RCORE_ZONE_RELEASE && ranges_valid(zone) && levels_valid(zone) && playback_valid(zone) &&
           filter_valid(zone);
}

// ---- Keys ---------------------------------------------------------------------------------------

size_t zones_key_entries(const rcore_zone_t *zones, uint32_t count) {
    size_t entries = 0;
    for (uint32_t i = 0; i < count; i++) {
        entries += zones[i].high_key - zones[i].low_key + 1u;
    }
    return entries;
}

void zones_index(rcore_instrument_t *instrument) {
    uint32_t entries = 0;
    for (uint32_t trigger = 0; trigger < 2; trigger++) {
        // Counts the zones of each key, then sets where the zones of each key begin.
        uint32_t *first = instrument->first_of_key[trigger];
        for (uint32_t i = 0; i < instrument->zone_count; i++) {
            const rcore_zone_t *zone = &instrument->zones[i].settings;
            for (uint32_t key = zone->low_key; zone->trigger == trigger && key <= zone->high_key; key++) {
                first[key]++;
            }
        }
        for (uint32_t key = 0; key <= KEYS; key++) {
            const uint32_t count = key < KEYS ? first[key] : 0;
            first[key] = entries;
            entries += count;
        }
        uint32_t next[KEYS];
        memcpy(next, first, sizeof next);
        for (uint32_t i = 0; i < instrument->zone_count; i++) {
            const rcore_zone_t *zone = &instrument->zones[i].settings;
            for (uint32_t key = zone->low_key; zone->trigger == trigger && key <= zone->high_key; key++) {
                instrument->zones_of_key[next[key]++] = i;
            }
        }
    }
}

// ---- Groups -------------------------------------------------------------------------------------

static int compare_groups(const void *a, const void *b) {
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return first < second ? -1 : first > second;
}

// Returns the list of the zones that `group` chokes; NULL: it chokes none.
static struct note_list *list_of(uint32_t group, const uint32_t *groups, uint32_t count, struct note_list *lists) {
    const uint32_t *found = count > 0 ? bsearch(&group, groups, count, sizeof group, compare_groups) : NULL;
    return found != NULL ? &lists[found - groups] : NULL;
}

void zones_connect_groups(rcore_instrument_t *instrument, uint32_t *groups, struct note_list *lists) {
    uint32_t count = 0, distinct = 0;
    for (uint32_t i = 0; i < instrument->zone_count; i++) {
        if (instrument->zones[i].settings.choked_by != 0) {
            groups[count++] = instrument->zones[i].settings.choked_by;
        }
    }
    if (count > 0) {
        qsort(groups, count, sizeof *groups, compare_groups);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || groups[i] != groups[distinct - 1]) {
            groups[distinct++] = groups[i];
        }
    }
    for (uint32_t i = 0; i < instrument->zone_count; i++) {
        struct zone *zone = &instrument->zones[i];
        zone->chokes = zone->settings.group != 0 ? list_of(zone->settings.group, groups, distinct, lists) : NULL;
        zone->choked_with =
            zone->settings.choked_by != 0 ? list_of(zone->settings.choked_by, groups, distinct, lists) : NULL;
    }
}
