#include "session_keys.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

#define KEYS_MAGIC 0x5359454Bu // "KEYS"
#define KEYS_VERSION 1u

struct sgate_keys {
    alignas(64) uint32_t magic;
    uint32_t version;
    /// A bit for each key.
    _Atomic(uint32_t) audible;
};

size_t sgate_keys_size(void) { return sizeof(struct sgate_keys); }

sgate_keys_t *sgate_keys_initialise(void *memory, size_t size) {
    if (memory == NULL || size < sizeof(struct sgate_keys) || (uintptr_t)memory % alignof(struct sgate_keys) != 0) {
        return NULL;
    }
    sgate_keys_t *keys = memory;
    keys->magic = KEYS_MAGIC;
    keys->version = KEYS_VERSION;
    atomic_init(&keys->audible, 0);
    return keys;
}

bool sgate_keys_valid(const void *memory, size_t size) {
    const sgate_keys_t *keys = memory;
    return memory != NULL && size >= sizeof(struct sgate_keys) && (uintptr_t)memory % alignof(struct sgate_keys) == 0 &&
           keys->magic == KEYS_MAGIC && keys->version == KEYS_VERSION;
}

sgate_keys_t *sgate_keys_create(void) {
    void *memory = aligned_alloc(alignof(struct sgate_keys), sizeof(struct sgate_keys));
    return sgate_keys_initialise(memory, sizeof(struct sgate_keys));
}

void sgate_keys_destroy(sgate_keys_t *keys) { free(keys); }

void sgate_keys_set(sgate_keys_t *keys, uint32_t key, bool audible) SGATE_KEYS_RT {
    if (key >= SGATE_KEYS) {
        return;
    }
    if (audible) {
        atomic_fetch_or_explicit(&keys->audible, 1u << key, memory_order_release);
    } else {
        atomic_fetch_and_explicit(&keys->audible, ~(1u << key), memory_order_release);
    }
}

uint16_t sgate_keys_audible(const sgate_keys_t *keys) SGATE_KEYS_RT {
    return (uint16_t)atomic_load_explicit(&keys->audible, memory_order_acquire);
}
