/// A hung app: its threads stand still, stopped from outside as a debugger would, and only libjack's go on.
#ifndef GATE_FREEZE_H
#define GATE_FREEZE_H

#include <stdint.h>
#include <sys/types.h>

enum { GATE_FREEZE_THREADS = 256 };

typedef struct gate_frozen {
    pid_t threads[GATE_FREEZE_THREADS];
    int count;  ///< that stand
    int spared; ///< of libjack's, that go on
} gate_frozen_t;

/// Stops all threads of a child but libjack's and `running` (0: none). 0, or a negative errno, and then none stands: -EPERM where a debugger is
/// forbidden. The thread that froze them thaws them.
int gate_freeze(pid_t process, pid_t running, gate_frozen_t *frozen);
void gate_thaw(gate_frozen_t *frozen);

#endif
