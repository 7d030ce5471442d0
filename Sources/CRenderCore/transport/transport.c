// The core's transport in the cycle.
#include "transport/transport.h"

#include "core/core.h"
#include "transport/beat_time.h"
#include "transport/clock.h"
#include "transport/follow.h"
#include "transport/position.h"
#include "transport/preparation.h"
#include "transport/tempo_map.h"
#include "transport/tick_filter.h"
#include "transport/time_code.h"

#include <math.h>

// A position that another map moves by less than this many beats stays.
static const double beat_tolerance = 1e-6;

static bool begin_pass(struct transport *transport) RCORE_RT {
    transport->pass += 1;
    transport->pass_begin = clock_beat(transport);
    transport->has_changed = true;
    return true;
}

// ---- Beginning of a cycle

// Keeps the beat of the position when the sample rate changes.
static void change_rate(struct transport *transport, uint32_t rate) RCORE_RT {
    const double place = clock_map_place(transport, transport->frame);
    transport->line.beat = clock_line_beat(transport, transport->frame);
    transport->line.frame = transport->frame;
    transport->map_shift = place * rate / transport->rate - (double)transport->frame;
    transport->map_slope_frame = transport->frame;
    tick_filter_change_rate(&transport->time_code.ticks, (double)rate / transport->rate);
    tick_filter_change_rate(&transport->midi_clock.ticks, (double)rate / transport->rate);
    transport->rate = rate;
}

// Keeps the beat of the position when the map changes. Returns whether a new pass begins.
static bool change_map(rcore_t *core, const rcore_tempo_map_t *map) RCORE_RT {
    struct transport *transport = &core->transport;
    const rcore_tempo_map_t *old = transport->map;
    const double beat = clock_beat(transport);
    if (transport->source != RCORE_TRANSPORT_TIME_CODE) { // whose time stays
        const double map_beat = clock_map_beat(transport, transport->frame);
        transport->map_shift = rcore_tempo_map_seconds(map, map_beat) * transport->rate - (double)transport->frame;
    }
    transport->map = map;
    transport->has_changed = true;
    // Release: control frees what the cycle has used before.
    atomic_store_explicit(&transport->retired_serial, map->serial, memory_order_release);
    core->work.is_due = true;
    const bool is_clocked = transport->source == RCORE_TRANSPORT_MIDI_CLOCK;
    const bool is_timed = transport->source == RCORE_TRANSPORT_TIME_CODE;
    const bool moves = (is_clocked && midi_clock_change_map(transport, old, beat)) ||
                       (is_timed && fabs(clock_beat(transport) - beat) > beat_tolerance);
    // What waits may have been posted for other bars and beats. While the transport rolls, it
    // stays, so that nothing is missing.
    return (moves || !transport->is_rolling) && begin_pass(transport);
}

// Returns whether the core's own transport, which is starting, may roll.
static bool may_roll(const rcore_t *core) RCORE_RT {
    const struct transport *transport = &core->transport;
    const uint64_t limit = (uint64_t)RCORE_PREPARATION_SECONDS * transport->rate;
    return transport_is_prepared(transport) || core_now(core) - transport->starting_since > limit;
}

bool transport_begin(rcore_t *core) RCORE_RT {
    struct transport *transport = &core->transport;
    const uint32_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    const rcore_tempo_map_t *map = atomic_load_explicit(&transport->newest_map, memory_order_acquire);
    if (rate != transport->rate) {
        change_rate(transport, rate);
    }
    const bool begins_pass = map != transport->map && change_map(core, map);
    if (transport->source == RCORE_TRANSPORT_SERVER) {
        return (transport_follow(transport) && begin_pass(transport)) || begins_pass;
    }
    if (transport->source == RCORE_TRANSPORT_MIDI_CLOCK) {
        return (midi_clock_check(transport, core_now(core)) && begin_pass(transport)) || begins_pass;
    }
    if (transport->source == RCORE_TRANSPORT_TIME_CODE) {
        return (time_code_check(transport, core_now(core)) && begin_pass(transport)) || begins_pass;
    }
    if (transport->is_starting && may_roll(core)) {
        transport->is_starting = false;
        transport->is_rolling = true;
    }
    return begins_pass;
}

// ---- Commands

static bool stop(struct transport *transport) RCORE_RT {
    transport->is_rolling = false;
    transport->is_starting = false;
    return begin_pass(transport);
}

// Starts the transport, at once if the pass is prepared.
static void start(rcore_t *core) RCORE_RT {
    struct transport *transport = &core->transport;
    if (transport->is_rolling || transport->is_starting) {
        return;
    }
    transport->is_rolling = transport_is_prepared(transport);
    transport->is_starting = !transport->is_rolling;
    transport->starting_since = core_now(core);
    transport->has_changed = true;
}

// `fixed`: the beat, as in the time of a command. Rolls on once the new pass is prepared.
static bool locate(rcore_t *core, uint64_t fixed) RCORE_RT {
    struct transport *transport = &core->transport;
    const bool is_started = transport->is_rolling || transport->is_starting;
    transport->map_shift = 0.0;
    transport->frame = clock_map_frame(transport, fixed);
    const bool begins = stop(transport);
    if (is_started) {
        start(core);
    }
    return begins;
}

