// Follows a MIDI clock.
#include "transport/midi_clock.h"

#include "transport/beat_time.h"
#include "transport/clock.h"
#include "transport/tempo_map.h"
#include "transport/tick_filter.h"
#include "transport/transport.h"

#include <math.h>

static const double clocks_per_quarter = 24.0;
// Song positions count sixteenth notes.
enum { CLOCKS_PER_POSITION = 6 };
// A clock that does not come that many intervals and seconds after the last one is missing.
static const double missing_intervals = 6.0, missing_seconds = 0.25;
// Jitter that is expected at first, in seconds.
static const double first_jitter = 0.001;
// While the beats catch up with the clocks, or wait for them: limits of their tempo, relative to
// that of the clocks.
static const double slowest = 0.5, fastest = 2.0;
// Beats that are further from the clocks than this jump: a quarter note.
static const double jump_clocks = 24.0;
// The position states another tempo if it differs by this part, and by that many times what jitter
// makes uncertain, so that jitter does not change it all the time.
static const double tempo_step = 0.0002, tempo_uncertainties = 4.0;
// A position this little after a clock is at that clock, in clocks.
static const double clock_tolerance = 1e-6;

static double beat_of_clock(const struct transport *transport, uint64_t clock) RCORE_RT {
    return rcore_tempo_map_beat_of_quarter(transport->map, (double)clock / clocks_per_quarter);
}

// Returns the frames from one clock to the next: as measured or, before it has been, by the tempo
// map.
static double interval(const struct transport *transport) RCORE_RT {
    const double measured = transport->midi_clock.ticks.interval;
    if (measured > 0.0) {
        return measured;
    }
    const double beat = beat_of_clock(transport, transport->midi_clock.next);
    const rcore_bar_t bar = rcore_tempo_map_bar(transport->map, beat);
    const double quarters_per_minute = bar.beats_per_minute * 4.0 / bar.beat_unit;
    return transport->rate * 60.0 / (quarters_per_minute * clocks_per_quarter);
}

double midi_clock_tempo(const struct transport *transport, double beat) RCORE_RT {
    const rcore_bar_t bar = rcore_tempo_map_bar(transport->map, beat);
    const double quarters = transport->midi_clock.tempo;
    const double tempo = quarters > 0.0 ? quarters * bar.beat_unit / 4.0 : bar.beats_per_minute;
    return fmin(fmax(tempo, RCORE_MIN_TEMPO), RCORE_MAX_TEMPO);
}

// ---- The position

// Moves a transport that does not roll.
static void set_position(struct transport *transport, double beat) RCORE_RT {
    transport->map_shift = 0.0;
    transport->frame = clock_map_frame(transport, fixed_of_beat(beat));
    transport->line = (struct beat_line){
        .frame = transport->frame,
        .beat = beat,
        .beats_per_minute = midi_clock_tempo(transport, beat),
    };
    transport->uses_line = true;
}

// Stops the transport at a beat.
static void halt(struct transport *transport, double beat) RCORE_RT {
    transport->is_rolling = false;
    set_position(transport, beat);
}

// Moves the transport to a clock. Returns whether a pass begins.
static bool locate(struct transport *transport, uint64_t clock) RCORE_RT {
    const double beat = beat_of_clock(transport, clock);
    const bool moves = transport->is_rolling || beat != clock_line_beat(transport, transport->frame);
    transport->midi_clock.next = clock;
    tick_filter_allow_shift(&transport->midi_clock.ticks);
    transport->is_rolling = false;
    transport->is_starting = transport->midi_clock.is_started;
    if (moves) {
        set_position(transport, beat);
    }
    return moves;
}

void midi_clock_begin(struct transport *transport, double beat) RCORE_RT {
    const double clock = rcore_tempo_map_quarter(transport->map, fmax(beat, 0.0)) * clocks_per_quarter;
    transport->midi_clock = (struct midi_clock){.next = (uint64_t)ceil(clock - clock_tolerance)};
    tick_filter_init(&transport->midi_clock.ticks, first_jitter * transport->rate);
    set_position(transport, beat_of_clock(transport, transport->midi_clock.next));
}

