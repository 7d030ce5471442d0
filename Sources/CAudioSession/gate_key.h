/// Key detection in the gate of a session: whether a session that lowers others only while it is
/// audible, a key, is so. As in the render core (session/key.h), from the same functions.
#ifndef ASESSION_GATE_KEY_H
#define ASESSION_GATE_KEY_H

#include "session/gate_state.h"
#include "session/key_detection.h"
#include "session_keys.h"

#include <stdatomic.h>

/// Only the audio thread writes it.
struct gate_key {
    struct key_detection detection;
    /// While it is audible: when it ceases.
    uint64_t end;
    /// Published: frames of all blocks so far, and whether it is audible.
    _Atomic(uint64_t) now;
    _Atomic(bool) is_audible;
};

/// Applies the words of a gate. `keys` is the page in which the bit of the key is; may be NULL.
/// `is_other_page`: another arbiter's, in which the key has no bit yet.
void gate_key_update(struct gate_key *key, struct gate_state *gate, uint64_t word, sgate_keys_t *keys,
                     bool is_other_page) RCORE_RT;
/// Advances the time, at the end of a block.
void gate_key_advance(struct gate_key *key, uint32_t nframes) RCORE_RT;
/// Records that the key is audible in this block, before the gate is applied to it.
void gate_key_scan(struct gate_key *key, const struct gate_state *gate, sgate_keys_t *keys, uint32_t sample_rate,
                   float *const *planes, uint32_t nchannels, uint32_t first, uint32_t nframes) RCORE_RT;
/// Ends the audibility when the hold time has passed or the gate has closed, at the end of a cycle.
void gate_key_expire(struct gate_key *key, const struct gate_state *gate, sgate_keys_t *keys) RCORE_RT;

#endif
