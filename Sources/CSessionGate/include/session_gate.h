/// The session gate: what the arbiter grants one session, in one page of memory.
///
/// The arbiter writes it, the render core of the app reads it once per cycle. Two 64-bit words, each changed as a whole:
/// the verdict (run or pause, duck, mute, input) and the system volume. Because a word is one atomic value, what belongs
/// together changes together, and a writer that dies halfway leaves the last whole verdict standing.
///
/// In one process the page is plain memory (`sgate_page_create`); across processes it is a sealed memfd of the same layout
/// (`sgate_page_initialise`). Only here does C know decibels and milliseconds.
///
/// Thread tags: [writer] one thread at a time, the arbiter's; [any] any thread, also the render thread.
#ifndef SESSION_GATE_H
#define SESSION_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Attenuation counts in 1/256 dB; 0 is exactly unity gain.
#define SGATE_ATTENUATION_PER_DECIBEL 256
/// Serials count modulo 2^24.
#define SGATE_SERIAL_MASK 0xFFFFFFu

/// One page, opaque; its layout is in session_gate_page.h (C only).
typedef struct sgate_page sgate_page_t;

/// The verdict on one session, unpacked.
typedef struct sgate_verdict {
    uint16_t attenuation; ///< duck, in 1/256 dB below unity, 0…65535 (0 = bit-exact unity)
    uint16_t ramp_ms;     ///< length of the way to this verdict, 0…65535 ms
    bool paused;          ///< fade to silence, then the sources stand still
    bool muted;           ///< fade to silence, the sources run on
    bool input_granted;   ///< live input may be heard; otherwise it is digital silence
    uint32_t serial;      ///< 0…2^24-1; the core's events echo it once applied
} sgate_verdict_t;

/// The system volume, unpacked.
typedef struct sgate_volume {
    float gain;       ///< linear, 0…1; more reads as 1, less and NaN as 0
    uint16_t ramp_ms; ///< length of the way to this volume, 0…65535 ms
} sgate_volume_t;

/// Packs a verdict into its word. [any] Constant time. Bits of the serial above 24 are dropped.
uint64_t sgate_verdict_pack(sgate_verdict_t verdict);
/// Unpacks a verdict's word. [any] Constant time. Every word is a valid verdict.
sgate_verdict_t sgate_verdict_unpack(uint64_t word);
/// Packs a volume into its word. [any] Constant time.
uint64_t sgate_volume_pack(sgate_volume_t volume);
/// Unpacks a volume's word. [any] Constant time. Of every word a gain of 0…1 comes.
sgate_volume_t sgate_volume_unpack(uint64_t word);

/// Bytes of one page. [any]
size_t sgate_page_size(void);
/// Makes a page in plain memory: paused, input not granted, serial 0, volume 1. [writer] Returns NULL when memory is short.
/// The caller owns it and ends it with `sgate_page_destroy`.
sgate_page_t *sgate_page_create(void);
/// Frees a page made by `sgate_page_create`; NULL does nothing. [writer] No render core may hold it any longer.
void sgate_page_destroy(sgate_page_t *page);
/// Initialises `size` bytes of mapped memory as a page and returns it; NULL if too small or not aligned to 64. [writer]
/// The memory stays the caller's.
sgate_page_t *sgate_page_initialise(void *memory, size_t size);
/// Tells whether memory of `size` bytes, mapped from elsewhere, is a page this version can read. [any]
bool sgate_page_valid(const void *memory, size_t size);

/// Publishes a verdict. [writer] Wait-free; readers see it whole, at their next cycle.
void sgate_page_set_verdict(sgate_page_t *page, sgate_verdict_t verdict);
/// The verdict that stands. [any] Wait-free.
sgate_verdict_t sgate_page_verdict(const sgate_page_t *page);
/// Publishes the system volume. [writer] Wait-free.
void sgate_page_set_volume(sgate_page_t *page, sgate_volume_t volume);
/// The system volume that stands. [any] Wait-free.
sgate_volume_t sgate_page_volume(const sgate_page_t *page);

#ifdef __cplusplus
}
#endif
#endif
