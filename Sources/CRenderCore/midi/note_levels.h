/// Gain, pan, pitch and cutoff frequency of notes. All functions [render].
#ifndef RCORE_NOTE_LEVELS_H
#define RCORE_NOTE_LEVELS_H

#include "midi/instrument_state.h"

/// Sets gain, pan, speed and cutoff of a note that is about to start.
void note_set_levels(const rcore_t *core, const rcore_instrument_t *instrument, struct note *note) RCORE_RT;
/// Moves gain, pan, speed and cutoff of a note to the values that its controllers now require,
/// within `ramp_frames`.
void note_follow(rcore_t *core, const rcore_instrument_t *instrument, struct note *note, uint32_t ramp_frames) RCORE_RT;
/// Has all notes of the channels in a mask follow their controllers, before the next frame is
/// rendered: however many messages a frame has, they are computed once.
void notes_follow(rcore_t *core, rcore_instrument_t *instrument, uint32_t channels) RCORE_RT;
/// Moves the notes that must follow, within the instrument's `ramp_frames`.
void notes_apply_changes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;

#endif
