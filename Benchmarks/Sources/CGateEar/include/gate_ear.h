/// An ear for gates: a bare JACK client that records, beside each cycle's frame, when the cycle began.
///
/// Calls belong on one thread. The cycle neither locks nor allocates.
#ifndef GATE_EAR_H
#define GATE_EAR_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gate_ear gate_ear_t;

/// A cycle that was recorded. Times are nanoseconds of CLOCK_MONOTONIC.
typedef struct gate_ear_cycle {
    uint64_t
        begun_ns; ///< when the server began it: not later than this process, or the one before it in the graph, was called for it; known to a frame
    uint64_t heard_ns; ///< when this client was called for it
    uint32_t frame;    ///< the server's number of its first frame
    uint32_t nframes;
    uint32_t place; ///< of its first sample in the record
} gate_ear_cycle_t;

/// Opens a client with the port `in_1` and room for that many frames, and activates it. NULL when there is no server, or it says no.
gate_ear_t *gate_ear_open(const char *server, const char *name, uint32_t capacity);
bool gate_ear_connect(gate_ear_t *ear, const char *port);
/// Its server must live.
void gate_ear_close(gate_ear_t *ear);

/// Forgets what was recorded, and records anew from the next cycle on, until the room is used up; false when no cycle comes within that time.
bool gate_ear_begin(gate_ear_t *ear, uint32_t milliseconds);
/// Waits until that many frames have been recorded; false when they have not within that time.
bool gate_ear_await(gate_ear_t *ear, uint32_t frames, uint32_t milliseconds);

/// Frames recorded as yet; they stay as they are until the record begins anew.
uint32_t gate_ear_frames(const gate_ear_t *ear);
const float *gate_ear_samples(const gate_ear_t *ear);
/// Cycles that these came in.
uint32_t gate_ear_cycles(const gate_ear_t *ear);
gate_ear_cycle_t gate_ear_cycle(const gate_ear_t *ear, uint32_t index);
/// How often the server told of an xrun since the ear was opened.
uint64_t gate_ear_xruns(const gate_ear_t *ear);

#endif
