/// Commands to voices.
#ifndef RCORE_VOICES_H
#define RCORE_VOICES_H

#include "queue/command.h"
#include "voices/envelope.h"
#include "voices/filter.h"

/// Starts a voice of the cycle itself on a handle that it has just acquired, now. The parameters
/// are valid and those of a one-shot without a fade-in. Of the envelope, lengths, sustain level and
/// curve are set. `filter` NULL: no filter. `leaves_loop`: its loop may end before it does. Returns
/// false if the voice was refused; its handle is then stale.
bool voice_begin(rcore_t *core, rcore_voice_t handle, const rcore_voice_params_t *params,
                 const struct envelope *envelope, const struct filter_settings *filter, bool leaves_loop) RCORE_RT;
/// Applies one voice command. Returns false if the voice had not ended and its session is
/// suspended; otherwise true, also for a stale handle.
bool voice_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Stops every started voice of a bus slot, or of all slots (RCORE_NONE).
void voices_stop(rcore_t *core, uint32_t slot, uint32_t ramp_frames) RCORE_RT;

#endif
