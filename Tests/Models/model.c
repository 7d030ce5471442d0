#include "model.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

char model_message[MODEL_MESSAGE];

static const volatile void *objects[MODEL_LOCATIONS];
static unsigned place_count;

// The current step.
static struct {
    const struct model *model;
    struct model_state *state;
    struct model_side *side;
    unsigned thread, choice;
    /// The position in the log.
    unsigned cursor;
    /// The step's operation has been reached: no further results come from the log.
    bool live;
    unsigned loads[MODEL_LOCATIONS];
    char *said;
    jmp_buf leave;
} step;

_Noreturn static void leave(enum model_end end) { longjmp(step.leave, (int)end + 1); }

_Noreturn static void fail(enum model_end end, const char *message) {
    snprintf(model_message, sizeof model_message, "%s", message);
    leave(end);
}

// ---- Counts -------------------------------------------------------------------------------------

static uint64_t origin(void) { return step.model->first_count - step.model->capacity; }

uint64_t model_count(uint8_t relative) { return origin() + relative; }

uint8_t model_relative(uint64_t count) {
    const uint64_t relative = count - origin();
    if (relative > UINT8_MAX) {
        fail(MODEL_FAULT, "a count leapt out of bounds");
    }
    return (uint8_t)relative;
}

static unsigned place_of(const volatile void *object) {
    for (unsigned i = 0; i < place_count; i++) {
        if (objects[i] == object) {
            return i;
        }
    }
    fail(MODEL_FAULT, "an atomic was used without initialisation");
}

static uint8_t packed(unsigned place, uint64_t value) {
    return step.model->places[place].counts ? model_relative(value) : (uint8_t)value;
}

static uint64_t unpacked(unsigned place, uint8_t value) {
    return step.model->places[place].counts ? model_count(value) : value;
}

// ---- The log ------------------------------------------------------------------------------------

static bool replayed(uint8_t *value) {
    if (step.cursor == step.side->log_length) {
        return false;
    }
    *value = step.side->log[step.cursor++];
    return true;
}

static void record(uint8_t value, bool is_count) {
    if (step.cursor == MODEL_LOG) {
        fail(MODEL_TOO_SMALL, "MODEL_LOG is too small for this operation");
    }
    step.side->log_counts[step.cursor] = is_count;
    step.side->log[step.cursor++] = value;
    step.side->log_length++;
}

// A step begins or ends here. Returns only if it is this operation's turn, which then has `choices`
// outcomes.
static void begin_step(unsigned choices) {
    if (step.live) {
        leave(MODEL_STEPPED);
    }
    if (step.choice >= choices) {
        leave(MODEL_NO_SUCH_CHOICE);
    }
    step.live = true;
}

#define SAY(...)                                                                                                       \
    do {                                                                                                               \
        if (step.said != NULL) {                                                                                       \
            const size_t said_length = strlen(step.said);                                                              \
            snprintf(step.said + said_length, MODEL_MESSAGE - said_length, __VA_ARGS__);                               \
        }                                                                                                              \
    } while (0)

static const char *const order_names[] = {"relaxed", "acquire", "release"};

// ---- Atomics ------------------------------------------------------------------------------------

static void join(struct model_view *view, const struct model_view *other) {
    for (unsigned i = 0; i < MODEL_LOCATIONS; i++) {
        view->seen[i] = view->seen[i] > other->seen[i] ? view->seen[i] : other->seen[i];
    }
    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        view->clock[i] = view->clock[i] > other->clock[i] ? view->clock[i] : other->clock[i];
    }
}

void model_init(const volatile void *object, uint64_t value) {
    objects[place_count] = object;
    struct model_location *location = &step.state->locations[place_count];
    location->length = 1;
    location->stores[0].value =
        (uint8_t)(step.model->places[place_count].counts ? value + step.model->capacity : value);
    place_count++;
}

uint64_t model_load(const volatile void *object, memory_order order) {
    const unsigned place = place_of(object);
    step.loads[place]++;
    uint8_t value;
    if (!replayed(&value)) {
        struct model_location *location = &step.state->locations[place];
        struct model_view *view = &step.side->view;
        unsigned chosen = location->length - 1u; // the newest first
        if (step.model->places[place].owner != step.thread) {
            begin_step(location->length - view->seen[place]);
            chosen -= step.choice;
            SAY("loads %s, %s: %u%s", step.model->places[place].name, order_names[order],
                location->stores[chosen].value, step.choice > 0 ? " (an old one)" : "");
        }
        value = location->stores[chosen].value;
        view->seen[place] = (uint8_t)chosen;
        if (order == memory_order_acquire) {
            join(view, &location->stores[chosen].view);
        }
        record(value, step.model->places[place].counts);
    }
    return unpacked(place, value);
}

