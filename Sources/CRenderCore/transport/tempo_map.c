// Tempo maps: time, beats and bars. Nothing here depends on a core.
#include "transport/tempo_map.h"

#include "core/memory.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

// A change this close to the end of a bar, in bars, is at its end.
static const double bar_tolerance = 1e-9;

static const struct tempo_section default_section = {
    .beats_per_minute = 120.0,
    .beats_per_bar = 4,
    .beat_unit = 4,
};
const rcore_tempo_map_t tempo_map_default = {.sections = &default_section, .count = 1};

// Also false for NaN.
bool tempo_is_valid(double beats_per_minute) RCORE_RT {
    return beats_per_minute >= RCORE_MIN_TEMPO && beats_per_minute <= RCORE_MAX_TEMPO;
}

bool meter_is_valid(uint32_t beats_per_bar, uint32_t beat_unit) RCORE_RT {
    const bool is_power = beat_unit > 0 && (beat_unit & (beat_unit - 1)) == 0;
    return beats_per_bar >= 1 && beats_per_bar <= 64 && is_power && beat_unit <= 64;
}

int32_t bar_after(int32_t bar, double bars) RCORE_RT {
    const double sum = bar + bars;
    return !(sum > INT32_MIN) ? INT32_MIN : sum < INT32_MAX ? (int32_t)sum : INT32_MAX;
}

// ---- Creating

static bool changes_valid(const rcore_tempo_change_t *changes, uint32_t count) {
    if (changes == NULL || count < 1 || count > RCORE_MAX_TEMPO_CHANGES || changes[0].beat != 0.0) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const rcore_tempo_change_t *change = &changes[i];
        const bool is_ordered = i == 0 || change->beat > changes[i - 1].beat;
        if (!is_ordered || !(change->beat <= RCORE_MAX_BEAT) || !tempo_is_valid(change->beats_per_minute) ||
            !meter_is_valid(change->beats_per_bar, change->beat_unit)) {
            return false;
        }
    }
    return true;
}

static double seconds_in(const struct tempo_section *section, double beat) RCORE_RT {
    return section->seconds + (beat - section->beat) * 60.0 / section->beats_per_minute;
}

static double quarters_in(const struct tempo_section *section, double beat) RCORE_RT {
    return section->quarters + (beat - section->beat) * 4.0 / section->beat_unit;
}

// Returns the section of a change, which follows `previous` (NULL: it is the first).
static struct tempo_section section_of(const rcore_tempo_change_t *change, const struct tempo_section *previous) {
    struct tempo_section section = {
        .beat = change->beat,
        .beats_per_minute = change->beats_per_minute,
        .first_bar_beat = change->beat,
        .beats_per_bar = change->beats_per_bar,
        .beat_unit = change->beat_unit,
    };
    if (previous == NULL) {
        return section;
    }
    section.seconds = seconds_in(previous, change->beat);
    section.quarters = quarters_in(previous, change->beat);
    if (change->begins_bar || change->beats_per_bar != previous->beats_per_bar ||
        change->beat_unit != previous->beat_unit) {
        // An incomplete bar before the change counts as a bar.
        const double bars = (change->beat - previous->first_bar_beat) / previous->beats_per_bar;
        section.first_bar = bar_after(previous->first_bar, ceil(bars - bar_tolerance));
    } else {
        section.first_bar = previous->first_bar;
        section.first_bar_beat = previous->first_bar_beat;
    }
    return section;
}

rcore_tempo_map_t *rcore_tempo_map_create(const rcore_tempo_change_t *changes, uint32_t count, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (!changes_valid(changes, count)) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    // One allocation: the sections follow the map, in the next cache line.
    static_assert(sizeof(rcore_tempo_map_t) <= RCORE_ALIGNMENT, "the map has a cache line");
    char *memory = memory_allocate(RCORE_ALIGNMENT + sizeof(struct tempo_section) * count);
    if (memory == NULL) {
        return NULL;
    }
    struct tempo_section *sections = (void *)(memory + RCORE_ALIGNMENT);
    for (uint32_t i = 0; i < count; i++) {
        sections[i] = section_of(&changes[i], i > 0 ? &sections[i - 1] : NULL);
    }
    rcore_tempo_map_t *map = (void *)memory;
    map->sections = sections;
    map->count = count;
    *status = RCORE_OK;
    return map;
}

void rcore_tempo_map_destroy(rcore_tempo_map_t *map) { free(map); }

// ---- Reading

// Where a section begins, by one of its fields: a double with this offset.
static double begin_of(const struct tempo_section *section, size_t field) RCORE_RT {
    return *(const double *)((const char *)section + field);
}

// Returns the last section that begins at `place` at the latest; the first one before it.
static const struct tempo_section *section_at(const rcore_tempo_map_t *map, size_t field, double place) RCORE_RT {
    uint32_t low = 0, high = map->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (begin_of(&map->sections[middle], field) <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &map->sections[low];
}

static const struct tempo_section *section_at_beat(const rcore_tempo_map_t *map, double beat) RCORE_RT {
    return section_at(map, offsetof(struct tempo_section, beat), beat);
}

double rcore_tempo_map_seconds(const rcore_tempo_map_t *map, double beat) RCORE_RT {
    return seconds_in(section_at_beat(map, beat), beat);
}

double rcore_tempo_map_beat(const rcore_tempo_map_t *map, double seconds) RCORE_RT {
    const struct tempo_section *section = section_at(map, offsetof(struct tempo_section, seconds), seconds);
    return section->beat + (seconds - section->seconds) * section->beats_per_minute / 60.0;
}

double rcore_tempo_map_quarter(const rcore_tempo_map_t *map, double beat) RCORE_RT {
    return quarters_in(section_at_beat(map, beat), beat);
}

double rcore_tempo_map_beat_of_quarter(const rcore_tempo_map_t *map, double quarter) RCORE_RT {
    const struct tempo_section *section = section_at(map, offsetof(struct tempo_section, quarters), quarter);
    return section->beat + (quarter - section->quarters) * section->beat_unit / 4.0;
}

rcore_bar_t rcore_tempo_map_bar(const rcore_tempo_map_t *map, double beat) RCORE_RT {
    const struct tempo_section *section = section_at_beat(map, beat);
    const double bars = floor((beat - section->first_bar_beat) / section->beats_per_bar);
    return (rcore_bar_t){
        .bar = bar_after(section->first_bar, bars),
        .begin = section->first_bar_beat + bars * section->beats_per_bar,
        .beats_per_bar = section->beats_per_bar,
        .beat_unit = section->beat_unit,
        .beats_per_minute = section->beats_per_minute,
    };
}
