// Why a command ring is correct. One thread at a time writes, and one thread at a time reads.
//
// Phase. Each slot has a phase, which publishes the command in it: 1 in the first lap of the ring,
// 0 in the second, and so on. A new ring has 0 everywhere, and so nothing published. The consumer
// knows the lap of the command that it expects, and with it the phase.
//
// Memory order. The producer writes a command, then stores the slot's phase with release order. The
// consumer loads the phase with acquire order, then reads the command. When the consumer has
// finished with commands, it stores `read` with release order. The producer loads `read` with
// acquire order, then overwrites commands: it never overwrites one that is still being read.
//
// One bit is enough. The producer stores a phase only for a lap whose predecessor in that slot was
// released. So while the consumer expects a command, the newest phase of its slot is that of this
// lap or of the lap before, and these differ. An older one, which would look like this lap's,
// cannot be loaded: the consumer has loaded the phase of the lap before from the same slot, and no
// later load of a location returns an older store. That holds because the consumer loads the phase
// of every command, and skips none.
//
// Batches. The producer stores the phases of a batch from its last command to its first. The
// consumer reaches the first one first: before its phase is stored, the batch is invisible; once
// the consumer has loaded it, the stores of all the others happened before. So a batch is all or
// nothing for a consumer that takes everything published. The producer may discard commands by not
// publishing them: their slots keep their phase.
//
// Bounds. A consumer that releases commands only after it has taken all takes at most one lap, even
// while the producer publishes more: the next slot is the first one, whose phase cannot change
// before it is released.
//
// Counts. Both have 64 bits, belong to one side and only grow. The producer may have an old value
// of `read`, which claims too little room and never too much (ring.c explains this further).
//
// Tests/Models checks this argument as it checks ring.c.
#include "queue/command.h"

void command_ring_init(struct command_ring *ring, struct command *slots, uint64_t capacity) {
    ring->written = 0;
    ring->seen_read = 0;
    ring->write_slots = ring->read_slots = slots;
    ring->write_capacity = ring->read_capacity = capacity;
    atomic_init(&ring->read, 0);
    for (uint64_t i = 0; i < capacity; i++) {
        atomic_init(&slots[i].phase, 0);
    }
}

uint64_t command_ring_writable(struct command_ring *ring, uint64_t wanted) RCORE_RT {
    uint64_t room = ring->write_capacity - (ring->written - ring->seen_read);
    if (room < wanted) {
        ring->seen_read = atomic_load_explicit(&ring->read, memory_order_acquire);
        room = ring->write_capacity - (ring->written - ring->seen_read);
    }
    return room;
}

struct command *command_ring_write_slot(const struct command_ring *ring, uint64_t offset) RCORE_RT {
    return &ring->write_slots[(ring->written + offset) & (ring->write_capacity - 1)];
}

void command_ring_did_write(struct command_ring *ring, uint64_t count) RCORE_RT {
    // Local, because for the compiler a phase may be any byte, and so change the ring's fields.
    struct command *const slots = ring->write_slots;
    const uint64_t written = ring->written, capacity = ring->write_capacity;
    ring->written = written + count;
    for (uint64_t i = written + count; i-- != written;) {
        const uint8_t phase = command_phase(i, capacity);
        atomic_store_explicit(&slots[i & (capacity - 1)].phase, phase, memory_order_release);
    }
}

void command_ring_did_read(struct command_ring *ring, uint64_t count) RCORE_RT {
    const uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    atomic_store_explicit(&ring->read, read + count, memory_order_release);
}
