/// What the cycle asks of an instrument. All functions [render].
#ifndef RCORE_INSTRUMENT_INTERNAL_H
#define RCORE_INSTRUMENT_INTERNAL_H

#include "rcore_instrument.h"

/// Follows a message at the current frame. Ignores segments of system-exclusive messages.
void instrument_message(rcore_t *core, rcore_instrument_t *instrument, const uint8_t *bytes, uint32_t size) RCORE_RT;
/// Ends all notes, each with a fade of the core's `steal_frames`, because no routing has the
/// instrument any longer. The core does not use the instrument afterwards.
void instrument_silence(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;
/// Lets the notes follow the controllers that have changed.
void instrument_apply_changes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;
/// Ends all notes, each with a fade of the core's `steal_frames`, and lifts all pedals.
void instrument_end_notes(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;
/// Begins a cycle: when the core's sample rate has changed, adapts the speed of all notes.
void instrument_begin(rcore_t *core, rcore_instrument_t *instrument) RCORE_RT;

#endif
