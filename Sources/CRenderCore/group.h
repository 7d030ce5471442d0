/// Groups: voices that stand next to each other in the list of the playing ones, go into the same pair, and need nothing beyond gain and pan.
#ifndef RCORE_GROUP_H
#define RCORE_GROUP_H

#include "core.h"

/// Finds out which voices this one may be mixed with, after it went by itself.
void group_join(const rcore_t *core, struct voice *voice) RCORE_RT;
/// Whatever else the voice is told to do, it goes by itself next.
static inline void group_leave(struct voice *voice) RCORE_RT { voice->group = GROUP_NONE; }

/// Renders the voices from `index` of the playing ones on that make up a group, as far as this slice goes for them; returns how many.
uint32_t group_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT;

#endif
