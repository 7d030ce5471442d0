/// MIDI: messages into the cycle, through instruments, and out of it, on their exact frames.
///
/// The driver passes the bytes of its MIDI input ports to the core before each cycle
/// (`rcore_midi_receive`). The core splits them into messages, gives each message to the targets
/// that the input is connected to, on its frame, and records it for a control thread
/// (`rcore_midi_input_next`). A target is an instrument (rcore_instrument.h), or an output, whose
/// messages the driver writes to a MIDI port after the cycle, or the transport, which can follow a
/// MIDI clock (rcore_transport.h). Threads that post commands send
/// messages to targets as well (`rcore_post_midi`).
///
/// A routing says which ports, targets and connections there are. Like a plan, it is immutable once
/// it is posted. A connection that is added or removed applies from the next message on. An
/// instrument that a new routing lacks is silenced, and one that loses a connection ends all its
/// notes, because the messages that would end them are missed.
///
/// Messages have MIDI 1.0 format: a status byte and its data bytes. A system-exclusive message of
/// more than RCORE_MIDI_BYTES bytes is passed on in segments: the first begins with 0xF0, the last
/// ends with 0xF7, and real-time messages (0xF8…0xFF) may lie between them.
#ifndef RCORE_MIDI_H
#define RCORE_MIDI_H

#include "rcore_base.h"
#include "rcore_instrument.h"
#include "rcore_queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Highest number of MIDI input ports, and of MIDI output ports.
#define RCORE_MAX_MIDI_PORTS 16u
/// Highest number of instruments and outputs of a routing, and of its connections.
#define RCORE_MAX_MIDI_TARGETS 64u
#define RCORE_MAX_MIDI_CONNECTIONS 256u
/// Highest number of bytes of a message, or of a segment of a system-exclusive message.
#define RCORE_MIDI_BYTES 6u
/// Highest number of messages from inputs to targets in one cycle; further ones are dropped and
/// counted (`rcore_counters_t`).
#define RCORE_MAX_MIDI_EVENTS 8192u
/// All channels, in a mask of which bit n is MIDI channel n (0…15).
#define RCORE_MIDI_ALL_CHANNELS 0xFFFFu

/// A message, or a segment of a system-exclusive one, and its time.
typedef struct rcore_midi_message {
    /// Frame of `rcore_time`.
    uint64_t frame;
    /// Number of bytes, 1…RCORE_MIDI_BYTES.
    uint8_t size;
    uint8_t bytes[RCORE_MIDI_BYTES];
} rcore_midi_message_t;

// ---- Inputs

typedef struct rcore_midi_input rcore_midi_input_t;

/// Creates an input that records up to `capacity` messages until they are read (0…2^20, rounded up
/// to a power of two; 0: records none). [control] Returns NULL with RCORE_BAD_ARGUMENT or
/// RCORE_NO_MEMORY; `status` may be NULL. The caller owns the input, and keeps it until no routing
/// that has it is left.
rcore_midi_input_t *rcore_midi_input_create(uint32_t capacity, rcore_status_t *status);
/// Frees an input; NULL does nothing. [control]
void rcore_midi_input_destroy(rcore_midi_input_t *input);
/// Reads the oldest recorded message. [consumer] Returns false when there is none. The cycle that
/// records a message wakes `rcore_wait`.
bool rcore_midi_input_next(rcore_midi_input_t *input, rcore_midi_message_t *message) RCORE_RT;
/// Sets whether the input records messages; it does from its creation on. [any] Without a reader,
/// recording wakes `rcore_wait` for nothing.
void rcore_midi_input_record(rcore_midi_input_t *input, bool records) RCORE_RT;
/// Returns the number of messages that were not recorded because `capacity` was used up. [any] The
/// rest of a system-exclusive message of which one segment was lost is not recorded either, and
/// counts as one.
uint64_t rcore_midi_input_dropped(const rcore_midi_input_t *input) RCORE_RT;

/// Passes bytes that a MIDI port received to the core, before the cycle in which they arrived.
/// [render] `port`: the port's number in the routing; without such a port, the bytes are ignored.
/// `offset`: the frame of that cycle, not before the one of the last call for the port. `bytes`:
/// one message, a part of one, or several; they may use running status. Data bytes without a status
/// and the statuses 0xF4, 0xF5, 0xF9 and 0xFD are ignored; a message that another status interrupts
/// is dropped. Cost: linear in `size` × the connections of the port.
void rcore_midi_receive(rcore_t *core, uint32_t port, uint32_t offset, const uint8_t *bytes, size_t size) RCORE_RT;

/// Ends all notes of the instruments that an input is connected to, with a short fade, at the start
/// of the next cycle. [any] Call it when the driver stops calling cycles: the messages that would
/// end the notes may be missed. Controllers keep their values, except pedals, which are lifted.
void rcore_end_received_notes(rcore_t *core) RCORE_RT;

// ---- Outputs

typedef struct rcore_midi_output rcore_midi_output_t;

