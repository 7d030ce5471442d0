// Wakes the control thread when another thread asks for it (`rcore_wake`), and when a cycle has
// made work for it: an event to read, a stream to fill, a capture or a meter's tap to read, or a
// plan to free.
//
// The semaphore is the only object through which the core wakes a thread. `sem_post` does not
// block, and makes a system call only if a thread waits. At most one post is outstanding: while
// control is busy, the first cycle that makes work posts, and each further one costs an exchange.
#include "core/work.h"

#include "core/core.h"

#include <errno.h>

// Declared again as non-blocking: POSIX makes it async-signal-safe, so it takes no lock.
int sem_post(sem_t *semaphore) RCORE_RT;

void rcore_wake(rcore_t *core) RCORE_RT {
    // Acquire and release: if the previous post is not yet taken, no second one is needed, because
    // the exchange that takes it sees this exchange, and with it the work before it.
    if (!atomic_exchange_explicit(&core->work.is_posted, true, memory_order_acq_rel)) {
        (void)sem_post(&core->work.semaphore);
    }
}

void work_report(rcore_t *core) RCORE_RT {
    if (core->work.is_due) {
        core->work.is_due = false;
        rcore_wake(core);
    }
}

static void take_post(rcore_t *core) {
    (void)atomic_exchange_explicit(&core->work.is_posted, false, memory_order_acq_rel);
}

void rcore_wait(rcore_t *core) {
    while (sem_wait(&core->work.semaphore) == -1 && errno == EINTR) {
    }
    take_post(core);
}

bool rcore_try_wait(rcore_t *core) {
    while (sem_trywait(&core->work.semaphore) == -1) {
        if (errno != EINTR) {
            return false;
        }
    }
    take_post(core);
    return true;
}
