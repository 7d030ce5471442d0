/// Layout of a gate's page and the two loads the render core makes. C only: Swift cannot import atomics.
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

/// The words lie on cache lines of their own: a volume fader does not disturb who reads verdicts.
struct sgate_page {
    uint32_t magic;
    uint32_t version;
    alignas(64) _Atomic(uint64_t) verdict;
    alignas(64) _Atomic(uint64_t) volume;
};

/// The verdict's word. [any] Acquire: what the writer did before publishing is visible.
static inline uint64_t sgate_page_load_verdict(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->verdict, memory_order_acquire);
}

/// The volume's word. [any] Acquire.
static inline uint64_t sgate_page_load_volume(const sgate_page_t *page) SGATE_RT {
    return atomic_load_explicit(&page->volume, memory_order_acquire);
}

// The words, from the lowest bit. Verdict: attenuation 16, ramp 16, paused, muted, input, 5 spare, serial 24.
// Volume: the gain's float bits 32, ramp 16, 16 spare.
static inline sgate_verdict_t sgate_word_to_verdict(uint64_t word) SGATE_RT {
    sgate_verdict_t verdict;
    verdict.attenuation = (uint16_t)(word & 0xFFFFu);
    verdict.ramp_ms = (uint16_t)((word >> 16) & 0xFFFFu);
    verdict.paused = (word >> 32) & 1u;
    verdict.muted = (word >> 33) & 1u;
    verdict.input_granted = (word >> 34) & 1u;
    verdict.serial = (uint32_t)(word >> 40) & SGATE_SERIAL_MASK;
    return verdict;
}

static inline sgate_volume_t sgate_word_to_volume(uint64_t word) SGATE_RT {
    union {
        uint32_t bits;
        float gain;
    } value = {.bits = (uint32_t)word};
    sgate_volume_t volume;
    // Not a number and negative values read as silence: a damaged page must not blow up an ear.
    volume.gain = value.gain >= 0.0f ? (value.gain <= 1.0f ? value.gain : 1.0f) : 0.0f;
    volume.ramp_ms = (uint16_t)((word >> 32) & 0xFFFFu);
    return volume;
}

#endif
