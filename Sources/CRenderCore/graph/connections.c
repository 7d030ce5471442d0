// The connections of a bus, and whether two plans have the same ones.
#include "core/core.h"
#include "graph/plan.h"
#include "mix/matrix.h"

#include <string.h>

static struct connection connection_to_bus(const rcore_t *core, const rcore_bus_description_t *target) {
    return (struct connection){.kind = CONNECTION_PARENT,
                               .samples = bus_channel(core, target->slot, 0),
                               .has_signal = &core->mix.bus_has_signal[target->slot],
                               .target = target->slot,
                               .channels = target->channels};
}

static struct connection connection_to_route(const rcore_t *core, const rcore_route_description_t *target) {
    return (struct connection){.kind = CONNECTION_ROUTE,
                               .samples = slot_channel(core, core->mix.route_samples, target->slot, 0),
                               .has_signal = &core->mix.route_has_signal[target->slot],
                               .target = target->slot,
                               .channels = target->channels,
                               .route = target};
}

// Returns the connection of a bus with index `number`: first the one to its parent, then its sends,
// then those to routes.
static struct connection connection_make(const rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus,
                                         uint32_t number) {
    struct connection connection;
    const uint32_t parent_count = bus->parent != RCORE_NONE ? 1 : 0;
    if (number < parent_count) {
        connection = connection_to_bus(core, &plan->buses[bus->parent].description);
        connection.delay = bus->parent_delay;
        connection.matrix = bus->description.matrix;
    } else if (number < parent_count + bus->send_count) {
        const struct plan_send *send = &plan->sends[bus->first_send + number - parent_count];
        connection = connection_to_bus(core, &plan->buses[send->target].description);
        connection.kind = CONNECTION_SEND;
        connection.delay = send->delay;
        connection.matrix = send->description.matrix;
        connection.send = &send->description;
        connection.level = &core->mix.sends[send->description.slot].level;
        connection.pre_fader = send->description.pre_fader;
    } else {
        const uint32_t index = bus->first_route_connection + number - parent_count - bus->send_count;
        const struct plan_route_connection *planned = &plan->route_connections[index];
        connection = connection_to_route(core, &plan->routes[planned->route].description);
        connection.delay = planned->delay;
        connection.matrix = planned->matrix;
    }
    connection.shared =
        connection.channels < bus->description.channels ? connection.channels : bus->description.channels;
    return connection;
}

// Returns whether the bus's pan spreads its single channel over both sides of the target.
static bool connection_spreads(const struct connection *connection, const rcore_bus_description_t *bus) {
    return bus->pan_law != RCORE_PAN_NONE && !connection->pre_fader && bus->channels == 1 && connection->channels > 1;
}

void connections_fill(const rcore_t *core, rcore_plan_t *plan) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        bus->first_connection = count;
        bus->unity = true;
        for (uint32_t number = 0; number < connection_count(bus); number++) {
            const struct connection connection = connection_make(core, plan, bus, number);
            bus->unity &= connection.matrix == NULL && connection.delay == 0 &&
                          !connection_spreads(&connection, &bus->description);
            plan->connections[count++] = connection;
        }
    }
}

static bool same_matrix(const rcore_matrix_t *a, const rcore_matrix_t *b) RCORE_RT {
    if (a == b) {
        return true;
    }
    return a != NULL && b != NULL && a->inputs == b->inputs && a->outputs == b->outputs &&
           memcmp(a->gains, b->gains, sizeof(float) * a->inputs * a->outputs) == 0;
}

// Returns whether both connections have the same target, channels, delay, matrix and, for a send,
// the same slot and tap point; for a route, the same outputs.
static bool same_connection(const struct connection *a, const struct connection *b) RCORE_RT {
    if (a->kind != b->kind || a->target != b->target || a->channels != b->channels || a->delay != b->delay ||
        !same_matrix(a->matrix, b->matrix)) {
        return false;
    }
    if (a->kind == CONNECTION_SEND) {
        return a->send->slot == b->send->slot && a->send->pre_fader == b->send->pre_fader;
    }
    return a->kind != CONNECTION_ROUTE || a->route->first_output == b->route->first_output;
}

bool same_insert(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    const rcore_insert_t *a = &bus->description.insert;
    const rcore_insert_t *b = &counterpart->description.insert;
    return bus->description.channels == counterpart->description.channels && a->render == b->render &&
           a->context == b->context;
}

bool same_processing(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    return same_insert(bus, counterpart) && bus->description.pan_law == counterpart->description.pan_law &&
           (bus->description.gate == NULL) == (counterpart->description.gate == NULL);
}

bool connection_matches(const struct connection *connection, const struct plan_bus *bus, const rcore_plan_t *other,
                        const struct plan_bus *counterpart) RCORE_RT {
    if (!same_processing(bus, counterpart)) {
        return false;
    }
    const bool same_line = connection->delay == 0 || bus->delay_line == counterpart->delay_line;
    for (uint32_t i = 0; same_line && i < connection_count(counterpart); i++) {
        if (same_connection(connection, connection_at(other, counterpart, i))) {
            return true;
        }
    }
    return false;
}

const rcore_route_description_t *plan_same_route(const rcore_plan_t *plan,
                                                 const rcore_route_description_t *route) RCORE_RT {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *other = &plan->routes[i].description;
        if (other->slot == route->slot) {
            return other->channels == route->channels && other->first_output == route->first_output ? other : NULL;
        }
    }
    return NULL;
}
