/// An insert for tests: a gain and a delay that count how they are called.
#ifndef DESK_EFFECT_H
#define DESK_EFFECT_H

#include "rcore_plan.h"

enum { desk_effect_channels = 4 };

/// What an insert of a desk points to.
struct desk_effect {
    float *ring[desk_effect_channels]; ///< the last `latency` frames
    uint32_t place;
    uint32_t latency;
    uint32_t channels;
    float gain;
    bool given;         ///< made, for a plan
    bool gone;          ///< no plan that the core holds has it: from now on no call may come
    uint32_t rendered;  ///< frames since whoever watches set it to 0
    uint64_t calls;     ///< since it was made
    uint64_t bad_calls; ///< after it was gone, or of other channels
};

/// Makes it: it puts out `gain` times what came `latency` frames ago, of up to four channels.
void desk_effect_open(struct desk_effect *effect, uint32_t channels, uint32_t latency, float gain);
void desk_effect_close(struct desk_effect *effect);
/// Forgets what it holds. Nobody may call it meanwhile.
void desk_effect_clear(struct desk_effect *effect);
/// As a bus's insert.
rcore_insert_t desk_effect_insert(struct desk_effect *effect);

#endif
