/// Batches: voices that are adjacent in the list of playing voices, play to the same channel pair,
/// and need only gain and pan.
#ifndef RCORE_VOICE_BATCH_H
#define RCORE_VOICE_BATCH_H

#include "voices/voice_state.h"

/// Determines which batch a voice can join, after it was rendered on its own.
void batch_join(const rcore_t *core, struct voice *voice) RCORE_RT;
/// Takes a voice out of its batch, because of a command; it is rendered on its own next.
static inline void batch_leave(struct voice *voice) RCORE_RT { voice->batch = BATCH_NONE; }

/// Renders the voices, from `index` in the list of playing voices on, that form a batch in this
/// block. Returns their number; 0 if the first cannot be rendered in a batch.
uint32_t batch_render(rcore_t *core, uint32_t index, uint32_t nframes) RCORE_RT;

#endif
