// Buses: children into parents, session buses through their gate into routes. While one plan takes over from another, both graphs are mixed
// from the same sums of voices, and the routes cross-fade.
#include "core.h"

static void clear(float *samples, uint32_t nframes) RCORE_RT { memset(samples, 0, sizeof(float) * nframes); }

// The plan whose buses voices go to, by turns: the one in use, then the one that leaves.
static const rcore_plan_t *plan_of_turn(const rcore_t *core, unsigned turn) RCORE_RT {
    return turn == 0 ? core->plan : core->swap.leaving;
}

void buses_clear(rcore_t *core, uint32_t nframes) RCORE_RT {
    for (unsigned turn = 0; turn < 2 && plan_of_turn(core, turn) != NULL; turn++) {
        const rcore_plan_t *plan = plan_of_turn(core, turn);
        for (uint32_t i = 0; i < plan->bus_count; i++) {
            const rcore_bus_description_t *bus = &plan->buses[i].description;
            for (uint32_t channel = 0; channel < bus->channels; channel++) {
                clear(bus_channel(core, bus->slot, channel), nframes);
            }
        }
        for (uint32_t i = 0; i < plan->route_count; i++) {
            const rcore_route_description_t *route = &plan->routes[i].description;
            for (uint32_t channel = 0; channel < route->channels; channel++) {
                clear(slot_channel(core, turn == 0 ? core->route_samples : core->leaving_samples, route->slot, channel),
                      nframes);
            }
        }
    }
}

void buses_mark_sounding(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->buses[plan->buses[i].description.slot].sounding = false;
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
    for (uint32_t i = plan->bus_count; i-- > 0;) { // children stand behind their parents
        const struct plan_bus *bus = &plan->buses[i];
        if (bus->parent != RCORE_NONE && core->buses[bus->description.slot].sounding) {
            core->buses[plan->buses[bus->parent].description.slot].sounding = true;
        }
    }
}

// ---- One graph --------------------------------------------------------------------------------------------------------------------

// A plan's buses, their sums, and the routes' sums that they lead to.
struct graph {
    const rcore_plan_t *plan;
    float *buses;
    float *routes;
};

// Every input channel into every output channel, by the matrix or channel to channel.
static void mix_map(const rcore_t *core, float *targets, uint32_t target_slot, uint32_t outputs, const float *sources,
                    const rcore_bus_description_t *bus, const rcore_matrix_t *matrix, const struct scaling *scaling,
                    uint32_t nframes) RCORE_RT {
    for (uint32_t input = 0; input < bus->channels; input++) {
        const float *source = slot_channel(core, (float *)sources, bus->slot, input);
        if (matrix == NULL) {
            if (input < outputs) {
                mix_one(slot_channel(core, targets, target_slot, input), source, scaling, 1.0f, nframes);
            }
            continue;
        }
        for (uint32_t output = 0; output < outputs; output++) {
            mix_one(slot_channel(core, targets, target_slot, output), source, scaling,
                    matrix->gains[output * bus->channels + input], nframes);
        }
    }
}

// The bus's gain over the next frames; its gate's factors where they are not all exactly 1.
static struct scaling bus_scaling(rcore_t *core, const rcore_bus_description_t *bus, uint32_t nframes) RCORE_RT {
    const struct bus_state *state = &core->buses[bus->slot];
    struct scaling scaling = {.envelope = NULL, .gain = 1.0f};
    envelope_fill(core->envelope, nframes);
    if (bus->gate != NULL && gate_multiply(&state->gate, core->envelope, nframes)) {
        scaling.envelope = core->envelope;
    }
    if (state->gain.remaining > 0) {
        ramp_multiply(&state->gain, core->envelope, nframes);
        scaling.envelope = core->envelope;
    } else {
        scaling.gain = state->gain.target;
    }
    return scaling;
}

