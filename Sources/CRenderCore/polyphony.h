/// Places for voices: who holds one, and who must give one up.
#ifndef RCORE_POLYPHONY_H
#define RCORE_POLYPHONY_H

#include "core.h"

/// Gives a voice a place, behind all others of its priority. [render]
void polyphony_join(rcore_t *core, struct voice *voice) RCORE_RT;
/// Takes its place from it; a voice without one stays as it is.
void polyphony_leave(rcore_t *core, struct voice *voice) RCORE_RT;
/// Who must leave so that one of `priority` gets a place: NULL while there is room, or if nobody's priority is as low (`*refused`).
struct voice *polyphony_victim(const rcore_t *core, uint32_t priority, bool *refused) RCORE_RT;

#endif
