// Mixes buses while two plans crossfade.
#include "mix/bus_crossfade.h"

#include "core/core.h"
#include "graph/delay.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "mix/bus_output.h"
#include "mix/strip.h"
#include "session/key.h"

#include <string.h>

// Returns the latency from a connection's target to the end of its path. The connection crossfades
// earlier by that many frames, so that the crossfades of all connections coincide at the output.
static uint32_t downstream_latency(const struct plan_bus *target) RCORE_RT {
    return target != NULL ? target->latency - target->direct_delay : 0;
}

// Returns the weights of a connection that only the current plan has; NULL: no fade. A bus that
// only the current plan has does not fade in, so that its first note keeps its attack.
static const float *current_weights(rcore_t *core, const struct connection *connection,
                                    const struct plan_bus_view *previous, uint32_t nframes) RCORE_RT {
    float *weights = core->mix.envelopes[ENVELOPE_WEIGHT];
    if (previous->bus == NULL) {
        return NULL;
    }
    crossfade_weights(
        core, true,
        downstream_latency(connection->kind != CONNECTION_ROUTE ? current_bus(&core->graph, connection->target) : NULL),
        weights, nframes);
    return weights;
}

// Returns the weights of a connection that only the outgoing plan has; NULL: no fade. A connection
// to a bus or route that is removed does not fade out itself; the removed target fades out instead.
static const float *previous_weights(rcore_t *core, const struct connection *connection, bool target_removed,
                                     uint32_t nframes) RCORE_RT {
    float *weights = core->mix.envelopes[ENVELOPE_WEIGHT];
    if (target_removed ||
        (connection->kind != CONNECTION_ROUTE && current_bus(&core->graph, connection->target) == NULL)) {
        return NULL;
    }
    crossfade_weights(core, false,
                      downstream_latency(
                          connection->kind != CONNECTION_ROUTE ? previous_bus(&core->graph, connection->target) : NULL),
                      weights, nframes);
    return weights;
}

// Mixes the bus into its connections of the current plan. Those that only this plan has fade in.
static void mix_current_connections(rcore_t *core, const struct plan_bus_view *current,
                                    const struct plan_bus_view *previous, const struct strip *strip,
                                    uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < connection_count(current->bus); i++) {
        const struct connection *connection = connection_at(current->plan, current->bus, i);
        const bool unchanged =
            previous->bus == NULL || connection_matches(connection, current->bus, previous->plan, previous->bus);
        connection_add(core, current, strip, connection,
                       unchanged ? NULL : current_weights(core, connection, previous, nframes),
                       connection->kind == CONNECTION_ROUTE ? core->mix.route_samples : core->mix.bus_samples, nframes);
    }
}

// Mixes the bus into the connections that only the outgoing plan has, which fade out. A route that
// the current plan does not have is mixed apart, and routes.c fades it out.
static void mix_previous_connections(rcore_t *core, const struct plan_bus_view *current,
                                     const struct plan_bus_view *previous, const struct strip *strip,
                                     uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < connection_count(previous->bus); i++) {
        const struct connection *connection = connection_at(previous->plan, previous->bus, i);
        if (current->bus != NULL && connection_matches(connection, previous->bus, current->plan, current->bus)) {
            continue;
        }
        const bool target_removed =
            connection->kind == CONNECTION_ROUTE && plan_same_route(core->graph.plan, connection->route) == NULL;
        float *routes = target_removed ? core->mix.outgoing_samples : core->mix.route_samples;
        connection_add(core, previous, strip, connection, previous_weights(core, connection, target_removed, nframes),
                       connection->kind == CONNECTION_ROUTE ? routes : core->mix.bus_samples, nframes);
    }
}

// Runs the inserts of both plans on a bus's sum. An insert that both plans share runs once. If they
// differ, the outgoing plan's insert runs on a copy in `outgoing_copy`, to which `previous->planes`
// is set.
static void run_both_inserts(rcore_t *core, uint32_t slot, const struct plan_bus_view *current,
                             struct plan_bus_view *previous, float **outgoing_copy, uint32_t nframes) RCORE_RT {
    const bool inserts_differ =
        current->bus != NULL && previous->bus != NULL && !same_insert(current->bus, previous->bus);
    if (inserts_differ) {
        const uint32_t channels = core->mix.buses[slot].channels;
        planes_of(core, core->mix.crossfade_samples, channels, outgoing_copy);
        for (uint32_t channel = 0; channel < channels; channel++) {
            memcpy(outgoing_copy[channel], current->planes[channel], sizeof(float) * nframes);
        }
        previous->planes = outgoing_copy;
    }
    if (current->bus != NULL) {
        run_insert(current, nframes);
    }
    if (previous->bus != NULL && (inserts_differ || current->bus == NULL)) {
        run_insert(previous, nframes);
    }
}

// Writes the inserts' output to the delay lines of both plans; once, if they share one.
static void write_delay_lines(const struct plan_bus_view *current, const struct plan_bus_view *previous,
                              uint32_t nframes) RCORE_RT {
    struct delay *line = current->bus != NULL ? current->bus->delay_line : NULL;
    if (line != NULL) {
        delay_write(line, current->planes, nframes);
    }
    if (previous->bus != NULL && previous->bus->delay_line != NULL && previous->bus->delay_line != line) {
        delay_write(previous->bus->delay_line, previous->planes, nframes);
    }
}

void bus_crossfade(rcore_t *core, const struct mix_op *op, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    float *outgoing_copy[RCORE_MAX_CHANNELS];
    planes_of(core, op->samples, op->state->channels, planes);
    const struct plan_bus_view current = {core->graph.plan, op->current, planes};
    struct plan_bus_view previous = {core->graph.crossfade.outgoing, op->previous, planes};
    run_both_inserts(core, op->slot, &current, &previous, outgoing_copy, nframes);
    if (op->gated && op->state->gate.is_key) {
        key_scan(core, op->state, planes, op->state->channels, nframes);
    }
    write_delay_lines(&current, &previous, nframes);
    if (current.bus != NULL) {
        const struct strip strip = strip_make(core, &current.bus->description, nframes);
        if (current.bus->description.meter != NULL) {
            strip_meter(core, current.bus->description.meter, &strip, planes, nframes);
        }
        if (!strip.silent) {
            mix_current_connections(core, &current, &previous, &strip, nframes);
        }
    }
    if (previous.bus != NULL) {
        const struct strip strip = strip_make(core, &previous.bus->description, nframes);
        if (!strip.silent) {
            mix_previous_connections(core, &current, &previous, &strip, nframes);
        }
    }
}
