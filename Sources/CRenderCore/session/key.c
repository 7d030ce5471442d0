// Key detection on session buses.
#include "session/key.h"

#include "core/core.h"
#include "mix/bus_state.h"
#include "mix/ramp.h"

static bool is_audible(const struct key_state *key) RCORE_RT {
    return atomic_load_explicit(&key->is_audible, memory_order_relaxed);
}

static void write_bit(const struct key_state *key, bool audible) RCORE_RT {
    if (key->keys != NULL) {
        sgate_keys_set(key->keys, key->detection.key, audible);
    }
}

static void set_audible(rcore_t *core, struct key_state *key, bool audible) RCORE_RT {
    write_bit(key, audible);
    atomic_store_explicit(&key->is_audible, audible, memory_order_relaxed);
    core->work.is_due = true;
}

void key_update(rcore_t *core, struct bus_state *bus, sgate_keys_t *keys, uint64_t word) RCORE_RT {
    struct key_state *const key = &bus->key;
    if (keys == key->keys && word == key->detection.word) {
        return;
    }
    const bool was_audible = is_audible(key);
    if (was_audible) {
        write_bit(key, false);
    }
    key->keys = keys;
    key->detection = key_detection_unpack(word);
    bus->gate.is_key = key->detection.enabled;
    if (was_audible) {
        set_audible(core, key, key->detection.enabled);
    }
}

void key_reset(struct bus_state *bus) RCORE_RT {
    if (is_audible(&bus->key)) {
        write_bit(&bus->key, false);
    }
    atomic_store_explicit(&bus->key.is_audible, false, memory_order_relaxed);
    bus->key.keys = NULL;
    bus->key.detection.word = 0;
    bus->gate.is_key = false;
}

static bool bit_is_set(const struct key_state *key) RCORE_RT {
    return key->keys == NULL || (sgate_keys_audible(key->keys) >> key->detection.key & 1u) != 0;
}

void key_scan(rcore_t *core, struct bus_state *bus, float *const *planes, uint32_t channels,
              uint32_t nframes) RCORE_RT {
    struct key_state *const key = &bus->key;
    // What a fader, a mute or a solo silences is not heard, nor a paused or muted session.
    const float gain = bus->gain.target * bus->audible.target * bus->gate.open.target;
    if (!key_detection_hears(&key->detection, gain, planes, channels, 0, nframes)) {
        return;
    }
    const uint32_t rate = (uint32_t)atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    key->end = core_now(core) + nframes + key_detection_hold(&key->detection, rate);
    if (!is_audible(key)) {
        set_audible(core, key, true);
        core->signals.any_audible = true;
    } else if (!bit_is_set(key)) {
        write_bit(key, true);
    }
}

void keys_expire(rcore_t *core) RCORE_RT {
    if (!core->signals.any_audible) {
        return;
    }
    bool any = false;
    for (uint32_t i = 0; i < core->gates.count; i++) {
        struct bus_state *const bus = &core->mix.buses[core->gates.gated[i].slot];
        struct key_state *const key = &bus->key;
        if (!is_audible(key)) {
            continue;
        }
        if (key->end <= core_now(core) || ramp_is_at(&bus->gate.open, 0.0f)) {
            set_audible(core, key, false);
        } else {
            any = true;
        }
    }
    core->signals.any_audible = any;
}

void rcore_end_keys(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->config.max_buses; i++) {
        struct key_state *const key = &core->mix.buses[i].key;
        if (is_audible(key)) {
            write_bit(key, false);
            atomic_store_explicit(&key->is_audible, false, memory_order_relaxed);
        }
    }
}

bool rcore_bus_is_audible(const rcore_t *core, uint32_t bus) RCORE_RT {
    return bus < core->config.max_buses && is_audible(&core->mix.buses[bus].key);
}
