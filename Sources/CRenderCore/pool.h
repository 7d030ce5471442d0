/// Voices and who has them.
#ifndef RCORE_POOL_H
#define RCORE_POOL_H

#include "core.h"

/// Makes a voice free: handles to it are stale from now on. [any], by whoever owns the voice
void pool_give_back(rcore_t *core, struct voice *voice) RCORE_RT;

#endif
