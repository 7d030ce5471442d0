/// A gate of another process, watched: when the arbiter wrote its word.
///
/// The process that is watched is a child, and only read: by what a debugger may do too, so that where that is forbidden nothing can be watched.
#ifndef GATE_WATCH_H
#define GATE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// The addresses of the gates in the calling process, its own and those that an arbiter sent, as they lie; returns how many there are, of which no
/// more than `capacity` are told.
uint32_t gate_pages_find(uint64_t *addresses, uint32_t capacity);

/// What a watch saw. Times are nanoseconds of CLOCK_MONOTONIC.
typedef struct gate_watch {
    uint64_t word;     ///< the verdict's, as `sgate_verdict_unpack` reads it
    uint64_t after_ns; ///< when the last look began that saw the word before: it was written after that
    uint64_t until_ns; ///< when the first look ended that saw this one: it was written before that
} gate_watch_t;

/// Looks at a gate; 0, or a negative errno: -EPERM where it is forbidden.
int gate_watch_look(pid_t process, uint64_t address, gate_watch_t *watch);
/// Looks as fast as it can until its word is another than the one seen; 0, -ETIMEDOUT, or another negative errno.
int gate_watch_await_change(pid_t process, uint64_t address, gate_watch_t *watch, uint32_t milliseconds);

#endif
