// Makes states equal that differ only in what nothing can depend on any longer. This makes the
// search finite.
#include "model.h"

#include <string.h>

static uint8_t less(uint8_t value, uint8_t amount) { return value > amount ? value - amount : 0; }

// Removes the stores for which both threads know newer ones.
static void drop_old_stores(struct model_state *state, unsigned place) {
    struct model_location *location = &state->locations[place];
    const uint8_t a = state->sides[0].view.seen[place], b = state->sides[1].view.seen[place];
    const uint8_t old = a < b ? a : b;
    if (old == 0) {
        return;
    }
    location->length -= old;
    memmove(location->stores, location->stores + old, location->length * sizeof *location->stores);
    memset(location->stores + location->length, 0, old * sizeof *location->stores);
    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        state->sides[i].view.seen[place] -= old;
    }
    for (unsigned i = 0; i < MODEL_LOCATIONS; i++) {
        for (unsigned j = 0; j < state->locations[i].length; j++) {
            uint8_t *seen = &state->locations[i].stores[j].view.seen[place];
            *seen = less(*seen, old);
        }
    }
}

// Replaces a moment by the number of the given moments up to it.
static void number_in(uint64_t moments, uint8_t *moment) {
    *moment = (uint8_t)__builtin_popcountll(moments & ((UINT64_C(2) << *moment) - 1));
}

static uint8_t *access_of(struct model_slot *slot, unsigned thread) {
    return thread == MODEL_PRODUCER ? &slot->written_at : &slot->read_at;
}

// A thread's clock is only compared with the moments of its accesses. Those that the other thread
// knows become 0. The others are numbered from 1, and the knowledge of a view becomes the number of
// the last one that it includes.
static void renumber_clock(struct model_state *state, unsigned thread) {
    const uint8_t known = state->sides[!thread].view.clock[thread];
    uint64_t moments = 0;
    for (unsigned i = 0; i < MODEL_SLOTS; i++) {
        uint8_t *access = access_of(&state->slots[i], thread);
        *access = *access > known ? *access : 0;
        moments |= *access > 0 ? UINT64_C(1) << *access : 0;
    }
    for (unsigned i = 0; i < MODEL_SLOTS; i++) {
        number_in(moments, access_of(&state->slots[i], thread));
    }
    for (unsigned i = 0; i < MODEL_LOCATIONS; i++) {
        for (unsigned j = 0; j < state->locations[i].length; j++) {
            number_in(moments, &state->locations[i].stores[j].view.clock[thread]);
        }
    }
    state->sides[!thread].view.clock[thread] = 0;
    // Later than all others.
    state->sides[thread].view.clock[thread] = (uint8_t)(__builtin_popcountll(moments) + 1);
}

// Clears the end-of-batch mark of consumed items, which nothing reads any longer.
static void forget_old_batches(struct model_state *state) {
    for (unsigned i = 0; i < MODEL_SLOTS; i++) {
        state->slots[i].last_of_batch &= state->slots[i].item >= state->sides[MODEL_CONSUMER].context.next;
    }
}

// Calls `visit` with every count and every item's number.
static void each_count(const struct model *model, struct model_state *state,
                       void (*visit)(uint8_t *count, uint8_t *value), uint8_t *value) {
    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        struct model_side *side = &state->sides[i];
        visit(&side->context.next, value);
        visit(&side->context.cached, value);
        for (unsigned j = 0; j < side->log_length; j++) {
            if (side->log_counts[j]) {
                visit(&side->log[j], value);
            }
        }
    }
    for (unsigned i = 0; i < MODEL_LOCATIONS; i++) {
        for (unsigned j = 0; model->places[i].counts && j < state->locations[i].length; j++) {
            visit(&state->locations[i].stores[j].value, value);
        }
    }
    for (unsigned i = 0; i < model->capacity; i++) {
        visit(&state->slots[i].item, value);
    }
    for (unsigned i = 0; i < MODEL_NOTES; i++) {
        visit(&state->notes[i], value);
    }
}

static void lower(uint8_t *count, uint8_t *least) { *least = *count < *least ? *count : *least; }

static void subtract(uint8_t *count, uint8_t *amount) { *count -= *amount; }

// Subtracts whole laps from all counts.
static void shift(const struct model *model, struct model_state *state) {
    uint8_t laps = UINT8_MAX;
    each_count(model, state, lower, &laps);
    laps -= (uint8_t)(laps % (model->shifts * model->capacity));
    each_count(model, state, subtract, &laps);
}

void model_canonicalise(const struct model *model, struct model_state *state) {
    for (unsigned i = 0; i < MODEL_LOCATIONS; i++) {
        drop_old_stores(state, i);
    }
    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        renumber_clock(state, i);
    }
    forget_old_batches(state);
    if (model->shifts > 0) {
        shift(model, state);
    }
}
