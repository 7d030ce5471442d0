/// The voice pool and the ownership of voices.
#ifndef RCORE_POOL_H
#define RCORE_POOL_H

#include "voices/buffer.h"
#include "voices/voice_state.h"

/// Returns a voice to the pool. Handles to it become stale. [any], by the owner of the voice
void pool_release(rcore_t *core, struct voice *voice) RCORE_RT;

/// Add and remove one voice among the users of a buffer; do nothing for NULL. [any], by the owner
/// of the voice
static inline void buffer_add_user(const rcore_buffer_t *buffer) RCORE_RT {
    if (buffer != NULL) { // const for its readers; the count belongs to the core
        (void)atomic_fetch_add_explicit(&((rcore_buffer_t *)(uintptr_t)buffer)->users, 1, memory_order_relaxed);
    }
}
static inline void buffer_remove_user(const rcore_buffer_t *buffer) RCORE_RT {
    if (buffer != NULL) { // release: a thread that reads 0 may free the samples
        (void)atomic_fetch_sub_explicit(&((rcore_buffer_t *)(uintptr_t)buffer)->users, 1, memory_order_release);
    }
}

#endif
