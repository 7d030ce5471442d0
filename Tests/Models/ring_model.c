// Explores the rings' index protocol: ring.c itself, between a producer and a consumer that use it in every way the project
// does. Exit code 0 says that in none of the states that can be reached
// - an item is lost, doubled, reordered, read before it was written or overwritten before it was read,
// - ring_writable or ring_readable claims too much, or looks at the other side when it need not, or not when it must,
// - a part of a group can be read,
// - the consumer takes the ring for drained while items wait,
// - the two cannot come to their end any more.
#include "explore.h"
#include "ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct ring ring;
static _Atomic(bool) finished; // as a fifo's
static uint64_t capacity, largest_group, limit;

// ---- The two sides' private fields -------------------------------------------------------------------------------------------

static const uint64_t poison = UINT64_C(0x5bad5bad5bad5bad);

// Each side finds its own field as it left it, and the other's poisoned.
static void enter(const struct model_context *self, uint64_t *own, uint64_t *others) {
    *own = model_count(self->cached);
    *others = poison;
}

static void leave(struct model_context *self, const uint64_t *own, const uint64_t *others) {
    model_expect(*others == poison && ring.capacity == capacity, "a side writes a field that is not its own");
    self->cached = model_relative(*own);
}

// ---- Claims ------------------------------------------------------------------------------------------------------------------

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
    model_expect(waiting == 0 || model_ends_group(self->next + waiting - 1), "a part of a group is readable");
    return waiting;
}

// ---- The producer ------------------------------------------------------------------------------------------------------------

static void write_item(const struct model_context *self, uint64_t offset, uint64_t count) {
    model_write_item(ring_write_slot(&ring, offset), self->next + offset, offset == count - 1);
}

static void publish(const struct model_context *self, uint64_t count) {
    model_note(MODEL_FILLED, self->next + count);
    ring_did_write(&ring, count);
}

// As a fifo: with room for all, or not at all.
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

// As a command port's group: room is asked for item by item, and what was written before there was none left is given up.
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

// As rcore_fifo_finish.
static void finish(struct model_context *self) {
    atomic_store_explicit(&finished, true, memory_order_release);
    self->over = true;
}

static void produce(struct model_context *self) {
    enter(self, &ring.seen_read, &ring.seen_written);
    const uint64_t left = limit == 0 ? capacity : capacity + limit - self->next;
    const unsigned group = (unsigned)(left < largest_group ? left : largest_group);
    const unsigned choice = model_choose(group == 0 ? 1 : 2 * group + 1);
    if (choice == 0) {
        finish(self);
    } else if (choice == 1) {
        (void)claim_room(self, capacity);
    } else if (choice < 2 + group) {
        write_at_once(self, choice - 1);
    } else {
        write_staged(self, choice - group);
    }
    leave(self, &ring.seen_read, &ring.seen_written);
}

// ---- The consumer ------------------------------------------------------------------------------------------------------------

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

// As rcore_fifo_peek: looks at what waits, up to `wanted` items.
static void peek(const struct model_context *self, uint64_t wanted) {
    const uint64_t waiting = claim_items(self, wanted);
    read_items(self, waiting < wanted ? waiting : wanted);
}

// As rcore_fifo_consume, and as the cycle takes commands: reads and gives back what waits, up to `wanted` items.
static void take(struct model_context *self, uint64_t wanted) {
    const uint64_t waiting = claim_items(self, wanted), count = waiting < wanted ? waiting : wanted;
    if (count > 0) {
        read_items(self, count);
        give_back(self, count);
        self->next += (uint8_t)count;
    }
}

// As rcore_fifo_drained: the end first, then the count.
static void leave_if_drained(struct model_context *self) {
    if (atomic_load_explicit(&finished, memory_order_acquire) && claim_items(self, capacity) == 0) {
        model_expect(self->next == model_noted(MODEL_FILLED), "items still wait when the ring seems drained");
        self->over = true;
    }
}

static void consume(struct model_context *self) {
    enter(self, &ring.seen_written, &ring.seen_read);
    const unsigned group = (unsigned)largest_group, choice = model_choose(2 * group + 2);
    if (choice == 0) {
        leave_if_drained(self);
    } else if (choice == 1) {
        take(self, capacity);
    } else if (choice < 2 + group) {
        take(self, choice - 1);
    } else {
        peek(self, choice - 1 - group);
    }
    leave(self, &ring.seen_written, &ring.seen_read);
}

// ---- What is explored --------------------------------------------------------------------------------------------------------

static void set_up(void) {
    ring_init(&ring, capacity);
    atomic_init(&finished, false);
}

// `laps`: after so many the producer finishes, or before; 0: it goes on as long as it likes. Counts that begin one lap before
// 2^64 pass it on the way.
static bool explore_ring(unsigned slots, unsigned group, unsigned laps, uint64_t first_count) {
    capacity = slots;
    largest_group = group;
    limit = (uint64_t)laps * slots;
    const struct model model = {.operations = {produce, consume},
                                .capacity = slots,
                                .first_count = first_count,
                                .shifts = laps == 0,
                                .set_up = set_up};
    struct exploration exploration;
    const clock_t begin = clock();
    const bool sound = explore(&model, &exploration);
    printf("capacity %u, groups up to %u, ", slots, group);
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

int main(void) {
    static const unsigned sizes[][2] = {{1, 1}, {2, 1}, {2, 2}, {4, 1}, {4, 2}, {4, 4}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const unsigned slots = sizes[i][0], group = sizes[i][1];
        if (!explore_ring(slots, group, 0, 0) || !explore_ring(slots, group, 0, UINT64_C(0) - slots) ||
            !explore_ring(slots, group, 3, 0)) {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
