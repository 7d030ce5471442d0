/// Watches a gate (a control page, no noise gate) of a child process: when the arbiter wrote its
/// 64-bit word. And lets a child hang: suspends its threads from outside, as a debugger does.
///
/// Watching only reads; both need the permission that a debugger needs. Status: 0 or a negative
/// errno, -EPERM if debugging is forbidden.
#ifndef GATE_WATCH_H
#define GATE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// Finds the addresses of the gates in the calling process, its own and those that an arbiter sent.
/// Returns how many there are, and stores at most `capacity` of them.
uint32_t gate_pages_find(uint64_t *addresses, uint32_t capacity);

/// The result of a watch. Times are in nanoseconds of CLOCK_MONOTONIC.
typedef struct gate_watch {
    /// The grant, as `sgate_grant_unpack` reads it.
    uint64_t word;
    /// When the last read began that returned the previous word: this word was written after that.
    uint64_t after_ns;
    /// When the first read ended that returned this word: it was written before that.
    uint64_t until_ns;
} gate_watch_t;

/// Reads a gate.
int gate_watch_look(pid_t process, uint64_t address, gate_watch_t *watch);
/// Polls a gate until its word differs from the one in `watch`; -ETIMEDOUT after the timeout.
int gate_watch_await_change(pid_t process, uint64_t address, gate_watch_t *watch, uint32_t milliseconds);

enum { GATE_FREEZE_THREADS = 256 };

typedef struct gate_frozen {
    pid_t threads[GATE_FREEZE_THREADS];
    /// The number of suspended threads.
    int count;
    /// The number of libjack's threads, which continue.
    int spared;
} gate_frozen_t;

/// Suspends all threads of a child except libjack's and `running` (0: none). After an error no
/// thread is suspended. The thread that suspends them must resume them.
int gate_freeze(pid_t process, pid_t running, gate_frozen_t *frozen);
void gate_thaw(gate_frozen_t *frozen);

#endif
