/// The session gate: the page of memory through which the arbiter controls one session. It is not a
/// noise gate.
///
/// The arbiter writes the page; the app's render core reads it once per cycle. After a header, the
/// page has two 64-bit words: the grant (run or pause, duck, mute, input) and the system volume.
/// Each word is one atomic value, so its fields change together, and a writer that crashes leaves
/// the last complete grant in effect.
///
/// Within a process, the page is plain memory (`sgate_page_create`). Across processes, it is a
/// sealed memfd of the same layout (`sgate_page_initialise`). Decibels and milliseconds occur only
/// here: the render core computes with linear gains and frames.
///
/// Thread tags: [writer] one thread at a time, the arbiter's; [any] any thread, including the
/// render thread.
#ifndef SESSION_GATE_H
#define SESSION_GATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Units of attenuation per decibel: attenuation is in 1/256 dB, where 0 is exactly unity gain.
#define SGATE_ATTENUATION_PER_DECIBEL 256
/// Mask of serial numbers, which count modulo 2^24.
#define SGATE_SERIAL_MASK 0xFFFFFFu

/// A page. Opaque; session_gate_page.h has its layout (C only).
typedef struct sgate_page sgate_page_t;

/// The grant of one session, unpacked.
typedef struct sgate_grant {
    /// Duck, in 1/256 dB below unity, 0…65535. 0 is bit-exact unity.
    uint16_t attenuation;
    /// Length of the ramp to this grant, 0…65535 ms.
    uint16_t ramp_ms;
    /// The output fades to silence, then the sources are suspended.
    bool paused;
    /// The output fades to silence while the sources continue.
    bool muted;
    /// The session may use live input. Otherwise its input is digital silence.
    bool input_granted;
    /// 0…2^24-1. Events of the core repeat it once the grant is applied.
    uint32_t serial;
} sgate_grant_t;

/// The system volume, unpacked.
typedef struct sgate_volume {
    /// Linear, 0…1. Higher values read as 1, negative ones and NaN as 0.
    float gain;
    /// Length of the ramp to this volume, 0…65535 ms.
    uint16_t ramp_ms;
} sgate_volume_t;

/// Packs a grant into a word. [any] Constant time. Drops the bits of the serial above the 24th.
uint64_t sgate_grant_pack(sgate_grant_t grant);
/// Unpacks the word of a grant. [any] Constant time. Every word is a valid grant.
sgate_grant_t sgate_grant_unpack(uint64_t word);
/// Packs a volume into a word. [any] Constant time.
uint64_t sgate_volume_pack(sgate_volume_t volume);
/// Unpacks the word of a volume. [any] Constant time. Every word yields a gain of 0…1.
sgate_volume_t sgate_volume_unpack(uint64_t word);

/// Returns the size of a page in bytes. [any]
size_t sgate_page_size(void);
/// Creates a page in plain memory: paused, input not granted, serial 0, volume 1. [writer] Returns
/// NULL if memory cannot be allocated. The caller owns the page and frees it with
/// `sgate_page_destroy`.
sgate_page_t *sgate_page_create(void);
/// Frees a page that `sgate_page_create` created and no render core holds; NULL does nothing.
/// [writer]
void sgate_page_destroy(sgate_page_t *page);
/// Initialises `size` bytes of mapped memory as a page and returns the page. [writer] Returns NULL
/// when the memory is too small or not aligned to 64 bytes. The caller still owns the memory.
sgate_page_t *sgate_page_initialise(void *memory, size_t size);
/// Returns whether `size` bytes of mapped memory are a page that this version can read. [any]
bool sgate_page_valid(const void *memory, size_t size);

/// Publishes a grant. [writer] Wait-free. Readers see all of it together, at their next cycle.
void sgate_page_set_grant(sgate_page_t *page, sgate_grant_t grant);
/// Returns the grant in effect. [any] Wait-free.
sgate_grant_t sgate_page_grant(const sgate_page_t *page);
/// Publishes the system volume. [writer] Wait-free.
void sgate_page_set_volume(sgate_page_t *page, sgate_volume_t volume);
/// Returns the system volume in effect. [any] Wait-free.
sgate_volume_t sgate_page_volume(const sgate_page_t *page);

#ifdef __cplusplus
}
#endif
#endif
