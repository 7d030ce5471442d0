/// MIDI in the cycle: inputs, routing, outputs.
#ifndef RCORE_MIDI_INTERNAL_H
#define RCORE_MIDI_INTERNAL_H

#include "queue/ring.h"
#include "rcore_midi.h"

#include <stdatomic.h>

/// Splits the bytes of a port into messages.
struct midi_parser {
    /// The last channel status, for running status; 0: none.
    uint8_t running_status;
    /// The message that is being received: its bytes so far, and how many it will have (0: none).
    uint8_t bytes[3];
    uint8_t count;
    uint8_t expected;
    /// Within a system-exclusive message.
    bool in_exclusive;
};

struct rcore_midi_input {
    struct ring ring;
    /// NULL: records nothing.
    rcore_midi_message_t *items;
    _Atomic(uint64_t) dropped;
    _Atomic(bool) is_recording;
    // [render]
    struct midi_parser parser;
    /// A segment of the current system-exclusive message was not recorded, so the rest is not
    /// either.
    bool skips_exclusive;
};

struct rcore_midi_output {
    uint8_t *bytes;
    uint32_t capacity;
    uint32_t used;
    rcore_midi_event_t *events;
    uint32_t event_capacity;
    uint32_t count;
    _Atomic(uint64_t) dropped;
    /// Slot of the bus whose session it belongs to, or RCORE_NONE.
    uint32_t bus;
    bool is_suspended;
    /// The next cycle that has frames ends all notes.
    bool must_silence;
    /// A system-exclusive message has not ended.
    bool in_exclusive;
    /// The rest of the current system-exclusive message is dropped: a segment found no room.
    bool skips_exclusive;
    /// Index of the event that the open system-exclusive message is in this cycle; RCORE_NONE:
    /// none.
    uint32_t exclusive_event;
    /// Mask of the channels on which it has sent messages since the last silence.
    uint32_t used_channels;
};

struct midi_target {
    uint32_t id;
    /// At most one of them is set; none: the transport.
    rcore_instrument_t *instrument;
    rcore_midi_output_t *output;
};

struct midi_connection {
    uint32_t port;
    /// Index in `targets`.
    uint32_t target;
    uint32_t channels;
};

struct rcore_midi_routing {
    /// Assigned when it is posted, from 1.
    uint64_t serial;
    /// [control] The next older posted routing.
    struct rcore_midi_routing *next;
    rcore_midi_input_t *inputs[RCORE_MAX_MIDI_PORTS];
    rcore_midi_output_t *outputs[RCORE_MAX_MIDI_PORTS];
    struct midi_target targets[RCORE_MAX_MIDI_TARGETS + 1];
    uint32_t target_count;
    /// Grouped by port: those of port p are from `first_connection[p]` up to that of p + 1.
    struct midi_connection connections[RCORE_MAX_MIDI_CONNECTIONS];
    uint32_t first_connection[RCORE_MAX_MIDI_PORTS + 1];
};

struct midi_state {
    /// The routing that was posted last; NULL: none yet.
    _Atomic(const rcore_midi_routing_t *) newest;
    /// The routing that the cycle uses; NULL: none yet. [render]
    const rcore_midi_routing_t *routing;
    /// The next cycle ends the notes of the instruments that have inputs, or silences all outputs.
    _Atomic(bool) ends_notes;
    _Atomic(bool) silences_outputs;
    /// An instrument has a channel whose notes must follow its controllers. [render]
    bool has_changes;
    /// Frame of `rcore_time` at which the current cycle began. [render]
    uint64_t cycle_begin;
    /// The current cycle has frames, so that outputs can be written. [render]
    bool has_frames;
    /// The cycle no longer uses routings with lower serials.
    _Atomic(uint64_t) retired_serial;
    /// Newest first. [control]
    rcore_midi_routing_t *posted;
    uint64_t posted_serial;
};

/// Begins a cycle: empties the outputs, silences those whose session is suspended, and adapts
/// instruments to the core's sample rate. After `gates_read`. [render]
void midi_begin(rcore_t *core, uint32_t nframes) RCORE_RT;
/// Lets the notes of all instruments follow the controllers that have changed, once for each frame.
/// [render]
void midi_apply_changes(rcore_t *core) RCORE_RT;
/// Gives a message to a target of the current routing, now; ignores an unknown target. Returns
/// whether it begins a new pass of the transport. [render]
bool midi_deliver(rcore_t *core, uint32_t target, const uint8_t *bytes, uint32_t size) RCORE_RT;
/// Uses the routing that was posted last, from now on, and returns it; NULL: none. [render]
const rcore_midi_routing_t *midi_update_routing(rcore_t *core) RCORE_RT;

/// Empties an output. [render]
void midi_output_reset(rcore_midi_output_t *output) RCORE_RT;
/// Empties an output for the next cycle, and silences it if it must be. [render]
void midi_output_begin(rcore_t *core, rcore_midi_output_t *output) RCORE_RT;
/// Writes a message, or a segment, to an output at the current frame. [render]
void midi_output_write(rcore_t *core, rcore_midi_output_t *output, const uint8_t *bytes, uint32_t size) RCORE_RT;

/// Returns the number of bytes of a message with this status byte, 1…3; 0 for system-exclusive
/// (0xF0) and undefined ones, and for data bytes.
static inline uint32_t midi_message_size(uint8_t status) RCORE_RT {
    switch (status < 0xF0 ? status & 0xF0 : status) {
    case 0x80: // note-off
    case 0x90: // note-on
    case 0xA0: // key pressure
    case 0xB0: // control change
    case 0xE0: // pitch bend
    case 0xF2: // song position
        return 3;
    case 0xC0: // program change
    case 0xD0: // channel pressure
    case 0xF1: // quarter frame of time code
    case 0xF3: // song select
        return 2;
    case 0xF6: // tune request
    case 0xF8: // clock
    case 0xFA: // start
    case 0xFB: // continue
    case 0xFC: // stop
    case 0xFE: // active sensing
    case 0xFF: // reset
        return 1;
    default:
        return 0;
    }
}

/// Frees every routing that is posted. [control & !active]
void midi_destroy(rcore_t *core);

#endif