static void mix_graph(rcore_t *core, const struct graph *graph, uint32_t nframes) RCORE_RT {
    const rcore_plan_t *plan = graph->plan;
    for (uint32_t i = plan->bus_count; i-- > 0;) {
        const struct plan_bus *bus = &plan->buses[i];
        if (core->buses[bus->description.slot].frozen) {
            continue; // nothing was rendered into it
        }
        const struct scaling scaling = bus_scaling(core, &bus->description, nframes);
        if (bus->parent != RCORE_NONE) {
            const rcore_bus_description_t *parent = &plan->buses[bus->parent].description;
            mix_map(core, graph->buses, parent->slot, parent->channels, graph->buses, &bus->description,
                    bus->description.matrix, &scaling, nframes);
        }
        for (uint32_t c = 0; c < plan->connection_count; c++) {
            const struct plan_connection *connection = &plan->connections[c];
            if (connection->bus == i) {
                const rcore_route_description_t *route = &plan->routes[connection->route].description;
                mix_map(core, graph->routes, route->slot, route->channels, graph->buses, &bus->description,
                        connection->matrix, &scaling, nframes);
            }
        }
    }
}

// ---- Two graphs -------------------------------------------------------------------------------------------------------------------

// Puts the sums of voices where a graph may add to them; those of `joined` buses, or of the others; silence for the rest.
static void copy_sums(const rcore_t *core, const rcore_plan_t *plan, bool joined, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        for (uint32_t channel = 0; channel < bus->channels; channel++) {
            float *target = slot_channel(core, core->swap_samples, bus->slot, channel);
            if (core->buses[bus->slot].joined == joined) {
                memcpy(target, bus_channel(core, bus->slot, channel), sizeof(float) * nframes);
            } else {
                clear(target, nframes);
            }
        }
    }
}

// new + (old - new) × fade: exactly the new where both are the same.
static void cross_fade(float *restrict samples, const float *restrict leaving, const float *restrict fade,
                       uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] += (leaving[i] - samples[i]) * fade[i];
    }
}

static void scale(float *restrict samples, const float *restrict fade, float constant, float factor,
                  uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] *= constant + factor * fade[i];
    }
}

static void cross_fade_routes(rcore_t *core, uint32_t nframes) RCORE_RT {
    const rcore_plan_t *leaving = core->swap.leaving;
    envelope_fill(core->envelope, nframes);
    ramp_multiply(&core->swap.fade, core->envelope, nframes);
    for (uint32_t i = 0; i < core->plan->route_count; i++) {
        const rcore_route_description_t *route = &core->plan->routes[i].description;
        const bool stays = swap_same_route(leaving, route) != NULL;
        for (uint32_t channel = 0; channel < route->channels; channel++) {
            float *samples = slot_channel(core, core->route_samples, route->slot, channel);
            if (stays) {
                cross_fade(samples, slot_channel(core, core->leaving_samples, route->slot, channel), core->envelope,
                           nframes);
            } else {
                scale(samples, core->envelope, 1.0f, -1.0f, nframes);
            }
        }
    }
    for (uint32_t i = 0; i < leaving->route_count; i++) {
        const rcore_route_description_t *route = &leaving->routes[i].description;
        for (uint32_t channel = 0; channel < route->channels; channel++) {
            scale(slot_channel(core, core->leaving_samples, route->slot, channel), core->envelope, 0.0f, 1.0f, nframes);
        }
    }
}

// What both plans have cross-fades; what joined meanwhile is heard as it is, so that its first note keeps its attack.
static void mix_both(rcore_t *core, uint32_t nframes) RCORE_RT {
    const struct graph leaving = {core->swap.leaving, core->swap_samples, core->leaving_samples};
    const struct graph present = {core->plan, core->swap_samples, core->route_samples};
    copy_sums(core, leaving.plan, false, nframes);
    mix_graph(core, &leaving, nframes);
    copy_sums(core, present.plan, false, nframes);
    mix_graph(core, &present, nframes);
    cross_fade_routes(core, nframes);
    copy_sums(core, present.plan, true, nframes);
    mix_graph(core, &present, nframes);
}

static void advance_gains(rcore_t *core, const rcore_plan_t *plan, bool joined_too, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct bus_state *state = &core->buses[plan->buses[i].description.slot];
        if (!state->frozen && (joined_too || state->joined)) { // its gain ramp stands still with its voices
            ramp_advance(&state->gain, nframes);
        }
    }
}

void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->plan == NULL) {
        return;
    }
    if (core->swap.leaving == NULL) {
        const struct graph graph = {core->plan, core->bus_samples, core->route_samples};
        mix_graph(core, &graph, nframes);
        advance_gains(core, core->plan, true, nframes);
    } else {
        mix_both(core, nframes);
        advance_gains(core, core->swap.leaving, true, nframes);
        advance_gains(core, core->plan, false, nframes);
    }
}
