// A plan is sealed when it is posted: latencies are known then, and what delays is there.
#include "core.h"
#include "memory.h"
#include "order.h"

#include <stdlib.h>

// What control needs to put buses in order.
struct scratch {
    struct order_slot *slots;
    uint32_t *order;
};

static bool scratch_make(struct scratch *scratch, uint32_t max_buses) {
    scratch->slots = memory_allocate(sizeof *scratch->slots * max_buses);
    scratch->order = memory_allocate(sizeof *scratch->order * max_buses);
    return scratch->slots != NULL && scratch->order != NULL;
}

static void scratch_free(const struct scratch *scratch) {
    free(scratch->slots);
    free(scratch->order);
}

// ---- Latencies --------------------------------------------------------------------------------------------------------------------

// When what a bus adds up, and what leaves its insert, arrives: in frames after it was played.
struct arrival {
    uint32_t in;
    uint32_t out;
};

static void meet(uint32_t *place, uint32_t arrival) { *place = arrival > *place ? arrival : *place; }

// Sessions that meet at a route are nobody's parallel paths: none is delayed for another's effects.
static bool waits_at_routes(const struct plan_bus *bus) {
    return !bus->description.live && bus->description.gate == NULL;
}

// Of each bus, in order: all that leads to it is known by then. False: a path is too long.
static bool find_arrivals(const rcore_plan_t *plan, const struct scratch *scratch, struct arrival *buses,
                          uint32_t *routes) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const uint32_t index = scratch->slots[scratch->order[i]].now;
        const struct plan_bus *bus = &plan->buses[index];
        buses[index].out = buses[index].in + bus->description.insert.latency_frames;
        if (buses[index].out > RCORE_MAX_LATENCY) {
            return false;
        }
        const uint32_t counted = bus->description.live ? 0 : buses[index].out;
        if (bus->parent != RCORE_NONE) {
            meet(&buses[bus->parent].in, counted);
        }
        for (uint32_t s = 0; s < bus->send_count; s++) {
            meet(&buses[plan->sends[bus->first_send + s].target].in, counted);
        }
        for (uint32_t c = 0; c < bus->connection_count; c++) {
            meet(&routes[plan->connections[bus->first_connection + c].route],
                 waits_at_routes(bus) ? buses[index].out : 0);
        }
    }
    return true;
}

static void set_delays(rcore_plan_t *plan, const struct arrival *buses, const uint32_t *routes) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const bool live = bus->description.live;
        bus->played_delay = live ? 0 : buses[i].in;
        bus->parent_delay = live || bus->parent == RCORE_NONE ? 0 : buses[bus->parent].in - buses[i].out;
        for (uint32_t s = 0; s < bus->send_count; s++) {
            struct plan_send *send = &plan->sends[bus->first_send + s];
            send->delay = live ? 0 : buses[send->target].in - buses[i].out;
        }
        for (uint32_t c = 0; c < bus->connection_count; c++) {
            struct plan_connection *connection = &plan->connections[bus->first_connection + c];
            connection->delay = waits_at_routes(bus) ? routes[connection->route] - buses[i].out : 0;
        }
    }
}

static uint32_t longest_delay(const rcore_plan_t *plan, const struct plan_bus *bus) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < edge_count(bus); i++) {
        meet(&longest, edge_at(plan, bus, i)->delay);
    }
    return longest;
}

// Up to where each leaves the graph: parents stand before their children.
static bool set_latencies(rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const struct plan_bus *parent = bus->parent != RCORE_NONE ? &plan->buses[bus->parent] : NULL;
        uint32_t behind = 0; // of what it adds up
        if (parent != NULL) {
            behind = bus->parent_delay + parent->latency - parent->played_delay;
        } else {
            for (uint32_t c = 0; c < bus->connection_count; c++) {
                meet(&behind, plan->connections[bus->first_connection + c].delay);
            }
        }
        bus->latency = bus->played_delay + bus->description.insert.latency_frames + behind;
        meet(&plan->latency, bus->latency);
    }
    return plan->latency <= RCORE_MAX_LATENCY; // also by way of live buses, which no arrival counts
}

static rcore_status_t find_latencies(rcore_plan_t *plan, const struct scratch *scratch) {
    struct arrival *buses = memory_allocate(sizeof *buses * plan->bus_count);
    uint32_t *routes = memory_allocate(sizeof *routes * (plan->route_count + 1));
    rcore_status_t status = buses != NULL && routes != NULL ? RCORE_OK : RCORE_NO_MEMORY;
    if (status == RCORE_OK && !find_arrivals(plan, scratch, buses, routes)) {
        status = RCORE_BAD_ARGUMENT;
    }
    if (status == RCORE_OK) {
        set_delays(plan, buses, routes);
        status = set_latencies(plan) ? RCORE_OK : RCORE_BAD_ARGUMENT;
    }
    free(buses);
    free(routes);
    return status;
}

// ---- What delays ------------------------------------------------------------------------------------------------------------------

// That of the newest plan posted, if it does for this bus, with one more user; or a new one, empty. Not that of an older plan: in between
// nobody wrote it, and what joins would bring back what was played then.
static struct delay *find_delay(const rcore_t *core, const struct plan_bus *bus, uint32_t capacity, bool played) {
    const rcore_plan_t *plan = core->posted_plans;
    if (plan != NULL) {
        const uint32_t index = plan_find_bus(plan, bus->description.slot);
        const struct plan_bus *other = index != RCORE_NONE ? &plan->buses[index] : NULL;
        struct delay *delay = other == NULL ? NULL : played ? other->played : other->history;
        if (delay != NULL && delay->channels == bus->description.channels && delay->capacity >= capacity &&
            (played || insert_stays(bus, other))) {
            return delay_take(delay);
        }
    }
    return delay_create(bus->description.channels, capacity, core->config.slice_frames);
}

