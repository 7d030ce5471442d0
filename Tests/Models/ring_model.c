// Explores the rings' index protocol: ring.c itself, between a producer and a consumer that use it
// in every way the project does. The exit code is 0 if in no reachable state
// - an item is lost, doubled, reordered, read before it was written or overwritten before it was
//   read,
// - ring_writable or ring_readable claims too much, or loads the other side's count unnecessarily,
//   or fails to load it when it must,
// - a part of a batch is readable,
// - the consumer considers the ring drained while items wait,
// - the threads can no longer reach their end.
#include "explore.h"
#include "queue/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct ring ring;
static _Atomic(bool) finished; // as in a fifo
static uint64_t capacity, largest_batch, limit;

// ---- The two sides' private fields --------------------------------------------------------------

static const uint64_t poison = UINT64_C(0x5bad5bad5bad5bad);

// Each side finds its own field as it left it, and the other side's field poisoned.
static void enter(const struct model_context *self, uint64_t *own, uint64_t *others) {
    *own = model_count(self->cached);
    *others = poison;
}

static void leave(struct model_context *self, const uint64_t *own, const uint64_t *others) {
    model_expect(*others == poison && ring.capacity == capacity, "a side writes a field that is not its own");
    self->cached = model_relative(*own);
}

// ---- Claims -------------------------------------------------------------------------------------

static const char looks_amiss[] =
    "a side looks at the other's count though it last saw enough, or does not though it did not";

static uint64_t claim_room(const struct model_context *self, uint64_t wanted) {
    const uint64_t last_saw = capacity - (model_count(self->next) - ring.seen_read);
    const unsigned looks = model_loads(&ring.read);
    const uint64_t room = ring_writable(&ring, wanted);
    model_expect((model_loads(&ring.read) > looks) == (last_saw < wanted), looks_amiss);
    model_expect(room <= capacity - (self->next - model_noted(MODEL_TAKEN)), "ring_writable claims too much");
    return room;
}

static uint64_t claim_items(const struct model_context *self, uint64_t wanted) {
    const uint64_t last_saw = ring.seen_written - model_count(self->next);
    const unsigned looks = model_loads(&ring.written);
    const uint64_t waiting = ring_readable(&ring, wanted);
    model_expect((model_loads(&ring.written) > looks) == (last_saw < wanted), looks_amiss);
    model_expect(waiting <= model_noted(MODEL_FILLED) - self->next, "ring_readable claims too much");
    model_expect(waiting == 0 || model_ends_batch(self->next + waiting - 1), "a part of a batch is readable");
    return waiting;
}

// ---- The producer -------------------------------------------------------------------------------

static void write_item(const struct model_context *self, uint64_t offset, uint64_t count) {
    model_write_item(ring_write_slot(&ring, offset), self->next + offset, offset == count - 1);
}

static void publish(const struct model_context *self, uint64_t count) {
    model_note(MODEL_FILLED, self->next + count);
    ring_did_write(&ring, count);
}

// As a fifo does: writes all items or none.
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

// As a command queue's transaction does: claims room item by item, and discards the items written
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

// As rcore_fifo_finish does.
static void finish(struct model_context *self) {
    atomic_store_explicit(&finished, true, memory_order_release);
    self->over = true;
}

static void produce(struct model_context *self) {
    enter(self, &ring.seen_read, &ring.seen_written);
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
    leave(self, &ring.seen_read, &ring.seen_written);
}

// ---- The consumer -------------------------------------------------------------------------------

static void read_items(const struct model_context *self, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t item = model_read_item(ring_read_slot(&ring, i));
        model_expect(item == self->next + i, "an item is lost, doubled or out of order");
    }
}

static void give_back(const struct model_context *self, uint64_t count) {
    model_note(MODEL_TAKEN, self->next + count);
    ring_did_read(&ring, count);
}

// As rcore_fifo_peek does: reads up to `wanted` waiting items without consuming them.
static void peek(const struct model_context *self, uint64_t wanted) {
    const uint64_t waiting = claim_items(self, wanted);
    read_items(self, waiting < wanted ? waiting : wanted);
}

// As rcore_fifo_consume does, and as the cycle takes commands: reads and releases up to `wanted`
// waiting items.
static void take(struct model_context *self, uint64_t wanted) {
    const uint64_t waiting = claim_items(self, wanted), count = waiting < wanted ? waiting : wanted;
    if (count > 0) {
        read_items(self, count);
        give_back(self, count);
        self->next += (uint8_t)count;
    }
}

// As rcore_fifo_drained does: checks the end before the count.
static void leave_if_drained(struct model_context *self) {
    if (atomic_load_explicit(&finished, memory_order_acquire) && claim_items(self, capacity) == 0) {
        model_expect(self->next == model_noted(MODEL_FILLED), "items still wait when the ring seems drained");
        self->over = true;
    }
}

static void consume(struct model_context *self) {
    enter(self, &ring.seen_written, &ring.seen_read);
    const unsigned batch = (unsigned)largest_batch, choice = model_choose(2 * batch + 2);
    if (choice == 0) {
        leave_if_drained(self);
    } else if (choice == 1) {
        take(self, capacity);
    } else if (choice < 2 + batch) {
        take(self, choice - 1);
    } else {
        peek(self, choice - 1 - batch);
    }
    leave(self, &ring.seen_written, &ring.seen_read);
}

// ---- The exploration ----------------------------------------------------------------------------

static void set_up(void) {
    ring_init(&ring, capacity);
    atomic_init(&finished, false);
}

// `laps`: the producer finishes after so many laps, or earlier; 0 means any number of laps. Counts
// that begin one lap before 2^64 wrap around on the way.
static bool explore_ring(unsigned slots, unsigned batch, unsigned laps, uint64_t first_count) {
    capacity = slots;
    largest_batch = batch;
    limit = (uint64_t)laps * slots;
    static const struct model_place places[MODEL_LOCATIONS] = {
        {"written", MODEL_PRODUCER, true}, {"read", MODEL_CONSUMER, true}, {"finished", MODEL_PRODUCER, false}};
    const struct model model = {.operations = {produce, consume},
                                .places = places,
                                .capacity = slots,
                                .first_count = first_count,
                                .shifts = laps == 0 ? 1 : 0,
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
        fprintf(stderr, "usage: ring_model [LARGEST CAPACITY]\n");
        return EXIT_FAILURE;
    }
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && sizes[i][0] <= largest; i++) {
        const unsigned slots = sizes[i][0], batch = sizes[i][1];
        if (!explore_ring(slots, batch, 0, 0) || !explore_ring(slots, batch, 0, UINT64_C(0) - slots) ||
            !explore_ring(slots, batch, 3, 0)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
