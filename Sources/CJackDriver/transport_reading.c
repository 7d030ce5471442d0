// Reads the server's transport in a cycle.
//
// PipeWire differs from jackd:
// - While stopped after it has rolled, jackd says the frame that comes next, PipeWire that of the
//   last period that rolled; both roll on with the one that comes next.
// - PipeWire's beats are those of the frame that it said in the cycle before, rounded down to
//   1/1920 beat.
// On both, the beats of the first cycle after a jump may be missing or old, and those of a leader
// that hangs stay as they are.
#include "transport_reading.h"

#include <math.h>

// Beats of a position by its bar, beat and tick; bars by what the leader says of the bar's start,
// or by the meter if it says nothing.
static double bar_begin_of(const jack_position_t *position) RCORE_RT {
    const double ticks = position->bar_start_tick;
    return ticks > 0 ? ticks / position->ticks_per_beat : (double)(position->bar - 1) * (double)position->beats_per_bar;
}

static bool has_tick_double(const jack_position_t *position) RCORE_RT {
    return ((unsigned)position->valid & JackTickDouble) != 0;
}

// Returns whether the position has beats that can be computed with. The core checks their ranges.
static bool has_beats(const jack_position_t *position) RCORE_RT {
    const double ticks = position->ticks_per_beat, tempo = position->beats_per_minute;
    return ((unsigned)position->valid & JackPositionBBT) != 0 && position->bar >= 1 && position->bar < 1000000000 &&
           position->beat >= 1 && ticks >= 1 && ticks < 1e9 && tempo > 0 && tempo < 1e6 &&
           position->beats_per_bar >= 1 && position->beats_per_bar <= 64 && position->beat_type >= 1 &&
           position->beat_type <= 64 && fabs(position->bar_start_tick) < 1e15 &&
           (!has_tick_double(position) || fabs(position->tick_double) < 1e9);
}

// Returns whether the leader has left its beats as they were in the last cycle.
static bool is_stale(const struct transport_reading *reading, const jack_position_t *position) RCORE_RT {
    return reading->report.has_beats && position->bar == reading->bar && position->beat == reading->beat &&
           position->tick == reading->tick &&
           (!has_tick_double(position) || position->tick_double == reading->tick_double);
}

static void remember_beats(struct transport_reading *reading, const jack_position_t *position) RCORE_RT {
    reading->bar = position->bar;
    reading->beat = position->beat;
    reading->tick = position->tick;
    reading->tick_double = has_tick_double(position) ? position->tick_double : 0;
}

// Moves the bar of a report on to the one in which its beat is.
static void find_bar(rcore_server_transport_t *report) RCORE_RT {
    const double bars = floor((report->beat - report->bar_begin) / report->beats_per_bar + 1e-6);
    if (bars != 0 && fabs(bars) < 1e6) {
        report->bar += (int32_t)bars;
        report->bar_begin += bars * report->beats_per_bar;
    }
}

// Sets the beats of a report. `reference`: the frame that the position's beats are for.
static void read_beats(const struct transport_reading *reading, const struct transport_cycle *cycle, uint32_t reference,
                       rcore_server_transport_t *report) RCORE_RT {
    const jack_position_t *position = &cycle->position;
    if (!has_beats(position) || cycle->sample_rate == 0) {
        return;
    }
    const double per_frame = position->beats_per_minute / (60.0 * (double)cycle->sample_rate);
    const double tick = has_tick_double(position) ? position->tick_double : (double)position->tick;
    report->has_beats = true;
    report->beats_per_minute = position->beats_per_minute;
    report->beats_per_bar = (uint32_t)(position->beats_per_bar + 0.5f);
    report->beat_unit = (uint32_t)(position->beat_type + 0.5f);
    report->bar = position->bar - 1;
    report->bar_begin = bar_begin_of(position);
    report->beat_resolution = has_tick_double(position) ? 0 : 1 / position->ticks_per_beat;
    if (cycle->is_pipewire) {
        report->beat_resolution = 2.0 / 1920; // the leader's ticks are rounded as well
    }
    const bool goes_on = report->is_rolling || report->frame == reading->report.frame + reading->nframes;
    if (reading->is_valid && reading->is_rolling && goes_on && is_stale(reading, position)) {
        report->beat = reading->report.beat + (double)(int32_t)(report->frame - reading->report.frame) * per_frame;
    } else {
        report->beat = report->bar_begin + (position->beat - 1) + tick / position->ticks_per_beat +
                       (double)(int32_t)(report->frame - reference) * per_frame;
    }
    find_bar(report);
}

// Returns the frame that the position's beats are for. With an offset, that counts from the frame
// that rolls next, also on PipeWire, where only this library's leaders are known to set one.
static uint32_t beats_frame(const struct transport_reading *reading, const struct transport_cycle *cycle,
                            const rcore_server_transport_t *report) RCORE_RT {
    const jack_position_t *position = &cycle->position;
    if (((unsigned)position->valid & JackBBTFrameOffset) != 0) {
        return report->frame - position->bbt_offset;
    }
    if (!cycle->is_pipewire || position->frame == reading->server_frame) {
        return position->frame;
    }
    // This client has not seen the cycle before.
    if (!reading->is_valid || cycle->time - reading->time != reading->nframes) {
        return position->frame - (report->is_rolling ? cycle->nframes : 0);
    }
    return reading->server_frame;
}

