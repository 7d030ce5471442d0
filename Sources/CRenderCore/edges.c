// Where a bus leads, and whether that is the same in two plans.
#include "core.h"

#include <string.h>

static struct edge edge_to_bus(const rcore_t *core, const rcore_bus_description_t *target) {
    return (struct edge){.kind = EDGE_PARENT,
                         .samples = bus_channel(core, target->slot, 0),
                         .fed = &core->buses[target->slot].fed,
                         .target = target->slot,
                         .channels = target->channels};
}

static struct edge edge_to_route(const rcore_t *core, const rcore_route_description_t *target) {
    return (struct edge){.kind = EDGE_ROUTE,
                         .samples = slot_channel(core, core->route_samples, target->slot, 0),
                         .fed = &core->fed_routes[target->slot],
                         .target = target->slot,
                         .channels = target->channels,
                         .route = target};
}

static struct edge edge_make(const rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus,
                             uint32_t number) {
    struct edge edge;
    const uint32_t parents = bus->parent != RCORE_NONE ? 1 : 0;
    if (number < parents) {
        edge = edge_to_bus(core, &plan->buses[bus->parent].description);
        edge.delay = bus->parent_delay;
        edge.matrix = bus->description.matrix;
    } else if (number < parents + bus->send_count) {
        const struct plan_send *send = &plan->sends[bus->first_send + number - parents];
        edge = edge_to_bus(core, &plan->buses[send->target].description);
        edge.kind = EDGE_SEND;
        edge.delay = send->delay;
        edge.matrix = send->description.matrix;
        edge.send = &send->description;
        edge.level = &core->sends[send->description.slot].level;
        edge.pre_fader = send->description.pre_fader;
    } else {
        const uint32_t place = bus->first_connection + number - parents - bus->send_count;
        const struct plan_connection *connection = &plan->connections[place];
        edge = edge_to_route(core, &plan->routes[connection->route].description);
        edge.delay = connection->delay;
        edge.matrix = connection->matrix;
    }
    edge.shared = edge.channels < bus->description.channels ? edge.channels : bus->description.channels;
    return edge;
}

// Whether one channel goes to both sides.
static bool edge_spreads(const struct edge *edge, const rcore_bus_description_t *bus) {
    return bus->pan_law != RCORE_PAN_NONE && !edge->pre_fader && bus->channels == 1 && edge->channels > 1;
}

void edges_fill(const rcore_t *core, rcore_plan_t *plan) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        bus->first_edge = count;
        bus->straight = true;
        for (uint32_t number = 0; number < edge_count(bus); number++) {
            const struct edge edge = edge_make(core, plan, bus, number);
            bus->straight &= edge.matrix == NULL && edge.delay == 0 && !edge_spreads(&edge, &bus->description);
            plan->edges[count++] = edge;
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

static bool same_edge(const struct edge *a, const struct edge *b) RCORE_RT {
    if (a->kind != b->kind || a->target != b->target || a->channels != b->channels || a->delay != b->delay ||
        !same_matrix(a->matrix, b->matrix)) {
        return false;
    }
    if (a->kind == EDGE_SEND) {
        return a->send->slot == b->send->slot && a->send->pre_fader == b->send->pre_fader;
    }
    return a->kind != EDGE_ROUTE || a->route->first_output == b->route->first_output;
}

bool insert_stays(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    const rcore_insert_t *a = &bus->description.insert;
    const rcore_insert_t *b = &counterpart->description.insert;
    return bus->description.channels == counterpart->description.channels && a->render == b->render &&
           a->context == b->context;
}

bool bus_stays(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    return insert_stays(bus, counterpart) && bus->description.pan_law == counterpart->description.pan_law &&
           (bus->description.gate == NULL) == (counterpart->description.gate == NULL);
}

bool edge_stays(const struct edge *edge, const struct plan_bus *bus, const rcore_plan_t *other,
                const struct plan_bus *counterpart) RCORE_RT {
    if (!bus_stays(bus, counterpart)) {
        return false;
    }
    const bool same_history = edge->delay == 0 || bus->history == counterpart->history;
    for (uint32_t i = 0; same_history && i < edge_count(counterpart); i++) {
        if (same_edge(edge, edge_at(other, counterpart, i))) {
            return true;
        }
    }
    return false;
}
