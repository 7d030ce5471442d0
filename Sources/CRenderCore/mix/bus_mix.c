// Mixes each bus after all buses that are routed to it.
#include "mix/bus_mix.h"

#include "core/core.h"
#include "graph/delay.h"
#include "graph/plan.h"
#include "mix/bus_crossfade.h"
#include "mix/bus_output.h"
#include "mix/buses.h"
#include "mix/direct_input.h"
#include "mix/mix.h"
#include "mix/ramp.h"
#include "mix/strip.h"
#include "session/gate_gains.h"
#include "session/key.h"
#include "session/signal.h"

// Returns whether the bus has output without input, in any active plan.
static bool has_tail(const struct plan_bus *current, const struct plan_bus *previous) RCORE_RT {
    return (current != NULL && current->has_tail) || (previous != NULL && previous->has_tail);
}

// ---- Steady buses -------------------------------------------------------------------------------

// Returns whether each connection has one steady gain, the same on both sides: a pan, if there is
// one, is in the centre.
static inline bool is_steady(const struct mix_op *op) RCORE_RT {
    const struct bus_state *state = op->state;
    bool steady =
        !strip_moves(state) && (!op->gated || gate_is_open(&state->gate)) && (!op->panned || state->pan.target == 0.0f);
    for (uint32_t i = 0; steady && i < op->connection_count; i++) {
        steady = op->connections[i].level == NULL || op->connections[i].level->remaining == 0;
    }
    return steady;
}

// Returns whether the bus is that of a session whose samples decide whether it lowers others.
static inline bool is_key(const struct mix_op *op) RCORE_RT { return op->gated && op->state->gate.is_key; }

// Adds a bus to one connection, channel to channel. Overwrites a target that has no signal yet.
static inline void add_steady(rcore_t *core, const struct connection *connection, const float *samples, float gain,
                              uint32_t nframes) RCORE_RT {
    if (gain == 0.0f) {
        return;
    }
    if (*connection->has_signal) {
        mix_channels(connection->samples, samples, core->stride, connection->shared, gain, nframes);
        return;
    }
    *connection->has_signal = true;
    if (connection->kind != CONNECTION_ROUTE) {
        bus_set_due(core, connection->target);
    }
    mix_channels_first(connection->samples, samples, core->stride, connection->shared, gain, nframes);
    if (connection->channels > connection->shared) {
        channels_clear(core, connection->samples, connection->shared, connection->channels, nframes);
    }
}

// Mixes a bus for which `is_steady` is true into all its connections.
static inline void mix_steady(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    const float pre_fader = op->state->audible.target;
    const float post_fader = op->state->gain.target * pre_fader;
    for (const struct connection *connection = op->connections; connection < op->connections + op->connection_count;
         connection++) {
        const float gain = connection->pre_fader ? pre_fader : post_fader;
        add_steady(core, connection, op->samples, connection->level != NULL ? gain * connection->level->target : gain,
                   nframes);
    }
}

void mix_op_prepare(rcore_t *core, struct mix_op *op) RCORE_RT {
    const struct plan_bus *bus = op->current;
    op->idle = !has_tail(bus, op->previous) && (bus == NULL || bus->description.meter == NULL);
    if (bus != NULL) {
        op->connections = connection_at(core->graph.plan, bus, 0);
        op->connection_count = connection_count(bus);
        op->gated = bus->description.gate != NULL;
        op->panned = bus->description.pan_law != RCORE_PAN_NONE;
        op->scanned = op->gated && bus->root_has_insert;
        op->passthrough = op->idle && bus->unity && !op->scanned && core->graph.crossfade.outgoing == NULL;
    }
}

// Handles a bus whose signal only needs mixing into its connections with steady gains. Mixes
// nothing while the bus is suspended. Returns false for any other bus.
static inline bool mix_simply(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    if (!core->mix.bus_has_signal[op->slot] || !op->passthrough || is_key(op) || !is_steady(op)) {
        return false;
    }
    if (!op->state->suspended) {
        mix_steady(core, op, nframes);
    }
    return true;
}

// ---- Other buses --------------------------------------------------------------------------------

