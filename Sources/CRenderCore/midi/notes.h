/// Keys of an instrument, and the notes that they start, hold and release. All functions [render].
#ifndef RCORE_NOTES_H
#define RCORE_NOTES_H

#include "midi/instrument_state.h"

/// Starts the zones of a key, velocity and the channel's program, and releases the key's earlier
/// note. Does nothing while the session is suspended.
void notes_on(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key, uint8_t velocity) RCORE_RT;
/// Follows a key that goes up: releases its note, unless a pedal holds it.
void notes_off(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel, uint32_t key) RCORE_RT;
/// Like `notes_off`, for all keys of a channel.
void notes_off_all(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT;
/// Releases the notes of a channel that a pedal held and none holds any longer.
void notes_follow_pedals(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT;
/// Ends all notes of a channel, each with a fade of the core's `steal_frames`.
void notes_stop(rcore_t *core, rcore_instrument_t *instrument, uint32_t channel) RCORE_RT;

#endif
