// Two threads on two cores. The partner waits for an order, carries it out and reports it. Both
// poll memory, never the clock.
//
// For affinities, which C17 alone does not declare.
#define _GNU_SOURCE
#include "capacity.h"

// The ring of the core's command queues, measured as it is. It is not part of the core's interface.
#include "../../../Sources/CRenderCore/queue/command.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    // As many as a queue has by default.
    ring_items = 1024,
    bare_ring_items = 1 << 16,
    targets = 256,
};

/// The reader of a bare ring stores `value` in `target`.
struct item {
    uint32_t target;
    float value;
    uint64_t rest[3];
};
static_assert(sizeof(struct item) == sizeof(struct command), "as large as a command");

/// All ways from one core to the other.
struct direction {
    struct command_ring ring;
    alignas(64) struct command commands[ring_items];
    // The bare ring.
    alignas(64) _Atomic(uint64_t) written;
    alignas(64) _Atomic(uint64_t) read;
    alignas(64) struct item items[bare_ring_items];
    // An item that fits in a cache line together with its number can be handed over at once.
    alignas(64) _Atomic(uint64_t) number;
    struct item line;
};

enum order { ORDER_NONE, ORDER_ECHO, ORDER_POST, ORDER_FILL, ORDER_END };

struct capacity_pair {
    struct direction there, back;
    /// The values that the reader of a bare ring stores.
    float stored[targets];
    pthread_t partner;
    cpu_set_t before;
    // The order: its data is written before `order` is stored with release. It is done when `order`
    // is ORDER_NONE again.
    alignas(64) _Atomic(int) order;
    capacity_way_t way;
    uint32_t count;
    float value;
    const capacity_gains_t *gains;
    bool fits;
};

static void rest(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- One item -----------------------------------------------------------------------------------

// Compiled for each way: a bound must not choose its way for each item.
#define FOR_EACH_WAY static inline __attribute__((always_inline))

FOR_EACH_WAY void put(struct direction *to, capacity_way_t way, uint64_t number, const struct item *item) {
    if (way == CAPACITY_RINGS) {
        while (command_ring_writable(&to->ring, 1) < 1) {
        }
        struct command *command = command_ring_write_slot(&to->ring, 0);
        command->when = item->rest[0];
        command->voice = item->rest[1];
        command->frame = item->rest[2];
        command->ramp_frames = item->target;
        command->kind = command->queue = command->curve = 1;
        command_ring_did_write(&to->ring, 1);
    } else if (way == CAPACITY_BARE_RINGS) {
        const uint64_t written = atomic_load_explicit(&to->written, memory_order_relaxed);
        to->items[written % bare_ring_items] = *item;
        atomic_store_explicit(&to->written, written + 1, memory_order_release);
    } else {
        to->line = *item;
        atomic_store_explicit(&to->number, number, memory_order_release);
    }
}

FOR_EACH_WAY struct item take(struct direction *from, capacity_way_t way, uint64_t number) {
    struct item item;
    if (way == CAPACITY_RINGS) {
        const struct command *command;
        while ((command = command_ring_read_slot(&from->ring, 0)) == NULL) {
        }
        item = (struct item){command->ramp_frames, 0.0f, {command->when, command->voice, command->frame}};
        command_ring_did_read(&from->ring, 1);
    } else if (way == CAPACITY_BARE_RINGS) {
        const uint64_t read = atomic_load_explicit(&from->read, memory_order_relaxed);
        while (atomic_load_explicit(&from->written, memory_order_acquire) == read) {
        }
        item = from->items[read % bare_ring_items];
        atomic_store_explicit(&from->read, read + 1, memory_order_release);
    } else {
        while (atomic_load_explicit(&from->number, memory_order_acquire) != number) {
        }
        item = from->line;
    }
    return item;
}

// ---- The partner --------------------------------------------------------------------------------

FOR_EACH_WAY void echo(struct capacity_pair *pair, capacity_way_t way) {
    const uint32_t rounds = pair->count;
    for (uint32_t i = 1; i <= rounds; i++) {
        const struct item item = take(&pair->there, way, i);
        put(&pair->back, way, i, &item);
    }
}

static void fill(struct capacity_pair *pair) {
    for (uint32_t i = 0; i < pair->count; i++) {
        const struct item item = {.target = i % targets, .value = pair->value};
        put(&pair->there, CAPACITY_BARE_RINGS, i, &item);
    }
}

static void carry_out(struct capacity_pair *pair, enum order order) {
    if (order == ORDER_POST) {
        pair->fits = capacity_post(pair->gains);
    } else if (order == ORDER_FILL) {
        fill(pair);
    } else if (pair->way == CAPACITY_RINGS) {
        echo(pair, CAPACITY_RINGS);
    } else if (pair->way == CAPACITY_BARE_RINGS) {
        echo(pair, CAPACITY_BARE_RINGS);
    } else {
        echo(pair, CAPACITY_LINES);
    }
}

static void *play_partner(void *context) {
    struct capacity_pair *pair = context;
    for (;;) {
        const enum order order = (enum order)atomic_load_explicit(&pair->order, memory_order_acquire);
        if (order == ORDER_END) {
            return NULL;
        }
        if (order == ORDER_NONE) {
            rest();
            continue;
        }
        carry_out(pair, order);
        atomic_store_explicit(&pair->order, ORDER_NONE, memory_order_release);
    }
}

static void give(struct capacity_pair *pair, enum order order) {
    atomic_store_explicit(&pair->order, (int)order, memory_order_release);
}

static void await_done(struct capacity_pair *pair) {
    while (atomic_load_explicit(&pair->order, memory_order_acquire) != ORDER_NONE) {
        rest();
    }
}

// ---- Set-up -------------------------------------------------------------------------------------

static int next_core(const cpu_set_t *cores, int from) {
    while (from < CPU_SETSIZE && !CPU_ISSET(from, cores)) {
        from++;
    }
    return from;
}

static bool keep_to(pthread_t thread, int core) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    return pthread_setaffinity_np(thread, sizeof one, &one) == 0;
}

