// Explores the ring of the command queues: command_ring.c itself, between a producer and a consumer
// that use it as the queues and the cycle do. The exit code is 0 if in no reachable state
// - an item is lost, doubled, reordered, read before it was written or overwritten before it was
//   read,
// - command_ring_writable claims too much, or loads the consumer's count unnecessarily, or fails to
//   load it when it must,
// - a command is readable that was not published, or only a part of a batch is,
// - the consumer takes more than a lap before it releases any,
// - the consumer considers the ring drained while items wait,
// - the threads can no longer reach their end.
#include "explore.h"
#include "queue/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct command_ring ring;
static struct command commands[MODEL_SLOTS];
// Stands for any other message to the consumer that the producer has ended.
static _Atomic(bool) finished;
static uint64_t capacity, largest_batch, limit;

// ---- Private fields -----------------------------------------------------------------------------

static const uint64_t poison = UINT64_C(0x5bad5bad5bad5bad);

// The producer finds its fields as it left them; the consumer finds them poisoned.
static void enter(const struct model_context *self, bool producer) {
    ring.written = producer ? model_count(self->next) : poison;
    ring.seen_read = producer ? model_count(self->cached) : poison;
}

static void leave(struct model_context *self, bool producer) {
    model_expect(ring.write_capacity == capacity && ring.read_capacity == capacity, "a side writes what is constant");
    if (producer) {
        model_expect(ring.written == model_count(self->next), "the producer loses count");
        self->cached = model_relative(ring.seen_read);
    } else {
        model_expect(ring.written == poison && ring.seen_read == poison, "a side writes a field that is not its own");
        self->cached = self->next; // has none, and counts must not stay behind
    }
}

static uint64_t claim_room(const struct model_context *self, uint64_t wanted) {
    const uint64_t last_saw = capacity - (ring.written - ring.seen_read);
    const unsigned looks = model_loads(&ring.read);
    const uint64_t room = command_ring_writable(&ring, wanted);
    model_expect((model_loads(&ring.read) > looks) == (last_saw < wanted),
                 "the producer looks at the consumer's count though it last saw enough, or does not though it did not");
    model_expect(room <= capacity - (self->next - model_noted(MODEL_TAKEN)), "command_ring_writable claims too much");
    return room;
}

// ---- The producer -------------------------------------------------------------------------------

static void write_item(const struct model_context *self, uint64_t offset, uint64_t count) {
    const uint64_t slot = (uint64_t)(command_ring_write_slot(&ring, offset) - commands);
    model_write_item(slot, self->next + offset, offset == count - 1);
}

static void publish(const struct model_context *self, uint64_t count) {
    model_note(MODEL_FILLED, self->next + count);
    command_ring_did_write(&ring, count);
}

// As a queue does without a transaction, if `count` is 1.
static void write_at_once(struct model_context *self, uint64_t count) {
    if (claim_room(self, count) < count) {
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        write_item(self, i, count);
    }
    publish(self, count);
    self->next += (uint8_t)count;
}

// As a transaction does: claims room item by item, and discards the items written
// if the room runs out.
static void write_staged(struct model_context *self, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (claim_room(self, i + 1) < i + 1) {
            return;
        }
        write_item(self, i, count);
    }
    publish(self, count);
    self->next += (uint8_t)count;
}

static void finish(struct model_context *self) {
    atomic_store_explicit(&finished, true, memory_order_release);
    self->over = true;
}

static void produce(struct model_context *self) {
    enter(self, true);
    const uint64_t left = limit == 0 ? capacity : capacity + limit - self->next;
    const unsigned batch = (unsigned)(left < largest_batch ? left : largest_batch);
    const unsigned choice = model_choose(batch == 0 ? 1 : 2 * batch + 1);
    if (choice == 0) {
        finish(self);
    } else if (choice == 1) {
        (void)claim_room(self, capacity);
    } else if (choice < 2 + batch) {
        write_at_once(self, choice - 1);
    } else {
        write_staged(self, choice - batch);
    }
    leave(self, true);
}

// ---- The consumer -------------------------------------------------------------------------------