bool midi_clock_change_map(struct transport *transport, const struct rcore_tempo_map *old, double beat) RCORE_RT {
    const double now = rcore_tempo_map_beat_of_quarter(transport->map, rcore_tempo_map_quarter(old, beat));
    if (fabs(now - beat) < clock_tolerance) {
        return false;
    }
    if (transport->is_rolling) {
        transport->line.frame = transport->frame;
        transport->line.beat = now;
    } else {
        set_position(transport, now);
    }
    return true;
}

// ---- Messages

// Measures the clock. Returns whether the position's tempo changes.
static bool measure(struct transport *transport, uint64_t now) RCORE_RT {
    struct midi_clock *clock = &transport->midi_clock;
    const double minute = transport->rate * 60.0 / clocks_per_quarter; // frames × quarters
    tick_filter_add(&clock->ticks, now, minute / RCORE_MAX_TEMPO, minute / RCORE_MIN_TEMPO);
    const double frames = clock->ticks.interval, tempo = frames > 0.0 ? minute / frames : 0.0;
    const double step = fmax(tempo_step, tempo_uncertainties * tick_filter_uncertainty(&clock->ticks) / frames);
    if (fabs(tempo - clock->tempo) <= step * clock->tempo) {
        return false;
    }
    clock->tempo = tempo;
    return true;
}

// Gives the beats the slope to be at the next clock when it is expected.
static void aim(struct transport *transport, uint64_t now, double beat) RCORE_RT {
    const struct midi_clock *clock = &transport->midi_clock;
    const double frames = interval(transport);
    const double next = beat_of_clock(transport, clock->next);
    const double per_frame = (next - beat_of_clock(transport, clock->next - 1)) / frames;
    const double left = fmax(clock->ticks.time + frames - (double)now, 1.0);
    const double slope = fmin(fmax((next - beat) / left, slowest * per_frame), fastest * per_frame);
    transport->line = (struct beat_line){
        .frame = transport->frame,
        .beat = beat,
        .beats_per_minute = slope * transport->rate * 60.0,
    };
}

// The clock that the transport starts or continues with, or a further one. Returns whether a pass
// begins.
static bool advance(struct transport *transport, uint64_t now) RCORE_RT {
    struct midi_clock *clock = &transport->midi_clock;
    const double due = beat_of_clock(transport, clock->next);
    const double beat = clock_line_beat(transport, transport->frame);
    clock->next += 1;
    const double clocks = (due - beat) / (beat_of_clock(transport, clock->next) - due);
    // Of many clocks on one frame, only the first one.
    const bool jumps = fabs(clocks) > jump_clocks && transport->line.frame != transport->frame;
    transport->is_rolling = true;
    transport->is_starting = false;
    aim(transport, now, jumps ? due : beat);
    return jumps;
}

bool midi_clock_receive(struct transport *transport, uint64_t now, const uint8_t *bytes, uint32_t size) RCORE_RT {
    struct midi_clock *clock = &transport->midi_clock;
    switch (bytes[0]) {
    case 0xF8: // clock
        transport->has_changed |= measure(transport, now);
        return clock->is_started && advance(transport, now);
    case 0xFA: // start
        clock->is_started = true;
        transport->has_changed = true;
        return locate(transport, 0);
    case 0xFB: // continue
        clock->is_started = true;
        transport->is_starting = !transport->is_rolling;
        tick_filter_allow_shift(&clock->ticks);
        transport->has_changed = true;
        return false;
    case 0xFC: { // stop
        const bool was_started = clock->is_started;
        clock->is_started = false;
        transport->is_starting = false;
        if (was_started) {
            halt(transport, beat_of_clock(transport, clock->next)); // where a continue goes on
        }
        return was_started;
    }
    case 0xF2: // song position
        return size >= 3 && locate(transport, CLOCKS_PER_POSITION * (uint64_t)(bytes[1] | bytes[2] << 7));
    default:
        return false;
    }
}

bool midi_clock_check(struct transport *transport, uint64_t now) RCORE_RT {
    struct midi_clock *clock = &transport->midi_clock;
    const double limit = fmax(missing_intervals * interval(transport), missing_seconds * transport->rate);
    if (!transport->is_rolling || (double)(now - clock->ticks.last) <= limit) {
        return false;
    }
    // Beats that were ahead of the next clock have been heard.
    const double beat = clock_line_beat(transport, transport->frame);
    halt(transport, fmax(beat, beat_of_clock(transport, clock->next)));
    transport->is_starting = true;
    return true;
}
