/// What a JACK client's cycles take, seen from outside: whichever code of the process sets a process callback, it is called between two
/// looks at the clock. So a client of the package's and a bare one are measured by the same instrument, and neither has to offer one.
///
/// When a cycle should have ended is not asked of libjack: its filtered times are off by up to the length of a stall for a second after it.
///
/// The program that this is linked into has a `jack_set_process_callback` of its own before libjack's. Where nobody arms it, that only
/// hands over.
#ifndef LOAD_TRACE_H
#define LOAD_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/// A cycle of the traced client.
typedef struct load_cycle {
    uint64_t begin_ns; ///< CLOCK_MONOTONIC, when its callback was called
    uint32_t wall_ns;  ///< until it returned
    uint32_t cpu_ns;   ///< of the thread's own time: without what others took from it
    uint32_t frame;    ///< the server's frame time at its beginning
    uint32_t nframes;
} load_cycle_t;

/// Has the next client of this process that sets its process callback traced, up to `capacity` cycles; one at a time. False: no memory.
bool load_trace_arm(uint32_t capacity);
/// Notes cycles from now on, the first one anew.
void load_trace_begin(void);
/// Notes no more; on return no cycle writes. How many there are; `capacity` means that there were more.
uint32_t load_trace_end(void);
/// Those that were noted; valid until the next beginning.
const load_cycle_t *load_trace_cycles(void);

/// Has the next cycle that is noted take that much longer: what looks for late cycles must find it.
void load_trace_stall(uint32_t milliseconds);

/// Bytes that the process holds of the heap.
uint64_t load_heap_bytes(void);

#endif
