// Sums of buses and routes, and which buses have a signal.
#include "mix/buses.h"

#include "core/core.h"
#include "graph/plan.h"
#include "mix/ramp.h"
#include "session/gate_state.h"
#include "session/key.h"
#include "session/signal.h"

#include <string.h>

// ---- State --------------------------------------------------------------------------------------

void bus_reset(struct bus_state *bus) RCORE_RT {
    const float unity = 1.0f;
    uint32_t bits;
    memcpy(&bits, &unity, sizeof bits);
    key_reset(bus);
    gate_reset(&bus->gate);
    ramp_set(&bus->gain, 1.0f);
    ramp_set(&bus->pan, 0.0f);
    ramp_set(&bus->audible, 1.0f);
    ramp_set(&bus->direct, 1.0f);
    bus->channels = 0;
    bus->op = RCORE_NONE;
    bus->session = NULL;
    atomic_store_explicit(&bus->signal.is_present, false, memory_order_relaxed);
    bus->muted = bus->soloed = false;
    bus->resets += 1;
    bus->suspended = bus->fresh = false;
    bus->expected = EXPECTED_NOT;
    atomic_store_explicit(&bus->gate_gain, bits, memory_order_relaxed);
}

float rcore_bus_gate_gain(const rcore_t *core, uint32_t bus) RCORE_RT {
    if (bus >= core->config.max_buses) {
        return 0.0f;
    }
    const uint32_t bits = atomic_load_explicit(&core->mix.buses[bus].gate_gain, memory_order_relaxed);
    float gain;
    memcpy(&gain, &bits, sizeof gain);
    return gain;
}

// ---- Sums ---------------------------------------------------------------------------------------

void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = first; channel < count; channel++) {
        memset(samples + channel * core->stride, 0, sizeof(float) * nframes);
    }
}

void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = &core->mix.buses[slot];
    bool *has_signal = &core->mix.bus_has_signal[slot];
    if (!*has_signal && state->channels > 0) { // 0 channels: no active plan has the bus
        *has_signal = true;
        bus_set_due(core, slot);
        channels_clear(core, bus_channel(core, slot, 0), 0, state->channels, nframes);
    }
}

void bus_open_for_voice(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT {
    if (!core->mix.bus_has_signal[slot]) {
        signal_feed(core, &core->mix.buses[slot]);
        bus_open(core, slot, nframes);
    }
}

void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT {
    if (!core->mix.route_has_signal[slot]) {
        core->mix.route_has_signal[slot] = true;
        channels_clear(core, slot_channel(core, core->mix.route_samples, slot, 0), 0, channels, nframes);
    }
}

static void clear_routes(rcore_t *core, const rcore_plan_t *plan, float *samples, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        channels_clear(core, slot_channel(core, samples, route->slot, 0), 0, route->channels, nframes);
    }
}

void routes_begin(rcore_t *core, uint32_t nframes) RCORE_RT {
    // While plans crossfade, their routes may differ: all routes count as having a signal.
    const bool crossfading = core->graph.crossfade.outgoing != NULL;
    memset(core->mix.route_has_signal, crossfading, core->config.max_routes);
    if (crossfading) {
        clear_routes(core, core->graph.plan, core->mix.route_samples, nframes);
        clear_routes(core, core->graph.crossfade.outgoing, core->mix.outgoing_samples, nframes);
    }
}

// ---- Buses with a signal ------------------------------------------------------------------------

// Marks the buses to which a bus is connected.
static void mark_targets(rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    for (uint32_t i = 0; bus != NULL && i < connection_count(bus) - bus->route_connection_count; i++) {
        core->mix.buses[connection_at(plan, bus, i)->target].sounding = true;
    }
}

void buses_mark_sounding(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->graph.schedule_count; i++) {
        const struct plan_bus *current = core->mix.ops[i].current;
        const struct plan_bus *previous = core->mix.ops[i].previous;
        core->mix.ops[i].state->sounding =
            (current != NULL && current->has_tail) || (previous != NULL && previous->has_tail);
    }
    for (uint32_t i = 0; i < core->voices.playing_count; i++) {
        if (core->voices.playing[i] == RCORE_NONE) {
            continue;
        }
        const struct voice *voice = &core->voices.pool[core->voices.playing[i]];
        const bool silent = voice->fade.remaining == 0 && voice->fade.target == 0.0f;
        if (!silent && voice->bus < core->config.max_buses) {
            core->mix.buses[voice->bus].sounding = true;
        }
    }
    for (uint32_t i = 0; i < core->graph.schedule_count; i++) {
        if (core->mix.ops[i].state->sounding) {
            mark_targets(core, core->graph.plan, core->mix.ops[i].current);
            mark_targets(core, core->graph.crossfade.outgoing, core->mix.ops[i].previous);
        }
    }
}
