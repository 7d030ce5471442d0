/// What the server says of its transport, as the core expects it: jackd and PipeWire say it in
/// different ways.
#ifndef RCORE_JACK_TRANSPORT_READING_H
#define RCORE_JACK_TRANSPORT_READING_H

#include "rcore_transport.h"

#include <jack/types.h>

/// One cycle of the server.
struct transport_cycle {
    jack_transport_state_t state;
    jack_position_t position;
    uint32_t nframes;
    /// The server's frame time at which the cycle begins.
    uint32_t time;
    uint32_t sample_rate;
    bool is_pipewire;
};

/// The last cycle that was read.
struct transport_reading {
    /// A cycle has been read.
    bool is_valid;
    bool is_rolling;
    uint32_t nframes;
    uint32_t time;
    /// The frame as the server said it, and its beats.
    uint32_t server_frame;
    int32_t bar;
    int32_t beat;
    int32_t tick;
    double tick_double;
    /// What is added to the server's frame until its transport rolls.
    uint32_t held_frames;
    /// The first cycle after a jump was held back.
    bool is_held_back;
    rcore_server_transport_t report;
};

/// Reads a cycle, and sets `reading->report`. [render]
void transport_read(struct transport_reading *reading, const struct transport_cycle *cycle) RCORE_RT;
/// Returns the frame that the core knows for a frame of the server's transport. [render]
uint32_t transport_core_frame(const struct transport_reading *reading, uint32_t server_frame) RCORE_RT;
/// Sets the beats of a position from those of `transport`, which are at `distance` frames before
/// the position's frame (0 or 1). [render]
void transport_write_beats(jack_position_t *position, const rcore_server_transport_t *transport, uint32_t distance,
                           bool is_pipewire) RCORE_RT;

#endif
