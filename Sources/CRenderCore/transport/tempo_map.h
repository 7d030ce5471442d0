/// Tempo maps: which beat is at which time, and in which bar.
#ifndef RCORE_TEMPO_MAP_H
#define RCORE_TEMPO_MAP_H

#include "rcore_transport.h"

/// A change of a map, with where it lies in time and bars.
struct tempo_section {
    double beat;
    /// Time of `beat`.
    double seconds;
    /// Quarter notes until `beat`.
    double quarters;
    double beats_per_minute;
    /// Bars are counted from the bar with this number, which begins at this beat.
    int32_t first_bar;
    double first_bar_beat;
    uint32_t beats_per_bar;
    uint32_t beat_unit;
};

struct rcore_tempo_map {
    /// Assigned when it is posted, from 1.
    uint64_t serial;
    /// [control] The next older posted map.
    struct rcore_tempo_map *next;
    /// In the order of their beats; at least one.
    const struct tempo_section *sections;
    uint32_t count;
};

/// The map of a core to which none was posted: 120 beats per minute in 4/4.
extern const rcore_tempo_map_t tempo_map_default;

/// Return whether a tempo and a meter are within the limits.
bool tempo_is_valid(double beats_per_minute) RCORE_RT;
bool meter_is_valid(uint32_t beats_per_bar, uint32_t beat_unit) RCORE_RT;

/// Returns the number of a bar so many bars after another, clamped to the range of numbers.
int32_t bar_after(int32_t bar, double bars) RCORE_RT;

#endif
