/// The list of playing voices, in the order of their starts. The core mixes them in this order.
#ifndef RCORE_PLAYING_H
#define RCORE_PLAYING_H

#include "voices/voice_state.h"

/// Appends a voice to the list.
void playing_add(rcore_t *core, struct voice *voice) RCORE_RT;
/// Removes a voice from the list and ends it.
void playing_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT;
/// Ends a voice that is not on the list. It then belongs to its owner again or, if it is a
/// one-shot, to the pool.
void voice_end(rcore_t *core, struct voice *voice, rcore_end_t reason) RCORE_RT;
/// Sets the fade of a voice to its envelope. The voice stops when the release begins, or the decay
/// has ended at 0.
void playing_follow_envelope(rcore_t *core, struct voice *voice) RCORE_RT;
/// Lets the fade-out of a stopping voice end within `ramp_frames`, if it would take longer.
void playing_shorten_fade_out(rcore_t *core, struct voice *voice, uint32_t ramp_frames) RCORE_RT;

/// Mixes all playing voices into their buses. [render]
void voices_render(rcore_t *core, uint32_t nframes) RCORE_RT;

#endif
