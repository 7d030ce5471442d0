// Sums of buses and routes, and which buses have a signal.
#include "core.h"

// ---- Sums ---------------------------------------------------------------------------------------

void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = first; channel < count; channel++) {
        memset(samples + channel * core->stride, 0, sizeof(float) * nframes);
    }
}

void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT {
    struct bus_state *state = &core->buses[slot];
    if (!state->has_signal && state->channels > 0) { // 0 channels: no active plan has the bus
        state->has_signal = true;
        channels_clear(core, bus_channel(core, slot, 0), 0, state->channels, nframes);
    }
}

void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT {
    if (!core->route_has_signal[slot]) {
        core->route_has_signal[slot] = true;
        channels_clear(core, slot_channel(core, core->route_samples, slot, 0), 0, channels, nframes);
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
    const bool crossfading = core->crossfade.outgoing != NULL;
    memset(core->route_has_signal, crossfading, core->config.max_routes);
    if (crossfading) {
        clear_routes(core, core->plan, core->route_samples, nframes);
        clear_routes(core, core->crossfade.outgoing, core->outgoing_samples, nframes);
    }
}

// ---- Buses with a signal ------------------------------------------------------------------------

// Marks the buses to which a bus is connected.
static void mark_targets(rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    for (uint32_t i = 0; bus != NULL && i < connection_count(bus) - bus->route_connection_count; i++) {
        core->buses[connection_at(plan, bus, i)->target].sounding = true;
    }
}

void buses_mark_sounding(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->schedule_count; i++) {
        const struct plan_bus *current = core->mix_ops[i].current;
        const struct plan_bus *previous = core->mix_ops[i].previous;
        core->mix_ops[i].state->sounding =
            (current != NULL && current->has_tail) || (previous != NULL && previous->has_tail);
    }
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] == RCORE_NONE) {
            continue;
        }
        const struct voice *voice = &core->voices[core->playing[i]];
        const bool silent = voice->fade.remaining == 0 && voice->fade.target == 0.0f;
        if (!silent && voice->bus < core->config.max_buses) {
            core->buses[voice->bus].sounding = true;
        }
    }
    for (uint32_t i = 0; i < core->schedule_count; i++) {
        if (core->mix_ops[i].state->sounding) {
            mark_targets(core, core->plan, core->mix_ops[i].current);
            mark_targets(core, core->crossfade.outgoing, core->mix_ops[i].previous);
        }
    }
}
