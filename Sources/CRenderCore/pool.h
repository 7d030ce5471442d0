/// Voices and who has them.
#ifndef RCORE_POOL_H
#define RCORE_POOL_H

#include "core.h"

/// Makes a voice free: handles to it are stale from now on. [any], by whoever owns the voice
void pool_give_back(rcore_t *core, struct voice *voice) RCORE_RT;

/// Counts one voice more or less among the users of its buffer, if it has one. [any], by whoever owns the voice
static inline void buffer_use(const rcore_buffer_t *buffer) RCORE_RT {
    if (buffer != NULL) { // const for those who play it; the count is the core's
        (void)atomic_fetch_add_explicit(&((rcore_buffer_t *)(uintptr_t)buffer)->users, 1, memory_order_relaxed);
    }
}
static inline void buffer_leave(const rcore_buffer_t *buffer) RCORE_RT {
    if (buffer != NULL) { // release: who sees 0 may free the samples
        (void)atomic_fetch_sub_explicit(&((rcore_buffer_t *)(uintptr_t)buffer)->users, 1, memory_order_release);
    }
}

#endif
