/// Wakes the control thread when the cycle has made work for it.
#ifndef RCORE_WORK_H
#define RCORE_WORK_H

#include "render_core.h"

#include <semaphore.h>
#include <stdatomic.h>

struct work_state {
    sem_t semaphore;
    /// Whether `semaphore` was posted and control has not yet taken the post. [any]
    _Atomic(bool) is_posted;
    /// Whether the cycle has made work since it last posted `semaphore`. [render]
    bool is_due;
};

/// Wakes the control thread if this cycle has made work for it. [render]
void work_report(rcore_t *core) RCORE_RT;

#endif