static bool make_delays(const rcore_t *core, rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const uint32_t longest = longest_delay(plan, bus);
        bus->played = bus->played_delay > 0 ? find_delay(core, bus, bus->played_delay, true) : NULL;
        bus->history = longest > 0 ? find_delay(core, bus, longest, false) : NULL;
        bus->lasts = bus->description.insert.render || bus->played_delay > 0 || longest > 0;
        if ((bus->played_delay > 0 && bus->played == NULL) || (longest > 0 && bus->history == NULL)) {
            return false;
        }
    }
    return true;
}

// ---- Plans that the core still holds ------------------------------------------------------------------------------------------------

// Whether an insert's context is on another bus there: it could not be called for both while they cross-fade.
static bool moves_insert(const rcore_plan_t *held, const rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        for (uint32_t j = 0; bus->insert.render && j < held->bus_count; j++) {
            const rcore_bus_description_t *other = &held->buses[j].description;
            if (other->insert.render && other->insert.context == bus->insert.context &&
                (other->slot != bus->slot || other->channels != bus->channels ||
                 other->insert.render != bus->insert.render)) {
                return true;
            }
        }
    }
    return false;
}

// Whether a limiter is at another output there: it would run twice.
static bool moves_limiter(const rcore_plan_t *held, const rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        for (uint32_t j = 0; route->limiter != NULL && j < held->route_count; j++) {
            const rcore_route_description_t *other = &held->routes[j].description;
            if (other->limiter == route->limiter &&
                (other->slot != route->slot || other->first_output != route->first_output)) {
                return true;
            }
        }
    }
    return false;
}

// The slot whose gate holds for a bus, or RCORE_NONE.
static uint32_t gate_of(const rcore_plan_t *plan, uint32_t index) {
    const rcore_bus_description_t *root = &plan->buses[plan->buses[index].root].description;
    return root->gate != NULL ? root->slot : RCORE_NONE;
}

// Whether in `plan` a bus leads to this slot that in `other` is under another gate than the slot itself is there: its sum would leave by that gate.
static bool takes_strangers(const rcore_plan_t *plan, const rcore_plan_t *other, uint32_t slot, uint32_t gate) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct plan_bus *bus = &plan->buses[i];
        bool leads = false;
        for (uint32_t number = 0; number < edge_count(bus); number++) {
            const struct edge *edge = edge_at(plan, bus, number);
            leads |= edge->kind != EDGE_ROUTE && edge->target == slot;
        }
        const uint32_t index = leads ? plan_find_bus(other, bus->description.slot) : RCORE_NONE;
        if (index != RCORE_NONE && gate_of(other, index) != gate) {
            return true;
        }
    }
    return false;
}

// Whether a bus is under another gate than when it was last there, and what leads to it is not, or was not: while both plans are heard, its sum leaves by both gates.
static bool changes_session(const rcore_t *core, const rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const uint32_t slot = plan->buses[i].description.slot;
        for (const rcore_plan_t *held = core->posted_plans; held != NULL; held = held->next) {
            const uint32_t index = plan_find_bus(held, slot);
            if (index == RCORE_NONE) {
                break; // what was before has left, and the slot begins afresh
            }
            const uint32_t before = gate_of(held, index);
            const uint32_t now = gate_of(plan, i);
            if (before != now &&
                (takes_strangers(held, plan, slot, now) || takes_strangers(plan, held, slot, before))) {
                return true;
            }
        }
    }
    return false;
}

static bool conflicts(const rcore_t *core, const rcore_plan_t *plan, const struct scratch *scratch) {
    for (const rcore_plan_t *held = core->posted_plans; held != NULL; held = held->next) {
        if (moves_insert(held, plan) || moves_limiter(held, plan) ||
            order_buses(scratch->slots, core->config.max_buses, plan, held, scratch->order) == RCORE_NONE) {
            return true;
        }
    }
    return changes_session(core, plan);
}

// ---- Sealing ------------------------------------------------------------------------------------------------------------------------

void plan_unseal(rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        delay_give(plan->buses[i].played);
        delay_give(plan->buses[i].history);
        plan->buses[i].played = plan->buses[i].history = NULL;
    }
    free(plan->edges);
    plan->edges = NULL;
    plan->latency = 0;
}

// Where they lead; their delays are not known yet.
static bool make_edges(const rcore_t *core, rcore_plan_t *plan) {
    const uint32_t most = plan->bus_count + plan->send_count + plan->connection_count;
    plan->edges = memory_allocate(sizeof *plan->edges * most);
    if (plan->edges != NULL) {
        edges_fill(core, plan);
    }
    return plan->edges != NULL;
}

rcore_status_t plan_seal(const rcore_t *core, rcore_plan_t *plan) {
    plan_unseal(plan); // of a post that found no room
    if (plan->bus_count == 0) {
        return RCORE_OK;
    }
    struct scratch scratch;
    const bool made = scratch_make(&scratch, core->config.max_buses) && make_edges(core, plan);
    rcore_status_t status = made ? RCORE_OK : RCORE_NO_MEMORY;
    if (status == RCORE_OK && conflicts(core, plan, &scratch)) {
        status = RCORE_CONFLICT;
    }
    if (status == RCORE_OK) {
        (void)order_buses(scratch.slots, core->config.max_buses, plan, NULL, scratch.order); // it has no cycles
        status = find_latencies(plan, &scratch);
        edges_fill(core, plan);
    }
    if (status == RCORE_OK && !make_delays(core, plan)) {
        status = RCORE_NO_MEMORY;
    }
    if (status != RCORE_OK) {
        plan_unseal(plan);
    }
    scratch_free(&scratch);
    return status;
}
