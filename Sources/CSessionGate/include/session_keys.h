/// The keys page: one page of memory, shared by all clients of an arbiter, that states which keys
/// are audible. A key is a session that lowers others only while it is audible (`session_gate.h`).
///
/// The arbiter gives each of up to SGATE_KEYS such sessions a key. The render core of a key sets
/// its bit in the page while the session is audible; the cores of the sessions that it lowers read
/// the bits once per cycle. What a key lowers is in the gates, which only the arbiter writes: a
/// client that writes wrong bits can only make a duck begin early or end late.
///
/// Within a process, the page is plain memory (`sgate_keys_create`). Across processes, it is a
/// memfd of the same layout, writable by all (`sgate_keys_initialise`).
///
/// Thread tags: [any] any thread, including the render thread.
#ifndef SESSION_KEYS_H
#define SESSION_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#define SGATE_KEYS_RT __attribute__((nonblocking))
#else
#define SGATE_KEYS_RT
#endif

/// The number of keys.
#define SGATE_KEYS 16u

/// A keys page. Opaque.
typedef struct sgate_keys sgate_keys_t;

/// Returns the size of a page in bytes. [any]
size_t sgate_keys_size(void);
/// Creates a page in plain memory, without audible keys. Returns NULL if memory cannot be
/// allocated. The caller owns the page and frees it with `sgate_keys_destroy`.
sgate_keys_t *sgate_keys_create(void);
/// Frees a page that `sgate_keys_create` created and no render core holds; NULL does nothing.
void sgate_keys_destroy(sgate_keys_t *keys);
/// Initialises `size` bytes of mapped memory as a page and returns the page. Returns NULL when the
/// memory is too small or not aligned to 64 bytes. The caller still owns the memory.
sgate_keys_t *sgate_keys_initialise(void *memory, size_t size);
/// Returns whether `size` bytes of mapped memory are a page that this version can use. [any]
bool sgate_keys_valid(const void *memory, size_t size);

/// Sets whether a key, 0…SGATE_KEYS-1, is audible. [any] Lock-free. Ignores other keys.
void sgate_keys_set(sgate_keys_t *keys, uint32_t key, bool audible) SGATE_KEYS_RT;
/// Returns a bit for each audible key, `1 << key`. [any] Wait-free.
uint16_t sgate_keys_audible(const sgate_keys_t *keys) SGATE_KEYS_RT;

#ifdef __cplusplus
}
#endif
#endif
