// Key detection in the gate of a session.
#include "gate_key.h"

static bool is_audible(const struct gate_key *key) RCORE_RT {
    return atomic_load_explicit(&key->is_audible, memory_order_relaxed);
}

static void set_audible(struct gate_key *key, sgate_keys_t *keys, bool audible) RCORE_RT {
    if (keys != NULL) {
        sgate_keys_set(keys, key->detection.key, audible);
    }
    atomic_store_explicit(&key->is_audible, audible, memory_order_relaxed);
}

static uint64_t now_of(const struct gate_key *key) RCORE_RT {
    return atomic_load_explicit(&key->now, memory_order_relaxed);
}

void gate_key_update(struct gate_key *key, struct gate_state *gate, uint64_t word, sgate_keys_t *keys,
                     bool is_other_page) RCORE_RT {
    if (word == key->detection.word && !is_other_page) {
        return;
    }
    const bool was_audible = is_audible(key);
    if (was_audible) {
        set_audible(key, is_other_page ? NULL : keys, false);
    }
    key->detection = key_detection_unpack(word);
    gate->is_key = key->detection.enabled;
    if (was_audible && gate->is_key) {
        set_audible(key, keys, true);
    }
}

void gate_key_advance(struct gate_key *key, uint32_t nframes) RCORE_RT {
    atomic_store_explicit(&key->now, now_of(key) + nframes, memory_order_relaxed);
}

void gate_key_scan(struct gate_key *key, const struct gate_state *gate, sgate_keys_t *keys, uint32_t sample_rate,
                   float *const *planes, uint32_t nchannels, uint32_t first, uint32_t nframes) RCORE_RT {
    if (!key_detection_hears(&key->detection, gate->open.target, planes, nchannels, first, nframes)) {
        return;
    }
    key->end = now_of(key) + nframes + key_detection_hold(&key->detection, sample_rate);
    const bool has_bit = keys == NULL || (sgate_keys_audible(keys) >> key->detection.key & 1u) != 0;
    if (!is_audible(key) || !has_bit) {
        set_audible(key, keys, true);
    }
}

void gate_key_expire(struct gate_key *key, const struct gate_state *gate, sgate_keys_t *keys) RCORE_RT {
    if (is_audible(key) && (key->end <= now_of(key) || ramp_is_at(&gate->open, 0.0f))) {
        set_audible(key, keys, false);
    }
}
