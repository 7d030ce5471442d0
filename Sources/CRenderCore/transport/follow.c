// The server's transport: how the core follows it, and what it reports as its leader.
//
// A leader reports the beat of each cycle's first frame, most leaders rounded down to a tick. If
// the core took each report for exact, commands would move by up to a tick. So it computes the
// beats from an anchor, as long as the reports agree with it.
#include "transport/follow.h"

#include "core/core.h"
#include "transport/clock.h"
#include "transport/tempo_map.h"
#include "transport/transport.h"

#include <math.h>

// How far an exact report may be from the computed beat.
static const double exact_tolerance = 1e-6;
// A new anchor further from the old one than this, in beats, is a jump.
static const double jump_beats = 1.0;

void rcore_follow_transport(rcore_t *core, const rcore_server_transport_t *transport) RCORE_RT {
    core->transport.report = *transport;
    core->transport.has_report = true;
}

// Also false for NaN.
static bool beat_is_valid(double beat) RCORE_RT { return fabs(beat) <= RCORE_MAX_BEAT; }

static bool beats_are_valid(const rcore_server_transport_t *report) RCORE_RT {
    return report->has_beats && beat_is_valid(report->beat) && beat_is_valid(report->bar_begin) &&
           report->beat_resolution >= 0.0 && report->beat_resolution <= 1.0 &&
           tempo_is_valid(report->beats_per_minute) && meter_is_valid(report->beats_per_bar, report->beat_unit);
}

// Returns whether a report agrees with a beat: it is up to one resolution away from the range that
// was rounded to it.
static bool agrees(const rcore_server_transport_t *report, double beat) RCORE_RT {
    const double middle = report->beat + report->beat_resolution / 2.0;
    return fabs(middle - beat) <= fmax(1.5 * report->beat_resolution, exact_tolerance);
}

// Sets the anchor for this frame. Clients that join at different times agree exactly if the tempo
// has been the same since frame 0: then frame 0 is their anchor.
static void set_anchor(struct transport *transport, const rcore_server_transport_t *report) RCORE_RT {
    struct beat_line *line = &transport->line;
    line->frame = 0;
    line->beat = 0.0;
    line->beats_per_minute = report->beats_per_minute;
    if (!agrees(report, clock_line_beat(transport, transport->frame))) {
        line->frame = transport->frame;
        line->beat = report->beat;
    }
}

static void follow_leader(struct transport *transport, const rcore_server_transport_t *report,
                          bool keeps_anchor) RCORE_RT {
    struct beat_line *line = &transport->line;
    const double beat = clock_line_beat(transport, transport->frame);
    if (!keeps_anchor || !agrees(report, beat)) {
        set_anchor(transport, report);
    } else if (report->beats_per_minute != line->beats_per_minute) {
        line->frame = transport->frame;
        line->beat = beat;
        line->beats_per_minute = report->beats_per_minute;
    }
    transport->leader = (struct leader_bar){
        .bar = report->bar,
        .begin = report->bar_begin,
        .beats_per_bar = report->beats_per_bar,
        .beat_unit = report->beat_unit,
    };
}

// Takes the beats of a report for the current frame. Returns whether a pass begins.
static bool follow_beats(struct transport *transport, const rcore_server_transport_t *report, bool is_jump) RCORE_RT {
    const double before = clock_beat(transport);
    const bool is_same_meter =
        report->beats_per_bar == transport->leader.beats_per_bar && report->beat_unit == transport->leader.beat_unit;
    const bool changes_meter = transport->has_leader && beats_are_valid(report) && !is_same_meter;
    transport->has_leader = beats_are_valid(report);
    if (transport->has_leader) {
        follow_leader(transport, report, transport->uses_line && !is_jump);
        transport->uses_line = true;
    } else if (transport->uses_line && !transport->is_rolling && !transport->is_starting) {
        // Until now, the beats have gone on as if the leader were still there. (jackd moves the
        // transport back by some periods when its leader ends.)
        transport->uses_line = false;
        transport->map_shift = 0.0;
    }
    // What waits for a transport that does not roll was posted for other beats or bars.
    const double moved = fabs(clock_beat(transport) - before);
    const bool has_moved = moved > fmax(1.5 * report->beat_resolution, exact_tolerance);
    return moved > jump_beats || (!transport->is_rolling && (changes_meter || has_moved));
}

bool transport_follow(struct transport *transport) RCORE_RT {
    const bool was_rolling = transport->is_rolling, was_started = was_rolling || transport->is_starting;
    const rcore_server_transport_t *report = &transport->report;
    const bool has_report = transport->has_report;
    transport->has_report = false;
    transport->is_rolling = has_report && report->is_rolling;
    transport->is_starting = has_report && report->is_starting && !report->is_rolling;
    const bool is_started = transport->is_rolling || transport->is_starting;
    // A server may let a transport that rolls wait for some cycles, without a jump.
    bool begins_pass = was_started && !is_started;
    if (has_report) {
        // Modulo 2^32: a transport that rolls beyond the server's last frame goes on.
        const uint32_t ahead = report->frame - (uint32_t)transport->frame;
        const bool skipped = report->is_after_gap && was_rolling && report->is_rolling && ahead <= INT32_MAX;
        const bool is_jump = ahead != 0 && !skipped;
        transport->frame = is_jump ? report->frame : transport->frame + ahead;
        transport->map_shift = is_jump ? 0.0 : transport->map_shift;
        begins_pass |= follow_beats(transport, report, is_jump) || is_jump;
    }
    return begins_pass;
}

void rcore_lead_transport(const rcore_t *core, uint32_t frame, bool is_jump,
                          rcore_server_transport_t *transport) RCORE_RT {
    const struct transport *own = &core->transport;
    const uint32_t ahead = frame - (uint32_t)own->frame;
    // Where the position goes on, no client sees a jump, nor does this core.
    const bool goes_on = own->source == RCORE_TRANSPORT_SERVER && (!is_jump || ahead == 0);
    const double map_frame = goes_on ? (double)(own->frame + (int32_t)ahead) + own->map_shift : frame;
    const double beat = rcore_tempo_map_beat(own->map, map_frame / own->rate);
    const rcore_bar_t bar = rcore_tempo_map_bar(own->map, beat);
    transport->has_beats = true;
    transport->beat = beat;
    transport->beat_resolution = 0.0;
    transport->beats_per_minute = bar.beats_per_minute;
    transport->bar = bar.bar;
    transport->bar_begin = bar.begin;
    transport->beats_per_bar = bar.beats_per_bar;
    transport->beat_unit = bar.beat_unit;
}
