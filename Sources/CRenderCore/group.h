/// Four voices in one pass: most voices of most apps are plain, and then reading and writing the bus once for four of them halves the work.
#ifndef RCORE_GROUP_H
#define RCORE_GROUP_H

#include "core.h"

enum { group_size = 4 };

/// Renders the four playing voices from `index` on, if all of them are plain for the next `nframes`: memory at its own speed, mono, led to
/// the first two channels of one bus, with nothing about to begin or end. False: nothing was done.
bool group_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT;

#endif
