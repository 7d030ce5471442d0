// Buses: what they add up, and which of them something leads to that sounds.
#include "core.h"

// ---- Sums -------------------------------------------------------------------------------------------------------------------------

void channels_clear(const rcore_t *core, float *samples, uint32_t first, uint32_t count, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = first; channel < count; channel++) {
        memset(samples + channel * core->stride, 0, sizeof(float) * nframes);
    }
}

void bus_open(rcore_t *core, uint32_t slot, uint32_t nframes) RCORE_RT {
    struct bus_state *state = &core->buses[slot];
    if (!state->fed && state->channels > 0) { // a bus that no plan has adds up nothing
        state->fed = true;
        channels_clear(core, bus_channel(core, slot, 0), 0, state->channels, nframes);
    }
}

void route_open(rcore_t *core, uint32_t slot, uint32_t channels, uint32_t nframes) RCORE_RT {
    if (!core->fed_routes[slot]) {
        core->fed_routes[slot] = true;
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
    const bool both = core->swap.leaving != NULL; // what one plan alone has may lie elsewhere: all are taken as led to
    memset(core->fed_routes, both, core->config.max_routes);
    if (both) {
        clear_routes(core, core->plan, core->route_samples, nframes);
        clear_routes(core, core->swap.leaving, core->leaving_samples, nframes);
    }
}

// ---- What sounds ------------------------------------------------------------------------------------------------------------------

static void mark_targets(rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    for (uint32_t i = 0; bus != NULL && i < edge_count(bus) - bus->connection_count; i++) {
        core->buses[edge_at(plan, bus, i)->target].sounding = true;
    }
}

void buses_mark_sounding(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->order_count; i++) {
        const struct plan_bus *now = core->steps[i].now;
        const struct plan_bus *before = core->steps[i].before;
        core->steps[i].state->sounding = (now != NULL && now->lasts) || (before != NULL && before->lasts);
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
    for (uint32_t i = 0; i < core->order_count; i++) {
        if (core->steps[i].state->sounding) {
            mark_targets(core, core->plan, core->steps[i].now);
            mark_targets(core, core->swap.leaving, core->steps[i].before);
        }
    }
}
