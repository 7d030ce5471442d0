/// Models what a producer and a consumer may observe under C11's release and acquire, one operation
/// at a time.
///
/// Memory. An atomic location keeps its stores in order. A load may return any store that is not
/// older than the newest one of this location that its thread knows. A thread's knowledge is its
/// view: for each location the newest store that it knows, and for each thread the moment up to
/// which it knows all of that thread's accesses to items. A release store carries its thread's
/// view. An acquire load that returns it joins that view to its own. Relaxed operations carry and
/// join nothing. An access to an item that conflicts with one that its thread does not know is a
/// data race.
///
/// Threads. Each thread repeats an operation: a plain C function, which must be a function of its
/// context and of the results of the model's operations. The model keeps the context at the start
/// of the function and the log of those results. To advance by one step, it runs the function again
/// from the start, takes results from the log, performs one more operation, and leaves the function
/// at the next. Each choice is a step, and so is each atomic operation that the other thread can
/// notice or affect. A load of a location that only its own thread stores is not a step, because it
/// commutes with everything that the other thread does (a store by the other is a fault). An access
/// to an item is not a step either, because a race is a race whichever access comes first. Both
/// happen together with the step before them.
///
/// Counts are kept as bytes, relative to one lap before the first count: items are numbered from
/// the capacity on.
#ifndef MODEL_H
#define MODEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { MODEL_PRODUCER, MODEL_CONSUMER, MODEL_THREADS };
/// The most atomics that a model has. A model with more than this defines it.
#ifndef MODEL_LOCATIONS
#define MODEL_LOCATIONS 3
#endif
enum { MODEL_SLOTS = 4, MODEL_STORES = 8, MODEL_LOG = 24, MODEL_NOTES = 2, MODEL_MESSAGE = 200 };

struct model_view {
    /// The index of a store.
    uint8_t seen[MODEL_LOCATIONS];
    uint8_t clock[MODEL_THREADS];
};

/// A location's name, the only thread that may store to it, and whether it holds a count or a flag.
struct model_place {
    const char *name;
    unsigned owner;
    bool counts;
};

struct model_location {
    uint8_t length;
    struct {
        uint8_t value;
        struct model_view view;
        /// Oldest first. Stores that no thread can load any longer are dropped.
    } stores[MODEL_STORES];
};

/// A slot: the item last written there, and when, by the clocks of the threads, it was last written
/// and read.
struct model_slot {
    uint8_t item, last_of_batch;
    uint8_t written_at, read_at;
};

/// A thread's state between operations.
struct model_context {
    /// The item that it writes or reads next.
    uint8_t next;
    /// Its side's private field of the ring.
    uint8_t cached;
    uint8_t over;
};

struct model_side {
    struct model_view view;
    struct model_context context;
    uint8_t log_length;
    uint8_t log[MODEL_LOG];
    /// Whether each entry is a count.
    uint8_t log_counts[MODEL_LOG];
};

/// Contains only bytes, without gaps between the members in use: states are compared as memory.
struct model_state {
    struct model_side sides[MODEL_THREADS];
    struct model_location locations[MODEL_LOCATIONS];
    struct model_slot slots[MODEL_SLOTS];
    uint8_t notes[MODEL_NOTES];
};

/// Facts that the operations record for the expectations, whatever the threads know of them.
enum { MODEL_FILLED, MODEL_TAKEN }; // items ever written; items ever consumed

/// The subject of the exploration: the operation of each thread, on `capacity` slots.
struct model {
    void (*operations[MODEL_THREADS])(struct model_context *context);
    /// In the order of the calls of atomic_init.
    const struct model_place *places;
    uint64_t capacity;
    /// The initial value of both counts, a multiple of the capacity.
    uint64_t first_count;
    /// Treats states that differ by so many laps, or a multiple, as equal; 0: never.
    unsigned shifts;
    /// Calls atomic_init for every location.
    void (*set_up)(void);
};

/// Creates the first state.
void model_begin(const struct model *model, struct model_state *state);

/// Makes states equal whose continuations are the same.
void model_canonicalise(const struct model *model, struct model_state *state);

/// The result of a step.
enum model_end { MODEL_STEPPED, MODEL_NO_SUCH_CHOICE, MODEL_FAULT, MODEL_TOO_SMALL };

/// Takes one step of a thread, with choices 0, 1 and so on until there are no more. `said`, if not
/// NULL, receives a description of the step. After a fault, or if the model has too little room for
/// a state, `model_message` describes the problem.
enum model_end model_step(const struct model *model, struct model_state *state, unsigned thread, unsigned choice,
                          char *said);
extern char model_message[MODEL_MESSAGE];

// ---- For the operations -------------------------------------------------------------------------

/// Returns a number below `bound`. The model explores each of them.
unsigned model_choose(unsigned bound);
void model_write_item(uint64_t slot, uint64_t item, bool last_of_batch);
uint64_t model_read_item(uint64_t slot);
void model_note(unsigned note, uint64_t count);
uint64_t model_noted(unsigned note);
/// Returns whether an item that has not been overwritten is the last of its batch.
bool model_ends_batch(uint64_t item);
/// Reports a fault unless the condition holds now.
void model_expect(bool condition, const char *fault);
/// Returns how often this operation has loaded a location so far.
unsigned model_loads(const volatile void *object);
/// Converts a relative count to the count of the code under test, and back.
uint64_t model_count(uint8_t relative);
uint8_t model_relative(uint64_t count);

#endif
