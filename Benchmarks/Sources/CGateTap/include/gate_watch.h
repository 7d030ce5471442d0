/// Watches a gate (a control page, no noise gate) of another process: when the arbiter wrote its
/// 64-bit word.
///
/// The watched process is a child and is only read, with the same permission that a debugger needs.
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

/// Reads a gate. Returns 0 or a negative errno: -EPERM if it is forbidden.
int gate_watch_look(pid_t process, uint64_t address, gate_watch_t *watch);
/// Polls a gate until its word differs from the one in `watch`. Returns 0, -ETIMEDOUT, or another
/// negative errno.
int gate_watch_await_change(pid_t process, uint64_t address, gate_watch_t *watch, uint32_t milliseconds);

#endif
