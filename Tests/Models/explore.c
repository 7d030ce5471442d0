#include "explore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = UINT32_MAX };

struct edge {
    uint32_t from, to;
};

static struct {
    // In the order in which they were found; also the queue.
    struct model_state *states;
    // How each state was first found: the previous state, and the step.
    struct edge *ways;
    uint32_t count, room;
    // Open addressing: the numbers of states.
    uint32_t *table;
    uint32_t table_size;
    // All steps.
    struct edge *edges;
    uint64_t edge_count, edge_room;
} found;

static void *resized(void *memory, uint64_t count, size_t size) {
    void *larger = realloc(memory, count * size);
    if (larger == NULL) {
        fprintf(stderr, "no memory for %llu states or steps\n", (unsigned long long)count);
        exit(EXIT_FAILURE);
    }
    return larger;
}

// ---- States -------------------------------------------------------------------------------------

static uint64_t hash(const struct model_state *state) {
    const unsigned char *bytes = (const unsigned char *)state;
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    size_t i = 0;
    for (; i + 8 <= sizeof *state; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        value = (value ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        value ^= value >> 29;
    }
    for (; i < sizeof *state; i++) {
        value = (value ^ bytes[i]) * UINT64_C(0x9e3779b97f4a7c15);
        value ^= value >> 29;
    }
    return value;
}

static uint32_t *place_in_table(const struct model_state *state) {
    uint32_t i = (uint32_t)hash(state) & (found.table_size - 1);
    while (found.table[i] != NOWHERE && memcmp(&found.states[found.table[i]], state, sizeof *state) != 0) {
        i = (i + 1) & (found.table_size - 1);
    }
    return &found.table[i];
}

static void grow(void) {
    found.room = found.room == 0 ? 1u << 12 : found.room * 2;
    found.states = resized(found.states, found.room, sizeof *found.states);
    found.ways = resized(found.ways, found.room, sizeof *found.ways);
    found.table_size = found.room * 2;
    found.table = resized(found.table, found.table_size, sizeof *found.table);
    memset(found.table, 0xff, found.table_size * sizeof *found.table);
    for (uint32_t i = 0; i < found.count; i++) {
        *place_in_table(&found.states[i]) = i;
    }
}

// Returns the state's number. A new state is entered together with the step that found it.
static uint32_t number_of(const struct model_state *state, struct edge way) {
    if (found.count == found.room) {
        grow();
    }
    uint32_t *place = place_in_table(state);
    if (*place == NOWHERE) {
        *place = found.count;
        found.states[found.count] = *state;
        found.ways[found.count++] = way;
    }
    return *place;
}

static void add_edge(uint32_t from, uint32_t to) {
    if (found.edge_count == found.edge_room) {
        found.edge_room = found.edge_room == 0 ? 1u << 14 : found.edge_room * 2;
        found.edges = resized(found.edges, found.edge_room, sizeof *found.edges);
    }
    found.edges[found.edge_count++] = (struct edge){from, to};
}

static bool is_end(const struct model_state *state) {
    return state->sides[MODEL_PRODUCER].context.over && state->sides[MODEL_CONSUMER].context.over;
}

// ---- The path to a fault ------------------------------------------------------------------------

static void print_step(const struct model *model, struct model_state *state, unsigned thread, unsigned choice) {
    char said[MODEL_MESSAGE] = "";
    model_step(model, state, thread, choice, said);
    printf("  %s %s\n", thread == MODEL_PRODUCER ? "producer" : "                                        consumer",
           said);
}

// The `to` of a path's edge holds the step: the thread in the lowest bit, the choice above it.
static void print_way(const struct model *model, uint32_t state) {
    uint32_t length = 0;
    for (uint32_t i = state; i != 0; i = found.ways[i].from) {
        length++;
    }
    uint32_t *way = resized(NULL, length + 1, sizeof *way);
    for (uint32_t i = state, j = length; i != 0; i = found.ways[i].from) {
        way[--j] = i;
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < length; i++) {
        struct model_state from = found.states[at];
        print_step(model, &from, found.ways[way[i]].to & 1u, found.ways[way[i]].to >> 1);
        at = way[i];
    }
    free(way);
}

// ---- Exploration --------------------------------------------------------------------------------

// Takes every step that a thread may take from a state.
static bool expand(const struct model *model, uint32_t number, unsigned thread) {
    for (unsigned choice = 0;; choice++) {
        struct model_state next = found.states[number];
        const enum model_end end = model_step(model, &next, thread, choice, NULL);
        if (end == MODEL_NO_SUCH_CHOICE) {
            return true;
        }
        if (end != MODEL_STEPPED) {
            print_way(model, number);
            struct model_state from = found.states[number];
            print_step(model, &from, thread, choice);
            printf("%s: %s\n", end == MODEL_FAULT ? "FAULT" : "NOT EXPLORED", model_message);
            return false;
        }
        add_edge(number, number_of(&next, (struct edge){number, choice << 1 | thread}));
    }
}

// Goes backwards from the end states along all steps. From a state that this does not reach, no end
// can be reached.
static bool every_state_has_an_end(const struct model *model, uint32_t *ends) {
    // For each state, the first of the steps in `into` that end in it.
    uint64_t *first = calloc(found.count + 1, sizeof *first);
    uint32_t *into = resized(NULL, found.edge_count + 1, sizeof *into);
    uint32_t *queue = resized(NULL, found.count + 1, sizeof *queue);
    bool *met = calloc(found.count, sizeof *met);
    if (first == NULL || met == NULL) {
        exit(EXIT_FAILURE);
    }
    for (uint64_t i = 0; i < found.edge_count; i++) {
        first[found.edges[i].to]++;
    }
    for (uint32_t i = 1; i <= found.count; i++) {
        first[i] += first[i - 1];
    }
    for (uint64_t i = 0; i < found.edge_count; i++) {
        into[--first[found.edges[i].to]] = found.edges[i].from;
    }
    uint32_t reached = 0;
    for (uint32_t i = 0; i < found.count; i++) {
        if (is_end(&found.states[i])) {
            met[i] = true;
            queue[reached++] = i;
        }
    }
    *ends = reached;
    for (uint32_t next = 0; next < reached; next++) {
        for (uint64_t i = first[queue[next]]; i < first[queue[next] + 1]; i++) {
            if (!met[into[i]]) {
                met[into[i]] = true;
                queue[reached++] = into[i];
            }
        }
    }
    uint32_t stuck = 0;
    while (stuck < found.count && met[stuck]) {
        stuck++;
    }
    if (stuck < found.count) {
        print_way(model, stuck);
        printf("FAULT: stuck: from here the threads cannot reach their end\n");
    }
    free(first);
    free(into);
    free(queue);
    free(met);
    return stuck == found.count;
}

bool explore(const struct model *model, struct exploration *exploration) {
    found.count = 0;
    found.edge_count = 0;
    if (found.table != NULL) {
        memset(found.table, 0xff, found.table_size * sizeof *found.table);
    }
    struct model_state begin;
    model_begin(model, &begin);
    number_of(&begin, (struct edge){0, 0});
    bool sound = true;
    for (uint32_t i = 0; i < found.count && sound; i++) {
        sound = expand(model, i, MODEL_PRODUCER) && expand(model, i, MODEL_CONSUMER);
    }
    exploration->ends = 0;
    sound = sound && every_state_has_an_end(model, &exploration->ends);
    exploration->states = found.count;
    exploration->steps = found.edge_count;
    return sound;
}
