/// The session gate: the page of memory through which the arbiter controls one session. It is not a
/// noise gate.
///
/// The arbiter writes the page; the app's render core reads it once per cycle. After a header, the
/// page has four 64-bit words: the grant (run or pause, duck, mute, input), the system volume, the
/// keyed duck, and how the session is detected as a key. Each word is one atomic value, so its
/// fields change together, and a writer that crashes leaves the last complete grant in effect. An
/// arbiter that does not know the last two leaves them 0: no keyed duck, and no detection.
///
/// A key is a session that lowers others only while it is audible, as the key input of a sidechain
/// compressor does. Its core detects that and states it in a page that all clients share
/// (`session_keys.h`), where the cores of the lowered sessions read it without waiting for the
/// arbiter.
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

/// The keyed duck of one session, unpacked: a duck that applies while one of the keys is audible,
/// if it is deeper than that of the grant.
typedef struct sgate_keyed_duck {
    /// A bit for each key that lowers the session, `1 << key`.
    uint16_t keys;
    /// In 1/256 dB below unity, 0…65535.
    uint16_t attenuation;
    /// Lengths of the ramps, 0…65535 ms.
    uint16_t attack_ms;
    uint16_t release_ms;
} sgate_keyed_duck_t;

/// How the render core detects whether the session is audible, unpacked.
typedef struct sgate_detection {
    /// Whether it does so at all.
    bool enabled;
    /// The key that the session is, 0…15.
    uint8_t key;
    /// The session is audible when a sample exceeds this level, in dB below full scale, 0…255.
    uint8_t threshold;
    /// How long it remains audible after that, 0…65535 ms.
    uint16_t hold_ms;
} sgate_detection_t;

/// Packs a keyed duck into a word. [any] Constant time.
uint64_t sgate_keyed_duck_pack(sgate_keyed_duck_t duck);
/// Unpacks the word of a keyed duck. [any] Constant time. Every word is a valid one.
sgate_keyed_duck_t sgate_keyed_duck_unpack(uint64_t word);
/// Packs a detection into a word. [any] Constant time. Drops the bits of the key above the fourth.
uint64_t sgate_detection_pack(sgate_detection_t detection);
/// Unpacks the word of a detection. [any] Constant time. Every word is a valid one.
sgate_detection_t sgate_detection_unpack(uint64_t word);

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
/// Publishes a keyed duck. [writer] Wait-free.
void sgate_page_set_keyed_duck(sgate_page_t *page, sgate_keyed_duck_t duck);
/// Returns the keyed duck. [any] Wait-free.
sgate_keyed_duck_t sgate_page_keyed_duck(const sgate_page_t *page);
/// Publishes how the session is detected. [writer] Wait-free.
void sgate_page_set_detection(sgate_page_t *page, sgate_detection_t detection);
/// Returns how the session is detected. [any] Wait-free.
sgate_detection_t sgate_page_detection(const sgate_page_t *page);

#ifdef __cplusplus
}
#endif
#endif
