/// Desks that differ in one thing, for tests of what happens on the way from one to the other.
#ifndef DESK_CHANGES_H
#define DESK_CHANGES_H

#include "desk_stage.h"

/// Slots of the desk that every change begins from: 1 and 2 lead to the master, which leads to a route; 1 sends to the effect's return.
enum { slot_master = 0, slot_first = 1, slot_second = 2, slot_return = 3, slot_between = 4, changes_latency = 300 };

struct change {
    const char *name;
    void (*make)(struct desk *desk);
};
extern const struct change changes[];
extern const uint32_t change_count;

/// The desk that changes begin from, without voices.
struct desk desk_before(void);
/// Index of a slot's bus, or RCORE_NONE.
uint32_t desk_index(const struct desk *desk, uint32_t slot);
/// A mono voice of `nframes` of `plane` on each of the first four slots, for the model: on those that the desk has.
void desk_play_on_each(struct desk *desk, const float *plane, uint32_t nframes);
/// The same voices for the core, on every one of the slots. Once a stage.
void desk_play_on_slots(struct desk_stage *stage, const float *plane, uint32_t nframes);

#endif
