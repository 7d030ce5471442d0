/// State of an instrument: its zones, channels and notes. Set-up allocates all of it as one block.
///
/// Each note is a voice of a zone. It is in up to four lists: those of its age, its channel, its
/// key (until it is released) and the group that chokes it. A note never points to its voice: a
/// voice that has ended is recognised by its stale handle.
#ifndef RCORE_INSTRUMENT_STATE_H
#define RCORE_INSTRUMENT_STATE_H

#include "rcore_instrument.h"
#include "rcore_voice.h"

#include <stdatomic.h>

enum { CHANNELS = 16, KEYS = 128, CONTROLLERS = 120, UNSET = 255 };

/// The lists that a note is in.
enum link_kind { LINK_AGE, LINK_CHANNEL, LINK_KEY, LINK_CHOKE, LINK_KINDS };

/// A list of notes, in the order in which they were appended.
struct note_list {
    struct note *first;
    struct note *last;
};

struct note_link {
    struct note *previous;
    struct note *next;
};

struct zone {
    rcore_zone_t settings;
    /// The cutoff frequency of its filter, in octaves above 1 Hz.
    float cutoff;
    /// The list of the notes that its start ends, and the one that its own notes join; NULL: none.
    struct note_list *chokes;
    struct note_list *choked_with;
    /// Notes counted in its range, modulo `sequence_length`.
    uint8_t sequence_count;
};

/// A voice that plays a zone.
struct note {
    rcore_voice_t voice;
    struct zone *zone;
    /// Number of the message that started it.
    uint64_t message;
    /// The last values given to the voice.
    float gain;
    float pan;
    float speed;
    /// Octaves above 1 Hz; 0 without a filter.
    float cutoff;
    uint8_t channel;
    uint8_t key;
    uint8_t velocity;
    /// Key pressure.
    uint8_t pressure;
    /// Is in the list `released`, and in that of no key.
    bool released;
    struct note_link links[LINK_KINDS];
};

/// A key that is down or held by a pedal.
struct press {
    struct note_list notes;
    uint8_t velocity;
    /// The channel's program when the key was pressed.
    uint8_t program;
};

/// A set of keys.
struct keys {
    uint64_t words[KEYS / 64];
};

struct channel {
    struct note_list notes;
    struct press presses[KEYS];
    struct keys down;
    /// Keys that are up, whose notes a pedal holds.
    struct keys pedalled;
    /// Keys that the sostenuto pedal holds, whether they are down or up.
    struct keys sostenuto_keys;
    bool sustain;
    bool sostenuto;
    /// -8192…8191.
    int16_t bend;
    uint8_t volume;
    uint8_t expression;
    uint8_t pan;
    uint8_t pressure;
    uint8_t program;
    /// The selected registered parameter; 127, 127: none.
    uint8_t rpn_msb;
    uint8_t rpn_lsb;
    /// The last values of the controllers below 120 that filters may follow; UNSET: none since the
    /// last reset.
    uint8_t controllers[CONTROLLERS];
    /// Semitones.
    float bend_range;
    /// The manager channel of its MPE zone; the channel itself if it is not a member of one.
    uint8_t manager;
    /// Mask of the channels to which its controllers apply: itself, and as a manager its members.
    uint32_t scope;
};

struct rcore_instrument {
    rcore_instrument_config_t config;
    /// Size of this block.
    size_t bytes;
    /// The sample rate of the core for which the speeds of the notes were computed.
    uint32_t sample_rate;
    /// Number of members of the two MPE zones.
    uint8_t lower_members;
    uint8_t upper_members;
    /// Number of the current message.
    uint64_t message;
    struct zone *zones;
    uint32_t zone_count;
    /// Indices of zones, by trigger and key: those of (trigger, key) are from
    /// `first_of_key[trigger][key]` up to that of key + 1, in their order.
    uint32_t *zones_of_key;
    uint32_t first_of_key[2][KEYS + 1];
    /// The controllers that filters of its zones follow, as bits.
    uint64_t followed[2];
    struct channel channels[CHANNELS];
    /// Oldest first.
    struct note_list held;
    struct note_list released;
    struct note_list unused;
    /// Mask of the channels whose notes must follow changed controllers (`midi_apply_changes`).
    uint32_t changed_channels;
    /// The core's `ended_count` when ended notes were last removed.
    uint64_t swept_at;
    _Atomic(uint32_t) note_count;
    _Atomic(uint64_t) missed_notes;
};

static inline bool keys_have(const struct keys *keys, uint32_t key) RCORE_RT {
    return (keys->words[key / 64] >> key % 64 & 1) != 0;
}
static inline bool keys_empty(const struct keys *keys) RCORE_RT { return (keys->words[0] | keys->words[1]) == 0; }
static inline void keys_add(struct keys *keys, uint32_t key) RCORE_RT {
    keys->words[key / 64] |= UINT64_C(1) << key % 64;
}
static inline void keys_remove(struct keys *keys, uint32_t key) RCORE_RT {
    keys->words[key / 64] &= ~(UINT64_C(1) << key % 64);
}

/// Returns the sample rate of a zone's sound in a core of the rate `core_rate`.
static inline uint32_t rate_at(uint32_t core_rate, const rcore_zone_t *zone) RCORE_RT {
    return zone->sample_rate != 0 ? zone->sample_rate : core_rate;
}
/// Returns a length in frames of a zone's sound as frames of the core.
static inline uint32_t frames_at(uint32_t core_rate, const struct zone *zone, uint32_t nframes) RCORE_RT {
    const uint64_t rate = rate_at(core_rate, &zone->settings);
    const uint64_t frames = rate == core_rate ? nframes : ((uint64_t)nframes * core_rate + rate / 2) / rate;
    return frames < UINT32_MAX ? (uint32_t)frames : UINT32_MAX;
}

#endif
