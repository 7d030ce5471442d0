#include "session_gate_page.h"

#include <stdlib.h>

uint64_t sgate_grant_pack(sgate_grant_t grant) {
    return (uint64_t)grant.attenuation | (uint64_t)grant.ramp_ms << 16 | (uint64_t)grant.paused << 32 |
           (uint64_t)grant.muted << 33 | (uint64_t)grant.input_granted << 34 |
           (uint64_t)(grant.serial & SGATE_SERIAL_MASK) << 40;
}

sgate_grant_t sgate_grant_unpack(uint64_t word) { return sgate_word_to_grant(word); }

uint64_t sgate_volume_pack(sgate_volume_t volume) {
    union {
        float gain;
        uint32_t bits;
    } value = {.gain = volume.gain};
    return (uint64_t)value.bits | (uint64_t)volume.ramp_ms << 32;
}

sgate_volume_t sgate_volume_unpack(uint64_t word) { return sgate_word_to_volume(word); }

uint64_t sgate_keyed_duck_pack(sgate_keyed_duck_t duck) {
    return (uint64_t)duck.keys | (uint64_t)duck.attenuation << 16 | (uint64_t)duck.attack_ms << 32 |
           (uint64_t)duck.release_ms << 48;
}

sgate_keyed_duck_t sgate_keyed_duck_unpack(uint64_t word) { return sgate_word_to_keyed_duck(word); }

uint64_t sgate_detection_pack(sgate_detection_t detection) {
    return (uint64_t)detection.enabled | (uint64_t)(detection.key & 0xFu) << 1 | (uint64_t)detection.threshold << 8 |
           (uint64_t)detection.hold_ms << 16;
}

sgate_detection_t sgate_detection_unpack(uint64_t word) { return sgate_word_to_detection(word); }

size_t sgate_page_size(void) { return sizeof(struct sgate_page); }

sgate_page_t *sgate_page_initialise(void *memory, size_t size) {
    if (memory == NULL || size < sizeof(struct sgate_page) || (uintptr_t)memory % alignof(struct sgate_page) != 0) {
        return NULL;
    }
    sgate_page_t *page = memory;
    page->magic = SGATE_MAGIC;
    page->version = SGATE_VERSION;
    // A session without a grant is silent.
    atomic_init(&page->grant, sgate_grant_pack((sgate_grant_t){.paused = true}));
    atomic_init(&page->volume, sgate_volume_pack((sgate_volume_t){.gain = 1.0f}));
    atomic_init(&page->keyed_duck, 0);
    atomic_init(&page->detection, 0);
    return page;
}

bool sgate_page_valid(const void *memory, size_t size) {
    const sgate_page_t *page = memory;
    return memory != NULL && size >= sizeof(struct sgate_page) && (uintptr_t)memory % alignof(struct sgate_page) == 0 &&
           page->magic == SGATE_MAGIC && page->version == SGATE_VERSION;
}

sgate_page_t *sgate_page_create(void) {
    void *memory = aligned_alloc(alignof(struct sgate_page), sizeof(struct sgate_page));
    return sgate_page_initialise(memory, sizeof(struct sgate_page));
}

void sgate_page_destroy(sgate_page_t *page) { free(page); }

void sgate_page_set_grant(sgate_page_t *page, sgate_grant_t grant) {
    atomic_store_explicit(&page->grant, sgate_grant_pack(grant), memory_order_release);
}

sgate_grant_t sgate_page_grant(const sgate_page_t *page) { return sgate_word_to_grant(sgate_page_load_grant(page)); }

void sgate_page_set_volume(sgate_page_t *page, sgate_volume_t volume) {
    atomic_store_explicit(&page->volume, sgate_volume_pack(volume), memory_order_release);
}

sgate_volume_t sgate_page_volume(const sgate_page_t *page) {
    return sgate_word_to_volume(sgate_page_load_volume(page));
}

void sgate_page_set_keyed_duck(sgate_page_t *page, sgate_keyed_duck_t duck) {
    atomic_store_explicit(&page->keyed_duck, sgate_keyed_duck_pack(duck), memory_order_release);
}

sgate_keyed_duck_t sgate_page_keyed_duck(const sgate_page_t *page) {
    return sgate_word_to_keyed_duck(sgate_page_load_keyed_duck(page));
}

void sgate_page_set_detection(sgate_page_t *page, sgate_detection_t detection) {
    atomic_store_explicit(&page->detection, sgate_detection_pack(detection), memory_order_release);
}

sgate_detection_t sgate_page_detection(const sgate_page_t *page) {
    return sgate_word_to_detection(sgate_page_load_detection(page));
}
