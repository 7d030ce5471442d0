/// Measures the duration of a JACK client's cycles from outside: whichever code of the process sets
/// a process callback, the clock is read before and after each call. A client of the package and a
/// plain one are thus measured in the same way, without support by either.
///
/// The end time of a cycle is not taken from libjack: its filtered times are wrong by up to the
/// length of a stall for a second after it.
///
/// A program that this is linked into has its own `jack_set_process_callback` in front of
/// libjack's. Unless tracing is armed, it only forwards calls.
#ifndef CYCLE_TRACE_H
#define CYCLE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/// A cycle of the traced client.
typedef struct traced_cycle {
    /// CLOCK_MONOTONIC when its callback was called.
    uint64_t begin_ns;
    /// The time until it returned.
    uint32_t wall_ns;
    /// The thread's processor time: without the time taken by other threads.
    uint32_t cpu_ns;
    /// The server's frame time at its beginning.
    uint32_t frame;
    uint32_t nframes;
} traced_cycle_t;

/// Arms tracing, up to `capacity` cycles, of the next client of this process that sets its process
/// callback; one client at a time. Returns false if there is no memory.
bool cycle_trace_arm(uint32_t capacity);
/// Discards the recorded cycles, and starts recording.
void cycle_trace_begin(void);
/// Stops recording; on return no cycle writes. Returns the number of recorded cycles; `capacity`
/// means that there were more.
uint32_t cycle_trace_end(void);
/// Returns the recorded cycles; valid until the next beginning.
const traced_cycle_t *cycle_trace_cycles(void);

/// Makes the next recorded cycle take that much longer, to verify that late cycles are detected.
void cycle_trace_stall(uint32_t milliseconds);

/// Returns the heap memory of the process in bytes.
uint64_t heap_bytes(void);

#endif
