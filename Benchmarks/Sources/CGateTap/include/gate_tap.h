/// A receiver for measurements of gates (the arbiter's control pages): a minimal JACK client that
/// records its input, and for each cycle the frame and the time at which it began.
///
/// Calls belong on one thread. The cycle neither locks nor allocates.
#ifndef GATE_TAP_H
#define GATE_TAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gate_tap gate_tap_t;

/// A recorded cycle. Times are in nanoseconds of CLOCK_MONOTONIC.
typedef struct gate_tap_cycle {
    /// When the server began the cycle, with a resolution of one frame: not later than the call of
    /// this process, or of the one before it in the graph.
    uint64_t begun_ns;
    /// When this client was called for the cycle.
    uint64_t heard_ns;
    /// The server's number of its first frame.
    uint32_t frame;
    uint32_t nframes;
    /// The position of its first sample in the recording.
    uint32_t position;
} gate_tap_cycle_t;

/// Opens a client with the port `in_1` and room for `capacity` frames, and activates it. Returns
/// NULL if no server runs or if it refuses.
gate_tap_t *gate_tap_open(const char *server, const char *name, uint32_t capacity);
bool gate_tap_connect(gate_tap_t *tap, const char *port);
/// Closes the client. Its server must be running.
void gate_tap_close(gate_tap_t *tap);

/// Discards the recording, and starts a new one with the next cycle that lasts until the room is
/// used up. Returns false if no cycle comes within the timeout.
bool gate_tap_begin(gate_tap_t *tap, uint32_t milliseconds);
/// Waits until that many frames have been recorded. Returns false after the timeout.
bool gate_tap_await(gate_tap_t *tap, uint32_t frames, uint32_t milliseconds);

/// Returns the number of frames recorded so far. They do not change until the next recording
/// begins.
uint32_t gate_tap_frames(const gate_tap_t *tap);
const float *gate_tap_samples(const gate_tap_t *tap);
/// Returns the number of recorded cycles.
uint32_t gate_tap_cycles(const gate_tap_t *tap);
gate_tap_cycle_t gate_tap_cycle(const gate_tap_t *tap, uint32_t index);
/// Returns how often the server has reported an xrun since the client was opened.
uint64_t gate_tap_xruns(const gate_tap_t *tap);

#endif
