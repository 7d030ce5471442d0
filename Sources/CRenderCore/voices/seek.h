/// Seeks in memory sources.
#ifndef RCORE_SEEK_H
#define RCORE_SEEK_H

#include "voices/voice_state.h"

/// Seeks in a memory source, with a crossfade over `ramp_frames` of the source. While another seek
/// crossfades, stores the seek as the pending one, unless `ramp_frames` is 0.
void source_seek(struct voice *voice, uint64_t frame, uint32_t ramp_frames) RCORE_RT;
/// Starts the pending seek, if the crossfade of the previous seek has ended.
void source_follow_seek(struct voice *voice) RCORE_RT;

#endif
