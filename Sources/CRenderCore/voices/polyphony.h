/// Polyphony: the voices that count towards `max_playing`, and voice stealing.
#ifndef RCORE_POLYPHONY_H
#define RCORE_POLYPHONY_H

#include "voices/voice_state.h"

/// Counts a voice towards `max_playing`, as the newest of its priority. [render]
void polyphony_join(rcore_t *core, struct voice *voice) RCORE_RT;
/// Stops counting a voice towards `max_playing`; does nothing if it is not counted.
void polyphony_leave(rcore_t *core, struct voice *voice) RCORE_RT;
/// Returns the voice to steal so that a voice of `priority` can start: of the lowest priority, the
/// oldest. Returns NULL if fewer than `max_playing` voices count, or, with `*refused` set to true,
/// if all of them have a higher priority.
struct voice *polyphony_victim(const rcore_t *core, uint32_t priority, bool *refused) RCORE_RT;

#endif
