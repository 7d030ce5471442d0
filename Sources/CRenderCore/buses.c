// Buses: children into parents, session buses through their gate into routes.
#include "core.h"

#include <string.h>

static void clear(float *samples, uint32_t nframes) RCORE_RT { memset(samples, 0, sizeof(float) * nframes); }

void buses_clear(rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &core->plan->buses[i].description;
        for (uint32_t channel = 0; channel < bus->channels; channel++) {
            clear(bus_channel(core, bus->slot, channel), nframes);
        }
    }
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->route_count; i++) {
        const rcore_route_description_t *route = &core->plan->routes[i].description;
        for (uint32_t channel = 0; channel < route->channels; channel++) {
            clear(route_channel(core, route->slot, channel), nframes);
        }
    }
}

static void mix_into_parent(const rcore_t *core, const rcore_bus_description_t *bus,
                            const rcore_bus_description_t *parent, const struct scaling *scaling,
                            uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < bus->channels && channel < parent->channels; channel++) {
        mix_one(bus_channel(core, parent->slot, channel), bus_channel(core, bus->slot, channel), scaling, 1.0f,
                nframes);
    }
}

static void mix_into_route(const rcore_t *core, const rcore_bus_description_t *bus,
                           const struct plan_connection *connection, const struct scaling *scaling,
                           uint32_t nframes) RCORE_RT {
    const rcore_route_description_t *route = &core->plan->routes[connection->route].description;
    for (uint32_t output = 0; output < route->channels; output++) {
        for (uint32_t input = 0; input < bus->channels; input++) {
            const float path = connection->matrix != NULL ? connection->matrix->gains[output * bus->channels + input]
                               : input == output          ? 1.0f
                                                          : 0.0f;
            mix_one(route_channel(core, route->slot, output), bus_channel(core, bus->slot, input), scaling, path,
                    nframes);
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

void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT {
    const rcore_plan_t *plan = core->plan;
    for (uint32_t i = plan != NULL ? plan->bus_count : 0; i-- > 0;) {
        const struct plan_bus *bus = &plan->buses[i];
        struct bus_state *state = &core->buses[bus->description.slot];
        if (state->frozen) {
            continue; // nothing was rendered into it, and its gain ramp stands still with it
        }
        const struct scaling scaling = bus_scaling(core, &bus->description, nframes);
        if (bus->parent != RCORE_NONE) {
            mix_into_parent(core, &bus->description, &plan->buses[bus->parent].description, &scaling, nframes);
        }
        for (uint32_t c = 0; c < plan->connection_count; c++) {
            if (plan->connections[c].bus == i) {
                mix_into_route(core, &bus->description, &plan->connections[c], &scaling, nframes);
            }
        }
        ramp_advance(&state->gain, nframes);
    }
}
