/// Commands, and the ring in which a queue carries them: one producer, one consumer, and a capacity
/// that is a power of two. Each command has the mark that publishes it in its own cache line, so
/// one line moves from core to core per command. command_ring.c explains the memory order.
#ifndef RCORE_COMMAND_H
#define RCORE_COMMAND_H

#include "render_core.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>

enum command_kind {
    COMMAND_START,
    COMMAND_STOP,
    COMMAND_STOP_ALL,
    COMMAND_PAUSE,
    COMMAND_RESUME,
    COMMAND_SEEK,
    COMMAND_LEAVE_LOOP,
    COMMAND_GAIN,
    COMMAND_PAN,
    COMMAND_SPEED,
    COMMAND_BUS_GAIN,
    COMMAND_BUS_PAN,
    COMMAND_BUS_MUTE,
    COMMAND_BUS_SOLO,
    COMMAND_SEND_LEVEL,
    COMMAND_INPUT_GAIN,
    COMMAND_PLAN,
    COMMAND_MIDI,
    COMMAND_TRANSPORT_START,
    COMMAND_TRANSPORT_STOP,
    COMMAND_TRANSPORT_LOCATE,
    COMMAND_TRANSPORT_SOURCE,
    COMMAND_TRANSPORT_RENEW,
    /// For the voices of notes, applied by the cycle itself: begins the release of the envelope, in
    /// `ramp_frames`, and of the filter; moves the cutoff frequency, in octaves above 1 Hz.
    COMMAND_RELEASE,
    COMMAND_CUTOFF,
};

/// The `queue` of a command that the cycle itself has scheduled or applies.
enum { NO_QUEUE = UINT8_MAX };

/// In `curve`: the curve ends at a beat, instead of after `ramp_frames`.
enum { CURVE_TO_BEAT = 0x80 };

/// A command, of fixed size: two fill a cache line. The voice itself carries the parameters of a
/// start.
struct command {
    /// RCORE_NOW, a frame, or a beat (transport/transport.h).
    uint64_t when;
    /// What the command is for.
    union {
        rcore_voice_t voice;
        rcore_plan_t *plan;
        /// Slot of a bus, send or input; target of a MIDI message.
        uint32_t slot;
    };
    union {
        /// Serial of a plan.
        uint64_t serial;
        /// Target of a seek. Of a COMMAND_TRANSPORT_LOCATE: the beat, as a fixed-point number. Of a
        /// COMMAND_TRANSPORT_SOURCE: an rcore_transport_source_t.
        uint64_t frame;
        struct {
            /// Gain, pan, speed or level. Mute and solo: whether it is not 0.
            float value;
            /// Upper half of the beat at which a curve ends (`command_until`).
            uint32_t until_high;
        };
        /// A MIDI message, of `midi_size` bytes.
        uint8_t midi[RCORE_MIDI_BYTES];
    };
    union {
        uint32_t ramp_frames;
        uint32_t midi_size;
        /// Lower half of the beat at which a curve ends.
        uint32_t until_low;
    };
    /// enum command_kind
    uint8_t kind;
    /// Index of the queue that posted it.
    uint8_t queue;
    /// rcore_curve_t of a ramp, and CURVE_TO_BEAT if it ends at a beat. Unless it is
    /// RCORE_CURVE_LINEAR, it counts toward the core's `max_curves`.
    uint8_t curve;
    /// In a ring: which laps the command in this slot is published for (command_ring.c).
    _Atomic(uint8_t) phase;
};
static_assert(sizeof(struct command) == 32, "no command lies in two cache lines");

/// Returns the time, a beat, at which the command's curve ends; 0: it has none.
static inline uint64_t command_until(const struct command *command) RCORE_RT {
    const uint64_t until = (uint64_t)command->until_high << 32 | command->until_low;
    return (command->curve & CURVE_TO_BEAT) != 0 ? until : 0;
}

/// Each side owns a cache line, which has its own count of commands and copies of what never
/// changes. A consumer that finds nothing reads its line and that of one command.
struct command_ring {
    /// Number of commands ever published. [producer]
    alignas(64) uint64_t written;
    /// The last value that the producer loaded of `read`. [producer]
    uint64_t seen_read;
    /// The commands and the capacity, for the producer.
    struct command *write_slots;
    uint64_t write_capacity;
    /// Number of commands ever released.
    alignas(64) _Atomic(uint64_t) read;
    /// The commands and the capacity, for the consumer.
    struct command *read_slots;
    uint64_t read_capacity;
};

/// Sets up an empty ring. `slots` has room for `capacity` commands, a power of two, and is aligned
/// to a cache line. [control]
void command_ring_init(struct command_ring *ring, struct command *slots, uint64_t capacity);
/// Returns the number of commands that can be written. Loads the consumer's count only if the last
/// value leaves fewer than `wanted`. [producer]
uint64_t command_ring_writable(struct command_ring *ring, uint64_t wanted) RCORE_RT;
/// Returns the slot of the command `offset` after the last published one. The caller has found it
/// writable, and writes everything but `phase`. [producer]
struct command *command_ring_write_slot(const struct command_ring *ring, uint64_t offset) RCORE_RT;
/// Publishes `count` written commands, all or nothing. [producer]
void command_ring_did_write(struct command_ring *ring, uint64_t count) RCORE_RT;
/// Releases `count` commands: the producer may overwrite them. [consumer]
void command_ring_did_read(struct command_ring *ring, uint64_t count) RCORE_RT;

/// Returns the phase that publishes the command with this count.
static inline uint8_t command_phase(uint64_t count, uint64_t capacity) RCORE_RT {
    return (count & capacity) == 0 ? 1 : 0;
}

/// Returns the command `offset` after the last released one, or NULL if it is not published. The
/// caller has found all before it published. It may read the command until it releases it.
/// [consumer] Inline, because each cycle calls it for each queue.
static inline const struct command *command_ring_read_slot(const struct command_ring *ring, uint64_t offset) RCORE_RT {
    const uint64_t next = atomic_load_explicit(&ring->read, memory_order_relaxed) + offset;
    const struct command *slot = &ring->read_slots[next & (ring->read_capacity - 1)];
    const uint8_t phase = command_phase(next, ring->read_capacity);
    return atomic_load_explicit(&slot->phase, memory_order_acquire) == phase ? slot : NULL;
}

#endif
