/// A hung app: all its threads are suspended from outside, as by a debugger, except libjack's.
#ifndef GATE_FREEZE_H
#define GATE_FREEZE_H

#include <stdint.h>
#include <sys/types.h>

enum { GATE_FREEZE_THREADS = 256 };

typedef struct gate_frozen {
    pid_t threads[GATE_FREEZE_THREADS];
    /// The number of suspended threads.
    int count;
    /// The number of libjack's threads, which continue.
    int spared;
} gate_frozen_t;

/// Suspends all threads of a child except libjack's and `running` (0: none). Returns 0 or a
/// negative errno: -EPERM if debugging is forbidden. After an error no thread is suspended. The
/// thread that suspends them must resume them.
int gate_freeze(pid_t process, pid_t running, gate_frozen_t *frozen);
void gate_thaw(gate_frozen_t *frozen);

#endif