void model_store(const volatile void *object, uint64_t value, memory_order order) {
    const unsigned place = place_of(object);
    uint8_t ignored;
    if (replayed(&ignored)) {
        return;
    }
    begin_step(1);
    if (step.model->places[place].owner != step.thread) {
        fail(MODEL_FAULT, "a side stores what is the other's to store");
    }
    struct model_location *location = &step.state->locations[place];
    if (location->length == MODEL_STORES) {
        fail(MODEL_TOO_SMALL, "MODEL_STORES is too small for this history");
    }
    const uint8_t newest = location->length++;
    struct model_view *view = &step.side->view, *carried = &location->stores[newest].view;
    location->stores[newest].value = packed(place, value);
    view->seen[place] = newest;
    carried->seen[place] = newest;
    // A relaxed store carries nothing, not even what an earlier release store of its thread carried
    // (C17 would require it, C23 does not).
    if (order == memory_order_release) {
        *carried = *view;
        view->clock[step.thread]++;
    }
    record(0, false);
    SAY("stores %s, %s: %u", step.model->places[place].name, order_names[order], location->stores[newest].value);
}

unsigned model_loads(const volatile void *object) { return step.loads[place_of(object)]; }

// ---- Choices, items, expectations ---------------------------------------------------------------

unsigned model_choose(unsigned bound) {
    uint8_t value;
    if (!replayed(&value)) {
        begin_step(bound);
        value = (uint8_t)step.choice;
        record(value, false);
        SAY("chooses %u", value);
    }
    return value;
}

static struct model_slot *slot_at(uint64_t slot) {
    if (slot >= step.model->capacity) {
        fail(MODEL_FAULT, "a slot lies beyond the capacity");
    }
    return &step.state->slots[slot];
}

void model_write_item(uint64_t slot, uint64_t item, bool last_of_batch) {
    uint8_t ignored;
    if (replayed(&ignored)) {
        return;
    }
    struct model_slot *place = slot_at(slot);
    const struct model_view *view = &step.side->view;
    SAY("; writes item %u to slot %u", (unsigned)item, (unsigned)slot);
    if (place->read_at > view->clock[MODEL_CONSUMER]) {
        fail(MODEL_FAULT, "data race: an item is overwritten that may still be being read");
    }
    place->item = (uint8_t)item;
    place->last_of_batch = last_of_batch;
    place->written_at = view->clock[step.thread];
    record(0, false);
}

uint64_t model_read_item(uint64_t slot) {
    uint8_t item;
    if (!replayed(&item)) {
        struct model_slot *place = slot_at(slot);
        const struct model_view *view = &step.side->view;
        SAY("; reads item %u in slot %u", place->item, (unsigned)slot);
        if (place->written_at > view->clock[MODEL_PRODUCER]) {
            fail(MODEL_FAULT, "data race: an item is read that may still be being written");
        }
        place->read_at = view->clock[step.thread];
        item = place->item;
        record(item, true);
    }
    return item;
}

void model_expect(bool condition, const char *fault) {
    // An expectation on results from the log was checked when they were live. The other thread has
    // made progress since.
    if (step.live && !condition) {
        fail(MODEL_FAULT, fault);
    }
}

void model_note(unsigned note, uint64_t count) {
    uint8_t ignored;
    if (!replayed(&ignored)) {
        step.state->notes[note] = (uint8_t)count;
        record(0, false);
    }
}

uint64_t model_noted(unsigned note) { return step.state->notes[note]; }

bool model_ends_batch(uint64_t item) { return step.state->slots[item & (step.model->capacity - 1)].last_of_batch; }

// ---- Steps --------------------------------------------------------------------------------------

void model_begin(const struct model *model, struct model_state *state) {
    memset(state, 0, sizeof *state);
    step.model = model;
    step.state = state;
    place_count = 0;
    model->set_up();
    // Starts after one lap, whose items have been consumed.
    const uint8_t first = (uint8_t)model->capacity;
    for (unsigned i = 0; i < MODEL_THREADS; i++) {
        state->sides[i].view.clock[i] = 1;
        state->sides[i].context.next = first;
        state->sides[i].context.cached = first;
    }
    for (uint8_t i = 0; i < first; i++) {
        state->slots[i].item = i;
    }
    state->notes[MODEL_FILLED] = first;
    state->notes[MODEL_TAKEN] = first;
}

enum model_end model_step(const struct model *model, struct model_state *state, unsigned thread, unsigned choice,
                          char *said) {
    step.model = model;
    step.state = state;
    step.side = &state->sides[thread];
    step.thread = thread;
    step.choice = choice;
    step.cursor = 0;
    step.live = false;
    memset(step.loads, 0, sizeof step.loads);
    step.said = said;
    if (step.side->context.over) {
        return MODEL_NO_SUCH_CHOICE;
    }
    // Static: keeps its value over longjmp.
    static struct model_context context;
    context = step.side->context;
    const int left = setjmp(step.leave);
    if (left == 0) {
        model->operations[thread](&context);
        step.side->context = context;
        step.side->log_length = 0;
        memset(step.side->log, 0, sizeof step.side->log);
        memset(step.side->log_counts, 0, sizeof step.side->log_counts);
    } else if (left != (int)MODEL_STEPPED + 1) {
        return (enum model_end)(left - 1);
    }
    model_canonicalise(model, state);
    return MODEL_STEPPED;
}