// As the cycle does, which takes everything: takes up to `wanted` commands, then releases them.
// Returns how many.
static uint64_t take(struct model_context *self, uint64_t wanted) {
    uint64_t count = 0;
    const struct command *command = NULL;
    while (count < wanted && (command = command_ring_read_slot(&ring, count)) != NULL) {
        model_expect(count < capacity, "more than a lap is readable");
        const uint64_t item = model_read_item((uint64_t)(command - commands));
        model_expect(item == self->next + count, "an item is lost, doubled or out of order");
        model_expect(item < model_noted(MODEL_FILLED), "an item is readable that was not published");
        count++;
    }
    if (count > 0) {
        const bool ends = model_ends_batch(self->next + count - 1);
        model_expect(command != NULL || ends, "a part of a batch is readable");
        model_note(MODEL_TAKEN, self->next + count);
        command_ring_did_read(&ring, count);
        self->next += (uint8_t)count;
    }
    return count;
}

static void leave_if_drained(struct model_context *self) {
    if (atomic_load_explicit(&finished, memory_order_acquire) && take(self, capacity + 1) == 0) {
        model_expect(self->next == model_noted(MODEL_FILLED), "items still wait when the ring seems drained");
        self->over = true;
    }
}

static void consume(struct model_context *self) {
    enter(self, false);
    const unsigned choice = model_choose((unsigned)largest_batch + 2);
    if (choice == 0) {
        leave_if_drained(self);
    } else {
        take(self, choice == 1 ? capacity + 1 : choice - 1);
    }
    leave(self, false);
}

// ---- The exploration ----------------------------------------------------------------------------

static void set_up(void) {
    command_ring_init(&ring, commands, capacity);
    atomic_init(&finished, false);
}

// `laps`: the producer finishes after so many laps, or earlier; 0 means any number of laps. Counts
// that begin two laps before 2^64 wrap around on the way.
static bool explore_ring(unsigned slots, unsigned batch, unsigned laps, uint64_t first_count) {
    capacity = slots;
    largest_batch = batch;
    limit = (uint64_t)laps * slots;
    // As many phases as the ring has slots, then the flag.
    struct model_place places[MODEL_LOCATIONS] = {{"read", MODEL_CONSUMER, true}};
    for (unsigned i = 1; i < MODEL_LOCATIONS; i++) {
        places[i] = (struct model_place){i <= slots ? "a phase" : "finished", MODEL_PRODUCER, false};
    }
    const struct model model = {.operations = {produce, consume},
                                .places = places,
                                .capacity = slots,
                                .first_count = first_count,
                                .shifts = laps == 0 ? 2 : 0, // phases repeat after two laps
                                .set_up = set_up};
    struct exploration exploration;
    const clock_t begin = clock();
    const bool sound = explore(&model, &exploration);
    printf("capacity %u, batches up to %u, ", slots, batch);
    if (laps == 0) {
        printf("any number of laps");
    } else {
        printf("%u laps", laps);
    }
    printf(", counts from %s%u: %u states, %llu steps, %u ends, %.1f s\n", first_count == 0 ? "" : "2^64 - ",
           (unsigned)(UINT64_C(0) - first_count), exploration.states, (unsigned long long)exploration.steps,
           exploration.ends, (double)(clock() - begin) / CLOCKS_PER_SEC);
    return sound;
}

// An argument limits the capacities.
int main(int argc, char **argv) {
    static const unsigned sizes[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
    const unsigned long largest = argc == 2 ? strtoul(argv[1], NULL, 10) : 4;
    if (argc > 2 || largest < 1) {
        fprintf(stderr, "usage: command_ring_model [LARGEST CAPACITY]\n");
        return EXIT_FAILURE;
    }
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && sizes[i][0] <= largest; i++) {
        const unsigned slots = sizes[i][0], batch = sizes[i][1];
        if (!explore_ring(slots, batch, 0, 0) || !explore_ring(slots, batch, 0, UINT64_C(0) - 2 * slots) ||
            !explore_ring(slots, batch, 3, 0)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
