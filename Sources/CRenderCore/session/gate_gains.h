/// The gains of a gate: how the words of its page become ramps, and the ramps become factors.
///
/// A gate has three gains, each with its own ramp: `open` (linear; 0 while paused or muted,
/// otherwise 1), the duck (linear in decibels) and the system volume (linear). A gain that is
/// steady at exactly 1 is not applied, so the output of a session that plays alone is bit-exact.
///
/// These functions use no core: the gate of a C session (CAudioSession) consists of them as well.
#ifndef RCORE_GATE_GAINS_H
#define RCORE_GATE_GAINS_H

#include "mix/ramp.h"
#include "session/gate_state.h"
#include "session_gate_page.h"
#include "session_keys.h"

/// Reads what a page says now. `keys` may be NULL. [render]
static inline struct gate_words gate_words_read(const sgate_page_t *page, const sgate_keys_t *keys) RCORE_RT {
    const uint64_t keyed_duck = sgate_page_load_keyed_duck(page);
    const uint16_t mask = sgate_word_to_keyed_duck(keyed_duck).keys;
    return (struct gate_words){.grant = sgate_page_load_grant(page),
                               .volume = sgate_page_load_volume(page),
                               .keyed_duck = keyed_duck,
                               .detection = sgate_page_load_detection(page),
                               .keyed = mask != 0 && keys != NULL && (sgate_keys_audible(keys) & mask) != 0};
}

/// Returns 0 if both are the same. Has no branches: every cycle compares the words of every gate.
static inline uint64_t gate_words_difference(const struct gate_words *a, const struct gate_words *b) RCORE_RT {
    return (a->grant ^ b->grant) | (a->volume ^ b->volume) | (a->keyed_duck ^ b->keyed_duck) |
           (a->detection ^ b->detection) | (uint64_t)(a->keyed ^ b->keyed);
}

/// Returns the attenuation of the deeper duck, in 1/256 dB: that of the grant, or that of the keys
/// while one of them is audible.
static inline uint16_t gate_words_attenuation(const struct gate_words *words) RCORE_RT {
    const uint16_t granted = sgate_word_to_grant(words->grant).attenuation;
    const uint16_t keyed = sgate_word_to_keyed_duck(words->keyed_duck).attenuation;
    return words->keyed && keyed > granted ? keyed : granted;
}

/// Returns whether the gate has closed: its output is silent.
static inline bool gate_is_silent(const struct gate_state *gate) RCORE_RT { return ramp_is_at(&gate->open, 0.0f); }

/// Applies what differs from what was applied last; everything, the first time. `at_once`: a new
/// grant opens or closes the gate without a ramp, as the first one does.
void gate_apply(struct gate_state *gate, const struct gate_words *words, uint32_t sample_rate, bool at_once) RCORE_RT;
/// Returns whether all of a gate's gains are exactly 1 and steady.
bool gate_is_open(const struct gate_state *gate) RCORE_RT;
/// Multiplies `envelope` by a gate's gains for the next frames.
void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT;
/// Advances all ramps of a gate, and opens it at the end of a resume delay.
void gate_advance(struct gate_state *gate, uint32_t nframes) RCORE_RT;
/// Returns the product of a gate's gains: that of the last frame rendered.
float gate_gain(const struct gate_state *gate) RCORE_RT;

#endif
