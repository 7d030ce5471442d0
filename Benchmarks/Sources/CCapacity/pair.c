// Two threads on two cores. The partner waits for an order, carries it out and reports it. Both
// poll memory, never the clock.
//
// For affinities, which C17 alone does not declare.
#define _GNU_SOURCE
#include "bare_ring.h"
#include "capacity_pair.h"
#include "layout.h"

// The core's own ring, measured as it is. It is not part of the core's interface.
#include "../../../Sources/CRenderCore/queue/ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum order { ORDER_NONE, ORDER_RINGS, ORDER_BARE_RINGS, ORDER_LINES, ORDER_POST, ORDER_FILL, ORDER_END };
// As many as a queue has by default.
enum { ring_items = 1024 };

struct item {
    /// As large as a command.
    uint64_t words[6];
};

struct item_ring {
    struct ring ring;
    alignas(64) struct item items[ring_items];
};

// An item that fits in a cache line together with its number can be handed over at once.
struct line {
    alignas(64) _Atomic(uint64_t) number;
    struct item item;
};

struct capacity_pair {
    struct item_ring there, back;
    struct line line_there, line_back;
    struct bare_ring bare, bare_back;
    pthread_t partner;
    cpu_set_t before;
    // The order: its data is written before `order` is stored with release. It is done when `order`
    // is ORDER_NONE again.
    alignas(64) _Atomic(int) order;
    uint32_t count;
    capacity_graph_t *graph;
    float value;
    bool fits;
};

static void rest(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

// ---- Rings and lines ----------------------------------------------------------------------------

static void send(struct item_ring *ring, const struct item *item) {
    while (ring_writable(&ring->ring, 1) < 1) {
    }
    ring->items[ring_write_slot(&ring->ring, 0)] = *item;
    ring_did_write(&ring->ring, 1);
}

static struct item take(struct item_ring *ring) {
    while (ring_readable(&ring->ring, 1) < 1) {
    }
    const struct item item = ring->items[ring_read_slot(&ring->ring, 0)];
    ring_did_read(&ring->ring, 1);
    return item;
}

static void put(struct line *line, uint64_t number, const struct item *item) {
    line->item = *item;
    atomic_store_explicit(&line->number, number, memory_order_release);
}

static struct item await(struct line *line, uint64_t number) {
    while (atomic_load_explicit(&line->number, memory_order_acquire) != number) {
    }
    return line->item;
}

static struct item item_of(uint64_t number) { return (struct item){.words = {number, 1, 2, 3, 4, ~number}}; }

static bool is_item_of(const struct item *item, uint64_t number) {
    return item->words[0] == number && item->words[5] == ~number;
}

// ---- The partner --------------------------------------------------------------------------------

static void carry_out(struct capacity_pair *pair, enum order order) {
    switch (order) {
    case ORDER_RINGS:
        for (uint32_t i = 0; i < pair->count; i++) {
            const struct item item = take(&pair->there);
            send(&pair->back, &item);
        }
        break;
    case ORDER_BARE_RINGS:
        for (uint32_t i = 1; i <= pair->count; i++) {
            const struct bare_item item = bare_ring_take(&pair->bare);
            bare_ring_put(&pair->bare_back, &item);
        }
        break;
    case ORDER_LINES:
        for (uint32_t i = 1; i <= pair->count; i++) {
            const struct item item = await(&pair->line_there, i);
            put(&pair->line_back, i, &item);
        }
        break;
    case ORDER_POST:
        pair->fits = capacity_graph_command(pair->graph, pair->count, false);
        break;
    case ORDER_FILL:
        bare_ring_fill(&pair->bare, pair->count, pair->value);
        break;
    default:
        break;
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
    ring_init(&pair->there.ring, ring_items);
    ring_init(&pair->back.ring, ring_items);
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

uint64_t capacity_pair_rings(capacity_pair_t *pair, uint32_t rounds) {
    bool same = true;
    pair->count = rounds;
    give(pair, ORDER_RINGS);
    const uint64_t begun = layout_now();
    for (uint32_t i = 1; i <= rounds; i++) {
        const struct item item = item_of(i);
        send(&pair->there, &item);
        const struct item returned = take(&pair->back);
        same = same && is_item_of(&returned, i);
    }
    const uint64_t taken = layout_now() - begun;
    await_done(pair);
    return same ? taken : 0;
}

uint64_t capacity_pair_bare_rings(capacity_pair_t *pair, uint32_t rounds) {
    bool same = true;
    pair->count = rounds;
    give(pair, ORDER_BARE_RINGS);
    const uint64_t begun = layout_now();
    for (uint32_t i = 1; i <= rounds; i++) {
        const struct bare_item item = {.target = i};
        bare_ring_put(&pair->bare, &item);
        same = bare_ring_take(&pair->bare_back).target == i && same;
    }
    const uint64_t taken = layout_now() - begun;
    await_done(pair);
    return same ? taken : 0;
}

uint64_t capacity_pair_lines(capacity_pair_t *pair, uint32_t rounds) {
    bool same = true;
    const struct item none = {{0}};
    put(&pair->line_there, 0, &none);
    put(&pair->line_back, 0, &none);
    pair->count = rounds;
    give(pair, ORDER_LINES);
    const uint64_t begun = layout_now();
    for (uint32_t i = 1; i <= rounds; i++) {
        const struct item item = item_of(i);
        put(&pair->line_there, i, &item);
        const struct item returned = await(&pair->line_back, i);
        same = same && is_item_of(&returned, i);
    }
    const uint64_t taken = layout_now() - begun;
    await_done(pair);
    return same ? taken : 0;
}

uint64_t capacity_pair_cycle(capacity_pair_t *pair, capacity_graph_t *graph, uint32_t count) {
    pair->graph = graph;
    pair->count = count;
    give(pair, ORDER_POST);
    await_done(pair);
    const uint64_t taken = capacity_graph_cycle(graph);
    return pair->fits ? taken : 0;
}

uint64_t capacity_pair_drain(capacity_pair_t *pair, uint32_t count, bool apart) {
    if (count > bare_ring_capacity) {
        return 0;
    }
    pair->count = count;
    pair->value += 1.0f;
    if (apart) {
        give(pair, ORDER_FILL);
        await_done(pair);
    } else {
        bare_ring_fill(&pair->bare, count, pair->value);
    }
    const uint64_t begun = layout_now();
    bare_ring_drain(&pair->bare);
    const uint64_t taken = layout_now() - begun;
    return bare_ring_stored(&pair->bare, count, pair->value) ? taken : 0;
}
