/// Commands to voices.
#ifndef RCORE_VOICES_H
#define RCORE_VOICES_H

#include "queue/command.h"

/// Starts a voice of the cycle itself on a handle that it has just acquired, now. The parameters
/// are valid and those of a one-shot. Returns false if the voice was refused; its handle is then
/// stale.
bool voice_begin(rcore_t *core, rcore_voice_t handle, const rcore_voice_params_t *params) RCORE_RT;
/// Applies one voice command. Returns false if the voice had not ended and its session is
/// suspended; otherwise true, also for a stale handle.
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Returns the frames after which the envelope of a note's voice can move to its sustain level:
/// until the end of an attack that is not over, because the session was suspended or frames were
/// skipped. During a suspension at least a block, so that the command does not divide every block.
uint32_t voice_envelope_wait(const rcore_t *core, rcore_voice_t handle) RCORE_RT;
/// Stops every started voice of a bus slot, or of all slots (RCORE_NONE).
void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT;

#endif