// Mixes a bus while a single plan is active.
static void mix_alone(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    const struct plan_bus *bus = op->current;
    const rcore_bus_description_t *description = &bus->description;
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, op->samples, description->channels, planes);
    const struct plan_bus_view current = {core->graph.plan, bus, planes};
    run_insert(&current, nframes);
    if (op->scanned) {
        signal_scan(core, op->state, planes, description->channels, nframes);
    }
    if (is_key(op)) {
        key_scan(core, op->state, planes, description->channels, nframes);
    }
    if (bus->delay_line != NULL) {
        delay_write(bus->delay_line, planes, nframes);
    }
    const struct strip strip = strip_make(core, description, nframes);
    if (description->meter != NULL) {
        strip_meter(core, description->meter, &strip, planes, nframes);
    }
    if (bus->unity && is_steady(op)) {
        mix_steady(core, op, nframes);
        return;
    }
    for (const struct connection *connection = op->connections;
         !strip.silent && connection < op->connections + op->connection_count; connection++) {
        connection_add(core, &current, &strip, connection, NULL,
                       connection->kind == CONNECTION_ROUTE ? core->mix.route_samples : core->mix.bus_samples, nframes);
    }
}

// Mixes a bus that `mix_simply` does not handle, and advances its ramps unless it is suspended.
// Without a signal, or while it is suspended, only its meter receives silence.
static void mix_fully(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    struct bus_state *state = op->state;
    const struct plan_bus *current = op->current;
    const bool *has_signal = &core->mix.bus_has_signal[op->slot];
    if (!*has_signal && !state->suspended && has_tail(current, op->previous)) {
        bus_open(core, op->slot, nframes);
    }
    if (!*has_signal || state->suspended) {
        if (current != NULL && current->description.meter != NULL) {
            strip_meter(core, current->description.meter, NULL, NULL, nframes); // no signal
        }
    } else if (core->graph.crossfade.outgoing == NULL) {
        mix_alone(core, op, nframes);
    } else {
        bus_crossfade(core, op, nframes);
    }
    if (!state->suspended) {
        strip_advance(state, nframes);
    }
}

// ---- All buses ----------------------------------------------------------------------------------

// Advances the levels of a plan's sends. A send of a suspended bus does not move.
static void advance_sends(rcore_t *core, const rcore_plan_t *plan, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->send_count; i++) {
        const rcore_send_description_t *send = &plan->sends[i].description;
        // A send that both plans have advances once, with the current plan.
        const bool in_current =
            plan != core->graph.plan && core->mix.sends[send->slot].serial == core->graph.plan->serial;
        if (!in_current && !core->mix.buses[send->source].suspended) {
            ramp_advance(&core->mix.sends[send->slot].level, nframes);
        }
    }
}

// Delays or mutes the direct input of the buses that need it. Records whether there is such a bus.
static void prepare_direct_inputs(rcore_t *core, uint32_t nframes) RCORE_RT {
    core->mix.any_direct_input = false;
    for (uint32_t i = 0; i < core->graph.schedule_count; i++) {
        const struct mix_op *op = &core->mix.ops[i];
        const struct bus_state *state = op->state;
        const struct plan_bus *current = op->current;
        const struct plan_bus *previous = op->previous;
        if (previous == NULL && current->direct_line == NULL && ramp_is_at(&state->direct, 1.0f)) {
            continue;
        }
        core->mix.any_direct_input = true;
        if (state->suspended) {
            continue;
        }
        if (has_tail(current, previous)) {
            bus_open(core, op->slot, nframes);
        }
        if (core->mix.bus_has_signal[op->slot]) {
            direct_input_prepare(core, op, nframes);
        }
    }
}

// Mixes the due ones of 64 mix ops, from `first` on. A bus may make later ones due by its signal.
// One without a signal stays due while it is not idle or a ramp is running.
static void mix_due(rcore_t *core, uint32_t first, uint32_t nframes) RCORE_RT {
    uint64_t *const due = &core->mix.due[first / 64];
    for (uint64_t left = *due, done = 0; left != 0; left = *due & ~done) {
        const uint64_t bit = left & -left;
        const struct mix_op *op = &core->mix.ops[first + (uint32_t)__builtin_ctzll(left)];
        done |= bit | (bit - 1);
        if (!mix_simply(core, op, nframes)) {
            mix_fully(core, op, nframes);
        }
        core->mix.bus_has_signal[op->slot] = false; // until the next block
        if (op->idle && !strip_moves(op->state)) {
            *due &= ~bit;
        }
    }
}

void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->mix.any_direct_input) {
        prepare_direct_inputs(core, nframes);
    }
    for (uint32_t first = 0; first < core->graph.schedule_count; first += 64) {
        mix_due(core, first, nframes);
    }
    advance_sends(core, core->graph.plan, nframes);
    advance_sends(core, core->graph.crossfade.outgoing, nframes);
}