/// Creates an output. [control] `capacity`: bytes per cycle, 64…2^20; messages beyond it are
/// dropped and counted. `bus`: slot of a bus whose session the output belongs to, or RCORE_NONE.
/// When that session is suspended, the output sends "all sound off", "all notes off" and "reset all
/// controllers" on the channels that it has used, and then drops channel messages until the session
/// resumes (keeps INT-1 for sound that other programs make). Returns NULL with RCORE_BAD_ARGUMENT
/// or RCORE_NO_MEMORY; `status` may be NULL. The caller owns the output, and keeps it until no
/// routing that has it is left.
rcore_midi_output_t *rcore_midi_output_create(uint32_t capacity, uint32_t bus, rcore_status_t *status);
/// Frees an output; NULL does nothing. [control]
void rcore_midi_output_destroy(rcore_midi_output_t *output);
/// Returns the number of messages that were dropped because a cycle's capacity was used up, because
/// their beginning was missing or ended by another message, or as the driver says
/// (`rcore_midi_count_dropped`). [any]
uint64_t rcore_midi_output_dropped(const rcore_midi_output_t *output) RCORE_RT;

/// What the driver writes to a port: a complete message, or, if a system-exclusive message was
/// posted over several cycles, a part of one.
typedef struct rcore_midi_event {
    /// Frame of the last cycle.
    uint32_t offset;
    uint32_t size;
    const uint8_t *bytes;
} rcore_midi_event_t;

/// Returns the number of events that the last cycle wrote to an output port, in the order of their
/// frames; 0 for a port that the routing does not have. [render]
uint32_t rcore_midi_event_count(const rcore_t *core, uint32_t port) RCORE_RT;
/// Returns an event; `index` is below `rcore_midi_event_count`. Its bytes are valid until the next
/// cycle. [render]
rcore_midi_event_t rcore_midi_event_at(const rcore_t *core, uint32_t port, uint32_t index) RCORE_RT;

/// Counts events that the driver could not write to the port. [render]
void rcore_midi_count_dropped(rcore_t *core, uint32_t port, uint32_t count) RCORE_RT;

/// Ends all notes that the outputs have begun, in the next cycle: call it before the driver stops
/// calling cycles, and wait for that cycle. [any] Sends what an output sends when its session is
/// suspended.
void rcore_silence_midi_outputs(rcore_t *core) RCORE_RT;

// ---- Routings

typedef struct rcore_midi_routing rcore_midi_routing_t;

/// Creates an empty routing. [control] Returns NULL if memory cannot be allocated. The caller owns
/// the routing until it is posted.
rcore_midi_routing_t *rcore_midi_routing_create(void);
/// Frees a routing that was not posted; NULL does nothing. [control]
void rcore_midi_routing_destroy(rcore_midi_routing_t *routing);
/// Adds an input at a port, 0…RCORE_MAX_MIDI_PORTS-1. [control] RCORE_BAD_ARGUMENT: the port has an
/// input.
rcore_status_t rcore_midi_routing_add_input(rcore_midi_routing_t *routing, uint32_t port, rcore_midi_input_t *input);
/// Adds an output at a port, as a target. [control] `target` identifies it: a number that no other
/// target had since the core was created, so that a message that is still pending never reaches
/// another one. RCORE_BAD_ARGUMENT: the port has an output, the number is taken, or the routing is
/// full.
rcore_status_t rcore_midi_routing_add_output(rcore_midi_routing_t *routing, uint32_t target, uint32_t port,
                                             rcore_midi_output_t *output);
/// Adds an instrument as a target. [control] RCORE_BAD_ARGUMENT: the number is taken, the routing
/// has the instrument, or it is full.
rcore_status_t rcore_midi_routing_add_instrument(rcore_midi_routing_t *routing, uint32_t target,
                                                 rcore_instrument_t *instrument);
/// Adds the transport as a target. [control] It handles clock, start, continue, stop and song
/// position while its source is RCORE_TRANSPORT_MIDI_CLOCK, and ignores all other messages.
/// RCORE_BAD_ARGUMENT: the number is taken, or the routing has the transport.
rcore_status_t rcore_midi_routing_add_transport(rcore_midi_routing_t *routing, uint32_t target);
/// Connects an input to a target: messages of the channels in the mask, and all messages without a
/// channel. [control] RCORE_BAD_ARGUMENT: the routing does not have the port or the target, or is
/// full.
rcore_status_t rcore_midi_routing_connect(rcore_midi_routing_t *routing, uint32_t port, uint32_t target,
                                          uint32_t channels);

/// Replaces the routing, from the next cycle on: also for messages that `rcore_midi_receive` passes
/// before it, and for all that are posted after this call. [control] With RCORE_OK, the core owns
/// the routing. RCORE_BAD_ARGUMENT: it is NULL or already posted.
rcore_status_t rcore_post_midi_routing(rcore_t *core, rcore_midi_routing_t *routing);
/// Frees the routings that are no longer in use. [control] Returns the number of posted routings
/// that are left. Once it is at most 1, the caller may free what only older ones have.
uint32_t rcore_collect_midi_routings(rcore_t *core);

/// Sends a message, or a segment of a system-exclusive one, to a target on the frame `when`.
/// [producer] RCORE_BAD_ARGUMENT: `size` is not 1…RCORE_MIDI_BYTES. RCORE_FULL. A target that the
/// routing does not have ignores it. To send a system-exclusive message, post its segments in one
/// transaction. An output ignores messages while the driver runs no cycles.
rcore_status_t rcore_post_midi(rcore_queue_t *queue, uint32_t target, const uint8_t *bytes, uint32_t size,
                               uint64_t when) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
