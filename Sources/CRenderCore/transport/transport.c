// The core's transport in the cycle.
#include "transport/transport.h"

#include "core/core.h"
#include "transport/clock.h"
#include "transport/follow.h"
#include "transport/position.h"
#include "transport/preparation.h"
#include "transport/tempo_map.h"

#include <math.h>

static bool begin_pass(struct transport *transport) RCORE_RT {
    transport->pass += 1;
    transport->has_changed = true;
    return true;
}

// ---- Beginning of a cycle

// Keeps the beat of the position when the sample rate changes.
static void change_rate(struct transport *transport, uint32_t rate) RCORE_RT {
    const double frame = (double)transport->frame;
    transport->leader.beat = clock_leader_beat(transport, transport->frame);
    transport->leader.frame = transport->frame;
    transport->map_shift = (frame + transport->map_shift) * rate / transport->rate - frame;
    transport->rate = rate;
}

// Keeps the beat of the position when the map changes. Returns whether a new pass begins.
static bool change_map(rcore_t *core, const rcore_tempo_map_t *map) RCORE_RT {
    struct transport *transport = &core->transport;
    const double beat = clock_map_beat(transport, transport->frame);
    transport->map_shift = rcore_tempo_map_seconds(map, beat) * transport->rate - (double)transport->frame;
    transport->map = map;
    transport->has_changed = true;
    // Release: control frees what the cycle has used before.
    atomic_store_explicit(&transport->retired_serial, map->serial, memory_order_release);
    core->work.is_due = true;
    // What waits may have been posted for other bars and beats. While the transport rolls, it
    // stays, so that nothing is missing.
    return !transport->is_rolling && begin_pass(transport);
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
    if (transport->is_followed) {
        return transport_follow(transport) || begins_pass;
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

static bool select_source(struct transport *transport, bool is_followed) RCORE_RT {
    transport->is_followed = is_followed;
    transport->has_leader = false;
    transport->uses_leader = false;
    transport->has_report = false;
    transport->map_shift = 0.0;
    return stop(transport);
}

bool transport_apply(rcore_t *core, const struct command *command) RCORE_RT {
    struct transport *transport = &core->transport;
    if (command->kind == COMMAND_TRANSPORT_FOLLOW) {
        const bool is_followed = command->frame != 0;
        return is_followed != transport->is_followed && select_source(transport, is_followed);
    }
    if (command->kind == COMMAND_TRANSPORT_RENEW) {
        return begin_pass(transport);
    }
    if (transport->is_followed) {
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

// ---- End of a cycle

static void set_bar(const struct transport *transport, rcore_transport_t *position) RCORE_RT {
    if (!transport->uses_leader) {
        const rcore_bar_t bar = rcore_tempo_map_bar(transport->map, position->beat);
        position->bar = bar.bar;
        position->bar_begin = bar.begin;
        position->beats_per_bar = bar.beats_per_bar;
        position->beat_unit = bar.beat_unit;
        position->beats_per_minute = bar.beats_per_minute;
        return;
    }
    const struct leader_beats *leader = &transport->leader;
    // The report was for the beginning of the cycle; a bar may have begun since.
    const double bars = fmax(floor((position->beat - leader->bar_begin) / leader->beats_per_bar), 0.0);
    position->bar = bar_after(leader->bar, bars);
    position->bar_begin = leader->bar_begin + bars * leader->beats_per_bar;
    position->beats_per_bar = leader->beats_per_bar;
    position->beat_unit = leader->beat_unit;
    position->beats_per_minute = leader->beats_per_minute;
}

static rcore_transport_t position_of(const rcore_t *core) RCORE_RT {
    const struct transport *transport = &core->transport;
    rcore_transport_t position = {
        .time = core_now(core),
        .frame = transport->frame,
        .beat = clock_beat(transport),
        .pass = transport->pass,
        .is_rolling = transport->is_rolling,
        .is_starting = transport->is_starting,
        .is_followed = transport->is_followed,
        .has_leader = transport->has_leader,
        .is_by_map = !transport->uses_leader,
    };
    set_bar(transport, &position);
    return position;
}

// Returns whether two positions differ so that control is woken.
static bool must_notify(const rcore_transport_t *a, const rcore_transport_t *b) RCORE_RT {
    return a->pass != b->pass || a->is_rolling != b->is_rolling || a->is_starting != b->is_starting ||
           a->is_followed != b->is_followed || a->has_leader != b->has_leader ||
           a->beats_per_minute != b->beats_per_minute || a->beats_per_bar != b->beats_per_bar ||
           a->beat_unit != b->beat_unit;
}

void transport_publish(rcore_t *core) RCORE_RT {
    struct transport *transport = &core->transport;
    if (!transport->is_rolling && !transport->is_followed && !transport->has_changed) {
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
    transport->leader.beats_per_minute = RCORE_MIN_TEMPO;
    atomic_init(&transport->newest_map, &tempo_map_default);
    transport->published = position_of(core);
    position_publish(&transport->board, &transport->published);
}
