/// The transport in the cycle: whether it rolls, its position, and which beat is at which frame.
#ifndef RCORE_TRANSPORT_INTERNAL_H
#define RCORE_TRANSPORT_INTERNAL_H

#include "queue/command.h"
#include "transport/beat_time.h"
#include "transport/midi_clock.h"
#include "transport/position.h"
#include "transport/tempo_map.h"
#include "transport/time_code.h"

/// Beats at a constant tempo, which the leader of a server's transport or a MIDI clock assigns: a
/// transport frame and its beat.
struct beat_line {
    int64_t frame;
    double beat;
    double beats_per_minute;
};

/// The bar of a leader's last report.
struct leader_bar {
    int32_t bar;
    double begin;
    uint32_t beats_per_bar;
    uint32_t beat_unit;
};

struct transport {
    // [render]
    bool is_rolling;
    bool is_starting;
    rcore_transport_source_t source;
    /// The server's transport has a leader.
    bool has_leader;
    /// The beats are those of `line`: of a MIDI clock, or of a leader, also after it has gone,
    /// until the transport stops.
    bool uses_line;
    /// Of the core's own transport: time at which it began to wait until its pass is prepared.
    uint64_t starting_since;
    /// The position must be published although the transport is stopped.
    bool has_changed;
    /// `report` is for this cycle.
    bool has_report;
    uint32_t pass;
    /// The beat at which it began.
    double pass_begin;
    /// Transport frame at the current time of the core.
    int64_t frame;
    /// Sample rate to which `map_shift`, `line` and `midi_clock` apply.
    uint32_t rate;
    const rcore_tempo_map_t *map;
    /// Transport frame f is at the place f + `map_shift` of the map, in frames, and further by
    /// `map_slope` with each frame from `map_slope_frame` on. Not 0 only after the map or the
    /// sample rate has changed without a jump, and with time code.
    double map_shift;
    double map_slope;
    int64_t map_slope_frame;
    struct beat_line line;
    struct leader_bar leader;
    struct midi_clock midi_clock;
    struct time_code time_code;
    rcore_server_transport_t report;
    /// The position that was published last.
    rcore_transport_t published;

    /// [any]
    struct position_board board;
    _Atomic(bool) requires_preparation;
    /// The time code of transport frame 0, in seconds.
    _Atomic(double) time_code_start;
    /// 1 + the pass that was prepared last; 0: none.
    _Atomic(uint64_t) prepared;
    /// The map that was posted last.
    _Atomic(const rcore_tempo_map_t *) newest_map;
    /// The cycle no longer uses maps with lower serials.
    _Atomic(uint64_t) retired_serial;
    /// Newest first. [control]
    rcore_tempo_map_t *posted_maps;
    uint64_t posted_serial;
};

/// Returns whether a time is a beat.
static inline bool time_is_beat(uint64_t when) RCORE_RT { return when >> 63 != 0; }
/// Returns whether the beat is one of the current pass.
static inline bool time_is_in_pass(const struct transport *transport, uint64_t when) RCORE_RT {
    return (when >> BEAT_PASS_SHIFT & BEAT_PASS_MASK) == (transport->pass & BEAT_PASS_MASK);
}

/// Initialises the transport of a new core. [control]
void transport_init(rcore_t *core);
/// Frees every map that is posted. [control & !active]
void transport_destroy(rcore_t *core);

// ---- In the cycle: [render]

/// Begins a cycle: takes the newest tempo map, the sample rate and the server's report. Returns
/// whether a new pass begins.
bool transport_begin(rcore_t *core) RCORE_RT;
/// Carries out a COMMAND_TRANSPORT_…. Returns whether a new pass begins.
bool transport_apply(rcore_t *core, const struct command *command) RCORE_RT;
/// Handles a MIDI message to the transport. Returns whether a new pass begins.
bool transport_receive(rcore_t *core, const uint8_t *bytes, uint32_t size) RCORE_RT;
/// Publishes the position at the end of a cycle.
void transport_publish(rcore_t *core) RCORE_RT;

/// The core's time is advanced without cycles: the transport stays, and does not wait meanwhile.
static inline void transport_skip(struct transport *transport, uint64_t nframes) RCORE_RT {
    transport->starting_since += nframes;
}
/// Advances the position by the frames of a block.
static inline void transport_advance(struct transport *transport, uint32_t nframes) RCORE_RT {
    transport->frame += transport->is_rolling ? nframes : 0;
}

#endif
