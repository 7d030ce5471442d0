/// Mixers that differ from one base mixer in one property each, for tests of plan changes.
#ifndef MIXER_CHANGES_H
#define MIXER_CHANGES_H

#include "mixer_stage.h"

/// Slots of the base mixer. Buses 1 and 2 are routed to the master, and the master is connected to
/// a route. Bus 1 sends to the effect return.
enum { slot_master = 0, slot_first = 1, slot_second = 2, slot_return = 3, slot_between = 4, changes_latency = 300 };

struct change {
    const char *name;
    void (*make)(struct mixer *mixer);
};
extern const struct change changes[];
extern const uint32_t change_count;

/// Returns the base mixer that every change starts from, without voices.
struct mixer mixer_before(void);
/// Returns the index of the bus with this slot, or RCORE_NONE.
uint32_t mixer_index(const struct mixer *mixer, uint32_t slot);
/// Adds to the model a mono voice that plays `nframes` of `plane` on each of the first four slots
/// that the mixer has.
void mixer_play_on_each(struct mixer *mixer, const float *plane, uint32_t nframes);
/// Starts the same voices in the core, on all four slots. Call it once per stage.
void mixer_play_on_slots(struct mixer_stage *stage, const float *plane, uint32_t nframes);

#endif
