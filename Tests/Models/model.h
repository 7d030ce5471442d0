/// What a producer and a consumer may observe under C11's release and acquire, one operation at a time.
///
/// Memory. An atomic location keeps its stores in order. A load may return any store that is not older than the newest one
/// of this location its thread knows of. What a thread knows is its view: per location the newest store it knows of, per
/// thread the moment up to which it knows all of that thread's accesses to items. A release store carries its thread's view,
/// an acquire load that returns it joins that view to its own; relaxed ones carry and join nothing. An access to an item that
/// conflicts with one its thread does not know of is a data race.
///
/// Threads. Each repeats an operation: a plain C function, which must be a function of its context and of what the model's
/// operations return. The model keeps the context at its beginning and the log of those results; to go one step on it runs
/// the function again from its beginning, answers from the log, performs one operation more, and leaves it at the next. Each
/// choice is a step, and each atomic operation that the other thread can notice or bear upon. A load of what its own thread
/// alone stores is none, for it commutes with all that the other does (a store by the other is a fault); nor is an access to
/// an item, for a race is one whichever of the two comes first. Both happen with the step before them.
///
/// Counts are kept as bytes relative to `origin`, which the code under test never gets to see.
#ifndef MODEL_H
#define MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MODEL_PRODUCER, MODEL_CONSUMER, MODEL_THREADS };
enum { MODEL_LOCATIONS = 3, MODEL_SLOTS = 4, MODEL_STORES = 8, MODEL_LOG = 24, MODEL_NOTES = 2, MODEL_MESSAGE = 200 };

struct model_view {
    uint8_t seen[MODEL_LOCATIONS]; // index of a store
    uint8_t clock[MODEL_THREADS];
};

struct model_location {
    uint8_t length;
    struct {
        uint8_t value;
        struct model_view view;
    } stores[MODEL_STORES]; // oldest first; those that nobody can load any more are dropped
};

/// An item's place: the item last written there, and when, by the clocks of the threads, it was last written and read.
struct model_slot {
    uint8_t item, last_of_group;
    uint8_t written_at, read_at;
};

/// What a thread keeps from one operation to the next.
struct model_context {
    uint8_t next;   // the item it writes or reads next
    uint8_t cached; // its side's private field of the ring
    uint8_t over;
};

struct model_side {
    struct model_view view;
    struct model_context context;
    uint8_t log_length;
    uint8_t log[MODEL_LOG];
    uint8_t log_counts[MODEL_LOG]; // whether that entry is a count
};

/// Only bytes, with no gaps between the members that are set: states are compared as memory.
struct model_state {
    struct model_side sides[MODEL_THREADS];
    struct model_location locations[MODEL_LOCATIONS];
    struct model_slot slots[MODEL_SLOTS];
    uint8_t notes[MODEL_NOTES];
};

/// What the operations note for the expectations: it is so, whatever the threads know of it.
enum { MODEL_FILLED, MODEL_TAKEN }; // items ever written; items ever done with

/// What is explored: the operation of each thread, on `capacity` slots.
struct model {
    void (*operations[MODEL_THREADS])(struct model_context *context);
    uint64_t capacity;
    uint64_t first_count; // what both counts begin with, a multiple of the capacity
    bool shifts;          // takes states for equal that differ by whole laps
    void (*set_up)(void); // calls atomic_init for every location
};

/// Makes the first state.
void model_begin(const struct model *model, struct model_state *state);

/// How a step ended.
enum model_end { MODEL_STEPPED, MODEL_NO_SUCH_CHOICE, MODEL_FAULT, MODEL_TOO_SMALL };

/// Takes one step of a thread: with choice 0, 1 … until there is none such. `said`, where not NULL, receives what was done;
/// after a fault (or where the model has too little room for a state) `model_message` says what is wrong.
enum model_end model_step(const struct model *model, struct model_state *state, unsigned thread, unsigned choice,
                          char *said);
extern char model_message[MODEL_MESSAGE];

// ---- For the operations ------------------------------------------------------------------------------------------------------

/// A number below `bound`: each is explored.
unsigned model_choose(unsigned bound);
void model_write_item(uint64_t slot, uint64_t item, bool last_of_group);
uint64_t model_read_item(uint64_t slot);
void model_note(unsigned note, uint64_t count);
uint64_t model_noted(unsigned note);
/// Whether an item that was not yet overwritten is the last of its group.
bool model_ends_group(uint64_t item);
/// A fault unless the condition holds now.
void model_expect(bool condition, const char *fault);
/// How often this operation has loaded a location so far.
unsigned model_loads(const volatile void *object);
/// A relative count as the code under test knows it, and the other way round.
uint64_t model_count(uint8_t relative);
uint8_t model_relative(uint64_t count);

#endif
