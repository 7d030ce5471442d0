/// The voices of notes: starts, releases, chokes and steals them. All functions [render].
#ifndef RCORE_NOTE_VOICES_H
#define RCORE_NOTE_VOICES_H

#include "midi/instrument_state.h"

/// Starts a note of a zone; if the instrument plays `max_notes`, steals another one. Returns false
/// if no voice is free.
bool note_start(rcore_t *core, rcore_instrument_t *instrument, struct zone *zone, uint32_t channel, uint32_t key,
                uint8_t velocity) RCORE_RT;
/// Releases a note, as its zone requires, and takes it from its key.
void note_release(rcore_t *core, rcore_instrument_t *instrument, struct note *note) RCORE_RT;
/// Fades a note out. If its voice ends at once, the note is unused afterwards.
void note_stop(rcore_t *core, rcore_instrument_t *instrument, struct note *note, uint32_t ramp_frames) RCORE_RT;
/// Ends the notes of a choke list, except those of the current message.
void notes_choke(rcore_t *core, rcore_instrument_t *instrument, const struct note_list *list) RCORE_RT;
/// Removes the notes whose voices have ended.
void notes_sweep(const rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;
/// Removes all notes, whose voices have been stopped.
void notes_forget(rcore_instrument_t *instrument) RCORE_RT;

#endif