static bool select_source(struct transport *transport, rcore_transport_source_t source) RCORE_RT {
    const double beat = clock_beat(transport);
    const bool was_midi =
        transport->source == RCORE_TRANSPORT_MIDI_CLOCK || transport->source == RCORE_TRANSPORT_TIME_CODE;
    transport->source = source;
    transport->has_leader = false;
    transport->uses_line = false;
    transport->has_report = false;
    transport->map_shift = 0.0;
    transport->map_slope = 0.0;
    if (source == RCORE_TRANSPORT_MIDI_CLOCK) {
        midi_clock_begin(transport, beat);
    } else if (was_midi) {
        transport->frame = clock_map_frame(transport, fixed_of_beat(beat));
    }
    time_code_begin(transport);
    return stop(transport);
}

bool transport_apply(rcore_t *core, const struct command *command) RCORE_RT {
    struct transport *transport = &core->transport;
    if (command->kind == COMMAND_TRANSPORT_SOURCE) {
        const rcore_transport_source_t source = (rcore_transport_source_t)command->frame;
        return source != transport->source && select_source(transport, source);
    }
    if (command->kind == COMMAND_TRANSPORT_RENEW) {
        return begin_pass(transport);
    }
    if (transport->source != RCORE_TRANSPORT_OWN) {
        return false;
    }
    switch (command->kind) {
    case COMMAND_TRANSPORT_START:
        start(core);
        return false;
    case COMMAND_TRANSPORT_STOP:
        return (transport->is_rolling || transport->is_starting) && stop(transport);
    case COMMAND_TRANSPORT_LOCATE:
        return locate(core, command->frame);
    default:
        return false;
    }
}

bool transport_receive(rcore_t *core, const uint8_t *bytes, uint32_t size) RCORE_RT {
    struct transport *transport = &core->transport;
    switch (transport->source) {
    case RCORE_TRANSPORT_MIDI_CLOCK:
        return midi_clock_receive(transport, core_now(core), bytes, size) && begin_pass(transport);
    case RCORE_TRANSPORT_TIME_CODE:
        return time_code_receive(transport, core_now(core), bytes, size) && begin_pass(transport);
    default:
        return false;
    }
}

// ---- End of a cycle

static void set_bar(const struct transport *transport, rcore_transport_t *position) RCORE_RT {
    const bool is_clocked = transport->source == RCORE_TRANSPORT_MIDI_CLOCK;
    if (is_clocked || !transport->uses_line) {
        const rcore_bar_t bar = rcore_tempo_map_bar(transport->map, position->beat);
        position->bar = bar.bar;
        position->bar_begin = bar.begin;
        position->beats_per_bar = bar.beats_per_bar;
        position->beat_unit = bar.beat_unit;
        position->beats_per_minute = is_clocked ? midi_clock_tempo(transport, position->beat) : bar.beats_per_minute;
        return;
    }
    const struct leader_bar *leader = &transport->leader;
    // The report was for the beginning of the cycle; a bar may have begun since.
    const double bars = fmax(floor((position->beat - leader->begin) / leader->beats_per_bar), 0.0);
    position->bar = bar_after(leader->bar, bars);
    position->bar_begin = leader->begin + bars * leader->beats_per_bar;
    position->beats_per_bar = leader->beats_per_bar;
    position->beat_unit = leader->beat_unit;
    position->beats_per_minute = transport->line.beats_per_minute;
}

static rcore_transport_t position_of(const rcore_t *core) RCORE_RT {
    const struct transport *transport = &core->transport;
    rcore_transport_t position = {
        .time = core_now(core),
        .frame = transport->frame,
        .beat = clock_beat(transport),
        .pass = transport->pass,
        .pass_begin = transport->pass_begin,
        .is_rolling = transport->is_rolling,
        .is_starting = transport->is_starting,
        .source = transport->source,
        .has_leader = transport->has_leader,
        .is_by_map = !transport->uses_line,
        .time_code_rate = transport->time_code.rate,
        .time_code = time_code_seconds(transport),
    };
    set_bar(transport, &position);
    return position;
}

// Returns whether two positions differ so that control is woken.
static bool must_notify(const rcore_transport_t *a, const rcore_transport_t *b) RCORE_RT {
    return a->pass != b->pass || a->is_rolling != b->is_rolling || a->is_starting != b->is_starting ||
           a->source != b->source || a->has_leader != b->has_leader || a->beats_per_minute != b->beats_per_minute ||
           a->beats_per_bar != b->beats_per_bar || a->beat_unit != b->beat_unit;
}

void transport_publish(rcore_t *core) RCORE_RT {
    struct transport *transport = &core->transport;
    const bool is_servers = transport->source == RCORE_TRANSPORT_SERVER;
    if (!transport->is_rolling && !is_servers && !transport->has_changed) {
        position_publish_time(&transport->board, core_now(core));
        return;
    }
    const rcore_transport_t position = position_of(core);
    core->work.is_due |= must_notify(&position, &transport->published);
    transport->has_changed = false;
    transport->published = position;
    position_publish(&transport->board, &position);
}

void transport_init(rcore_t *core) {
    struct transport *transport = &core->transport;
    transport->rate = core->config.sample_rate;
    transport->map = &tempo_map_default;
    transport->line.beats_per_minute = RCORE_MIN_TEMPO;
    atomic_init(&transport->newest_map, &tempo_map_default);
    transport->published = position_of(core);
    position_publish(&transport->board, &transport->published);
}
