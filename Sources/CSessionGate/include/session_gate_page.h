/// Layout of a gate's page, the two loads that the render core makes, and the conversion of the
/// words that they return. For C only: Swift cannot import atomics.
#ifndef SESSION_GATE_PAGE_H
#define SESSION_GATE_PAGE_H

#include "session_gate.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#if defined(__clang__)
#define SGATE_RT __attribute__((nonblocking))
#else
#define SGATE_RT
#endif

#define SGATE_MAGIC 0x54414753u // "SGAT"
#define SGATE_VERSION 1u

/// Each word has its own cache line, so that volume changes do not slow down readers of the grant.
struct sgate_page {
    uint32_t magic;
    uint32_t version;
    alignas(64) _Atomic(uint64_t) grant;
    alignas(64) _Atomic(uint64_t) volume;
    alignas(64) _Atomic(uint64_t) keyed_duck;
    _Atomic(uint64_t) detection;
};

/// Loads the word of the grant. [any] Acquire: what the writer did before publishing is visible.
static inline uint64_t sgate_page_load_grant(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->grant, memory_order_acquire);
}

/// Loads the word of the volume. [any] Acquire.
static inline uint64_t sgate_page_load_volume(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->volume, memory_order_acquire);
}

/// Loads the word of the keyed duck. [any] Acquire.
static inline uint64_t sgate_page_load_keyed_duck(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->keyed_duck, memory_order_acquire);
}

/// Loads the word of the detection. [any] Acquire.
static inline uint64_t sgate_page_load_detection(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->detection, memory_order_acquire);
}

// Layout of the words, from the lowest bit. Grant: attenuation (16 bits), ramp (16), paused (1),
// muted (1), input granted (1), unused (5), serial (24). Volume: the gain as a float (32), ramp
// (16), unused (16). Keyed duck: keys (16), attenuation (16), attack (16), release (16). Detection:
// enabled (1), key (4), unused (3), threshold (8), hold (16), unused (32).
static inline sgate_grant_t sgate_word_to_grant(uint64_t word) SGATE_RT {
    sgate_grant_t grant;
    grant.attenuation = (uint16_t)(word & 0xFFFFu);
    grant.ramp_ms = (uint16_t)((word >> 16) & 0xFFFFu);
    grant.paused = (word >> 32) & 1u;
    grant.muted = (word >> 33) & 1u;
    grant.input_granted = (word >> 34) & 1u;
    grant.serial = (uint32_t)(word >> 40) & SGATE_SERIAL_MASK;
    return grant;
}

static inline sgate_volume_t sgate_word_to_volume(uint64_t word) SGATE_RT {
    union {
        uint32_t bits;
        float gain;
    } value = {.bits = (uint32_t)word};
    sgate_volume_t volume;
    // NaN and negative values read as silence: a damaged page must not harm the listener's hearing.
    volume.gain = value.gain >= 0.0f ? (value.gain <= 1.0f ? value.gain : 1.0f) : 0.0f;
    volume.ramp_ms = (uint16_t)((word >> 32) & 0xFFFFu);
    return volume;
}

static inline sgate_keyed_duck_t sgate_word_to_keyed_duck(uint64_t word) SGATE_RT {
    sgate_keyed_duck_t duck;
    duck.keys = (uint16_t)(word & 0xFFFFu);
    duck.attenuation = (uint16_t)((word >> 16) & 0xFFFFu);
    duck.attack_ms = (uint16_t)((word >> 32) & 0xFFFFu);
    duck.release_ms = (uint16_t)(word >> 48);
    return duck;
}

static inline sgate_detection_t sgate_word_to_detection(uint64_t word) SGATE_RT {
    sgate_detection_t detection;
    detection.enabled = word & 1u;
    detection.key = (uint8_t)((word >> 1) & 0xFu);
    detection.threshold = (uint8_t)((word >> 8) & 0xFFu);
    detection.hold_ms = (uint16_t)((word >> 16) & 0xFFFFu);
    return detection;
}

#endif
