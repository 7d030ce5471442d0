/// How the transport follows a MIDI clock: 24 clocks per quarter note, with start, continue, stop
/// and song position.
///
/// After a start or continue, the transport rolls from the frame of the next clock on. At each
/// clock, the beats get the slope with which they arrive where the next clock is expected
/// (tick_filter.h), so that they never jump and never go back, whatever the jitter.
#ifndef RCORE_MIDI_CLOCK_H
#define RCORE_MIDI_CLOCK_H

#include "transport/tick_filter.h"

struct transport;
struct rcore_tempo_map;

struct midi_clock {
    struct tick_filter ticks;
    /// Number of the clock that comes next while it is started; the start of the piece is clock 0.
    uint64_t next;
    /// A start or continue has come, and no stop since.
    bool is_started;
    /// Quarter notes per minute, as the position has them; 0: not known.
    double tempo;
};

/// Begins to follow a clock, with a transport that is stopped at the first clock from `beat` on.
/// [render]
void midi_clock_begin(struct transport *transport, double beat) RCORE_RT;
/// Handles a MIDI message at the frame `now` of the core. Returns whether a new pass begins.
/// [render]
bool midi_clock_receive(struct transport *transport, uint64_t now, const uint8_t *bytes, uint32_t size) RCORE_RT;
/// Lets a transport that rolls wait if clocks are missing. Returns whether a new pass begins: it
/// waits. [render]
bool midi_clock_check(struct transport *transport, uint64_t now) RCORE_RT;
/// Keeps the position in quarter notes when another map than `old` has other meters. `beat`: the
/// position by the old map. Returns whether a new pass begins: the beat is another one. [render]
bool midi_clock_change_map(struct transport *transport, const struct rcore_tempo_map *old, double beat) RCORE_RT;
/// Returns the tempo that the position states, in beats per minute of the map's meter there.
/// [render]
double midi_clock_tempo(const struct transport *transport, double beat) RCORE_RT;

#endif
