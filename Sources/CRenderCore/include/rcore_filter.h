/// Filters of notes: what they pass, and how key, velocity, controllers and an envelope move them.
///
/// A filter's cutoff frequency is the sum, in cents, of what its parameters add to `cutoff`. It
/// moves without steps: the filter's coefficients change with every frame while it moves, and it
/// falls by an octave in 8 frames at most. The sum may be any frequency; the filter limits it to 45
/// % of the core's sample rate, and to at least 1 Hz. The filter also moves while its note is being
/// released. A sound whose samples are so large that a filter overflows is silent until they end.
#ifndef RCORE_FILTER_H
#define RCORE_FILTER_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Highest number of channels of a sound that is filtered.
#define RCORE_MAX_FILTER_CHANNELS 8u

/// What a filter passes. The number in a name is its slope in dB per octave. At the cutoff
/// frequency, low-pass and high-pass filters without resonance attenuate by 3 dB.
typedef enum rcore_filter_type {
    /// Everything: there is no filter.
    RCORE_FILTER_NONE = 0,
    RCORE_FILTER_LOW_PASS_6 = 1,
    RCORE_FILTER_LOW_PASS_12 = 2,
    RCORE_FILTER_LOW_PASS_24 = 3,
    RCORE_FILTER_HIGH_PASS_6 = 4,
    RCORE_FILTER_HIGH_PASS_12 = 5,
    RCORE_FILTER_HIGH_PASS_24 = 6,
    /// Frequencies around the cutoff frequency, which passes at 0 dB; 6 dB per octave to each side.
    RCORE_FILTER_BAND_PASS = 7,
    /// All others.
    RCORE_FILTER_BAND_REJECT = 8,
} rcore_filter_type_t;

/// A filter, and what moves its cutoff frequency. Cents are -12,000…12,000.
typedef struct rcore_filter {
    /// An rcore_filter_type_t. Of RCORE_FILTER_NONE, the other fields have no effect.
    uint32_t type;
    /// Hz, 1…96,000.
    float cutoff;
    /// Gain at the cutoff frequency in dB, 0…40, in addition to the 3 dB that a filter without
    /// resonance attenuates. Makes band-pass and band-reject filters narrower. Filters of 6 dB per
    /// octave have none.
    float resonance;
    /// The key at which `key_tracking` (cents per key, -1200…1200) adds nothing.
    uint8_t center_key;
    /// The controller (0…119) that adds `controller_range`, and the value (0…127) at which it adds
    /// nothing, which it has until a message sets it. Adds range * (value - rest) / 127. In an MPE
    /// zone, that of the manager channel adds as much again.
    uint8_t controller;
    uint8_t controller_rest;
    float key_tracking;
    /// Cents at velocity 127; in proportion to the velocity.
    float velocity_range;
    /// Cents at full pressure: channel or key pressure, whichever is greater.
    float pressure_range;
    float controller_range;

    /// The envelope adds cents as well: 0 for `delay_frames`, then it rises to `envelope_range` in
    /// `attack_frames`, stays for `hold_frames`, falls to `sustain` (0…1) times the range in
    /// `decay_frames`, and from the release of the note on to 0 in `release_frames`. Linear in
    /// cents. Lengths are in frames of the sound, as those of the zone.
    float envelope_range;
    float sustain;
    uint32_t delay_frames;
    uint32_t attack_frames;
    uint32_t hold_frames;
    uint32_t decay_frames;
    uint32_t release_frames;
} rcore_filter_t;

/// Returns no filter; when its type is set, one with a fixed cutoff frequency of 1000 Hz and no
/// resonance. [any]
rcore_filter_t rcore_filter_default(void);

#ifdef __cplusplus
}
#endif
#endif