capacity_pair_t *capacity_pair_create(void) {
    struct capacity_pair *pair = aligned_alloc(64, (sizeof *pair + 63) / 64 * 64);
    if (pair == NULL) {
        return NULL;
    }
    memset(pair, 0, sizeof *pair);
    command_ring_init(&pair->there.ring, pair->there.commands, ring_items);
    command_ring_init(&pair->back.ring, pair->back.commands, ring_items);
    if (pthread_getaffinity_np(pthread_self(), sizeof pair->before, &pair->before) != 0 ||
        CPU_COUNT(&pair->before) < 2 || pthread_create(&pair->partner, NULL, play_partner, pair) != 0) {
        free(pair);
        return NULL;
    }
    const int first = next_core(&pair->before, 0);
    if (!keep_to(pthread_self(), first) || !keep_to(pair->partner, next_core(&pair->before, first + 1))) {
        capacity_pair_destroy(pair);
        return NULL;
    }
    return pair;
}

void capacity_pair_destroy(capacity_pair_t *pair) {
    if (pair == NULL) {
        return;
    }
    give(pair, ORDER_END);
    pthread_join(pair->partner, NULL);
    (void)pthread_setaffinity_np(pthread_self(), sizeof pair->before, &pair->before);
    free(pair);
}

// ---- Measurements -------------------------------------------------------------------------------

FOR_EACH_WAY bool exchange(struct capacity_pair *pair, capacity_way_t way) {
    const uint32_t rounds = pair->count;
    bool same = true;
    for (uint32_t i = 1; i <= rounds; i++) {
        const struct item item = {.target = i, .rest = {1, 2, ~(uint64_t)i}};
        put(&pair->there, way, i, &item);
        const struct item returned = take(&pair->back, way, i);
        same = same && returned.target == i && returned.rest[2] == ~(uint64_t)i;
    }
    return same;
}

uint64_t capacity_pair_exchange(capacity_pair_t *pair, capacity_way_t way, uint32_t rounds) {
    pair->there.number = pair->back.number = 0;
    pair->way = way;
    pair->count = rounds;
    give(pair, ORDER_ECHO);
    const uint64_t begun = capacity_now();
    const bool same = way == CAPACITY_RINGS        ? exchange(pair, CAPACITY_RINGS)
                      : way == CAPACITY_BARE_RINGS ? exchange(pair, CAPACITY_BARE_RINGS)
                                                   : exchange(pair, CAPACITY_LINES);
    const uint64_t taken = capacity_now() - begun;
    await_done(pair);
    return same ? taken : 0;
}

bool capacity_pair_post(capacity_pair_t *pair, const capacity_gains_t *gains) {
    pair->gains = gains;
    give(pair, ORDER_POST);
    await_done(pair);
    return pair->fits;
}

// Stores the value of each waiting item in its target.
static void drain(struct capacity_pair *pair) {
    struct direction *ring = &pair->there;
    const uint64_t written = atomic_load_explicit(&ring->written, memory_order_acquire);
    uint64_t read = atomic_load_explicit(&ring->read, memory_order_relaxed);
    for (; read < written; read++) {
        const struct item *item = &ring->items[read % bare_ring_items];
        pair->stored[item->target] = item->value;
    }
    atomic_store_explicit(&ring->read, read, memory_order_release);
}

uint64_t capacity_pair_drain(capacity_pair_t *pair, uint32_t count, bool apart) {
    if (count > bare_ring_items) {
        return 0;
    }
    pair->count = count;
    pair->value += 1.0f;
    if (apart) {
        give(pair, ORDER_FILL);
        await_done(pair);
    } else {
        fill(pair);
    }
    const uint64_t begun = capacity_now();
    drain(pair);
    const uint64_t taken = capacity_now() - begun;
    bool stored = true;
    for (uint32_t i = 0; i < count && i < targets; i++) {
        stored = stored && pair->stored[i] == pair->value;
    }
    return stored ? taken : 0;
}
