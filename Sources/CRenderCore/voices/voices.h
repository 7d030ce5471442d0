/// Commands to voices.
#ifndef RCORE_VOICES_H
#define RCORE_VOICES_H

#include "queue/command.h"

/// Applies one voice command. Returns false if the voice had not ended and its session is
/// suspended; otherwise true, also for a stale handle.
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Stops every started voice of a bus slot, or of all slots (RCORE_NONE).
void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT;

#endif
