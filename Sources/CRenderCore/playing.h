/// The list of voices that play, in the order of their starts, which is the order in which they are added up.
#ifndef RCORE_PLAYING_H
#define RCORE_PLAYING_H

#include "core.h"

/// Puts a voice at the end of the list.
void playing_add(rcore_t *core, struct voice *voice) RCORE_RT;
/// Takes it off and ends it.
void playing_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT;
/// Ends a voice that is not on the list: it is its owner's again, or free.
void voice_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT;

#endif