// Whether the server moves its transport in this cycle, so that its beats may be those of before.
// Nothing is heard until it rolls, so the report is held back for one cycle.
static bool must_hold_back(const struct transport_reading *reading, const rcore_server_transport_t *report) RCORE_RT {
    const uint32_t expected = reading->report.frame + (reading->is_rolling ? reading->nframes : 0);
    return reading->is_valid && !report->is_rolling && report->frame != expected && reading->report.has_beats &&
           !reading->is_held_back;
}

// Returns whether the server skipped cycles of this client while its transport rolled. What was to
// be heard in more than a quarter of a second is not made up for: then the position has jumped.
static bool is_gap(const struct transport_reading *reading, const struct transport_cycle *cycle) RCORE_RT {
    const uint32_t time = cycle->time - reading->time, frames = cycle->position.frame - reading->server_frame;
    const uint32_t longest = cycle->sample_rate / 4;
    return time != reading->nframes && time <= longest && frames <= longest;
}

// Returns whether PipeWire's frame is that of a period that rolled since the last cycle was read.
// Cycles may have been missed.
static bool has_just_rolled(const struct transport_reading *reading, const struct transport_cycle *cycle) RCORE_RT {
    const uint32_t moved = cycle->position.frame - reading->server_frame;
    const bool could_roll = reading->nframes > 0 && moved < cycle->time - reading->time;
    return cycle->is_pipewire && reading->is_valid && reading->is_rolling &&
           (moved == 0 || (could_roll && moved % reading->nframes == 0));
}

void transport_read(struct transport_reading *reading, const struct transport_cycle *cycle) RCORE_RT {
    const uint32_t server_frame = cycle->position.frame;
    const bool rolls = cycle->state == JackTransportRolling || cycle->state == JackTransportLooping;
    if (!rolls && has_just_rolled(reading, cycle)) {
        reading->held_frames = reading->nframes;
    } else if (rolls || !reading->is_valid || server_frame != reading->server_frame) {
        reading->held_frames = 0;
    }
    rcore_server_transport_t report = {
        .is_rolling = rolls,
        .is_starting = cycle->state == JackTransportStarting || cycle->state == JackTransportNetStarting,
        .is_after_gap = rolls && reading->is_valid && reading->is_rolling && is_gap(reading, cycle),
        .frame = server_frame + reading->held_frames,
    };
    if (must_hold_back(reading, &report)) {
        reading->report.is_rolling = false;
        reading->report.is_starting = report.is_starting;
        reading->report.frame += reading->is_rolling ? reading->nframes : 0;
        reading->report.is_after_gap = false;
        reading->is_held_back = true;
    } else {
        read_beats(reading, cycle, beats_frame(reading, cycle, &report), &report);
        remember_beats(reading, &cycle->position);
        reading->report = report;
        reading->is_held_back = false;
    }
    reading->is_valid = true;
    reading->is_rolling = rolls;
    reading->nframes = cycle->nframes;
    reading->time = cycle->time;
    reading->server_frame = server_frame;
}

uint32_t transport_core_frame(const struct transport_reading *reading, uint32_t server_frame) RCORE_RT {
    return reading->is_valid && server_frame == reading->server_frame ? server_frame + reading->held_frames
                                                                      : server_frame;
}

void transport_write_beats(jack_position_t *position, const rcore_server_transport_t *transport, uint32_t distance,
                           bool is_pipewire) RCORE_RT {
    // PipeWire rounds the beat down to its own ticks; coarser ones would be rounded twice.
    const double ticks_per_beat = is_pipewire ? 1920.0 * 256 : 1920.0;
    // PipeWire keeps no starts of bars, and computes the beats from their number: so they are
    // counted as if the meter had always been the same.
    const double beats_per_bar = transport->beats_per_bar;
    double bars = is_pipewire ? floor(fmax(0, transport->beat) / beats_per_bar + 1e-7) : transport->bar;
    double bar_begin = is_pipewire ? bars * beats_per_bar : transport->bar_begin;
    // A beat that is computed as slightly less than a whole one is that one, also in the next bar.
    if (transport->beat - bar_begin + 1e-7 >= beats_per_bar) {
        bars += 1;
        bar_begin += beats_per_bar;
    }
    const double in_bar = fmax(0, transport->beat - bar_begin + 1e-7);
    const double whole = floor(in_bar), tick = (in_bar - whole) * ticks_per_beat;
    unsigned valid = JackPositionBBT | JackTickDouble;
    position->bar = (int32_t)bars + 1;
    position->beat = (int32_t)whole + 1;
    position->tick = (int32_t)tick;
    position->tick_double = tick;
    position->bar_start_tick = bar_begin * ticks_per_beat;
    position->beats_per_bar = (float)beats_per_bar;
    position->beat_type = (float)transport->beat_unit;
    position->ticks_per_beat = ticks_per_beat;
    position->beats_per_minute = transport->beats_per_minute;
    position->bbt_offset = distance;
    if (distance > 0) {
        valid |= JackBBTFrameOffset;
    }
    position->valid = (jack_position_bits_t)valid;
}
