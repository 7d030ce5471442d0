// Compiles a plan when it is posted: computes its latencies and allocates its delay lines.
#include "core/core.h"
#include "core/memory.h"
#include "graph/delay.h"
#include "graph/plan.h"
#include "graph/schedule.h"

#include <stdlib.h>

// Temporary memory in which the control thread orders the buses.
struct scratch {
    struct schedule_slot *slots;
    uint32_t *schedule;
};

static bool scratch_make(struct scratch *scratch, uint32_t max_buses) {
    scratch->slots = memory_allocate(sizeof *scratch->slots * max_buses);
    scratch->schedule = memory_allocate(sizeof *scratch->schedule * max_buses);
    return scratch->slots != NULL && scratch->schedule != NULL;
}

static void scratch_free(const struct scratch *scratch) {
    free(scratch->slots);
    free(scratch->schedule);
}

// ---- Latencies ----------------------------------------------------------------------------------

// Latencies, in frames: of the sum of a bus (`in`), and of the output of its insert (`out`).
struct arrival {
    uint32_t in;
    uint32_t out;
};

// Raises `value` to `minimum` if it is lower.
static void raise_to(uint32_t *value, uint32_t minimum) { *value = minimum > *value ? minimum : *value; }

// Returns whether the core aligns a bus with the other buses that are connected to the same route.
// It does not align sessions: they share routes, but are not parallel paths of one signal.
static bool is_aligned_at_routes(const struct plan_bus *bus) {
    return !bus->description.compensation_exempt && bus->description.gate == NULL;
}

// Computes the arrivals of all buses, and at each route the latency with which the buses that are
// aligned there arrive. Follows the mixing order, so that the arrivals of all buses that feed a bus
// are known before its own. Returns false if the latency of a path is too high.
static bool compute_arrivals(const rcore_plan_t *plan, const struct scratch *scratch, struct arrival *buses,
                             uint32_t *routes) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const uint32_t index = scratch->slots[scratch->schedule[i]].current;
        const struct plan_bus *bus = &plan->buses[index];
        buses[index].out = buses[index].in + bus->description.insert.latency_frames;
        if (buses[index].out > RCORE_MAX_LATENCY) {
            return false;
        }
        const uint32_t compensated = bus->description.compensation_exempt ? 0 : buses[index].out;
        if (bus->parent != RCORE_NONE) {
            raise_to(&buses[bus->parent].in, compensated);
        }
        for (uint32_t s = 0; s < bus->send_count; s++) {
            raise_to(&buses[plan->sends[bus->first_send + s].target].in, compensated);
        }
        for (uint32_t c = 0; c < bus->route_connection_count; c++) {
            raise_to(&routes[plan->route_connections[bus->first_route_connection + c].route],
                     is_aligned_at_routes(bus) ? buses[index].out : 0);
        }
    }
    return true;
}

// Sets the delay of each connection and direct input, so that all paths to a bus or route arrive
// together. Buses that are not aligned there have no delay.
static void set_delays(rcore_plan_t *plan, const struct arrival *buses, const uint32_t *routes) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const bool exempt = bus->description.compensation_exempt;
        bus->direct_delay = exempt ? 0 : buses[i].in;
        bus->parent_delay = exempt || bus->parent == RCORE_NONE ? 0 : buses[bus->parent].in - buses[i].out;
        for (uint32_t s = 0; s < bus->send_count; s++) {
            struct plan_send *send = &plan->sends[bus->first_send + s];
            send->delay = exempt ? 0 : buses[send->target].in - buses[i].out;
        }
        for (uint32_t c = 0; c < bus->route_connection_count; c++) {
            struct plan_route_connection *connection = &plan->route_connections[bus->first_route_connection + c];
            connection->delay = is_aligned_at_routes(bus) ? routes[connection->route] - buses[i].out : 0;
        }
    }
}

static uint32_t longest_delay(const rcore_plan_t *plan, const struct plan_bus *bus) {
    uint32_t longest = 0;
    for (uint32_t i = 0; i < connection_count(bus); i++) {
        raise_to(&longest, connection_at(plan, bus, i)->delay);
    }
    return longest;
}

// Sets the latency of each bus up to the end of its path, and that of the plan. Returns false if it
// is too high. In a plan, parents precede their children.
static bool set_latencies(rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const struct plan_bus *parent = bus->parent != RCORE_NONE ? &plan->buses[bus->parent] : NULL;
        uint32_t downstream = 0; // latency after its insert
        if (parent != NULL) {
            downstream = bus->parent_delay + parent->latency - parent->direct_delay;
        } else {
            for (uint32_t c = 0; c < bus->route_connection_count; c++) {
                raise_to(&downstream, plan->route_connections[bus->first_route_connection + c].delay);
            }
        }
        bus->latency = bus->direct_delay + bus->description.insert.latency_frames + downstream;
        raise_to(&plan->latency, bus->latency);
    }
    return plan->latency <= RCORE_MAX_LATENCY; // exempt buses are not included in the arrivals
}

// Computes all latencies and delays of a plan whose buses are ordered in `scratch`.
static rcore_status_t compute_latencies(rcore_plan_t *plan, const struct scratch *scratch) {
    struct arrival *buses = memory_allocate(sizeof *buses * plan->bus_count);
    uint32_t *routes = memory_allocate(sizeof *routes * (plan->route_count + 1));
    rcore_status_t status = buses != NULL && routes != NULL ? RCORE_OK : RCORE_NO_MEMORY;
    if (status == RCORE_OK && !compute_arrivals(plan, scratch, buses, routes)) {
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

// ---- Delay lines --------------------------------------------------------------------------------

// Returns the delay line of the bus's direct input (`direct`), or of its insert's output, in the
// newest posted plan, with one more reference, if it has the same channels, is long enough and,
// after the insert, the insert is the same; otherwise a new, empty one (NULL if memory cannot be
// allocated). Never shares the line of an older plan: it has not been written since that plan was
// replaced, so the bus would play old samples again.
static struct delay *share_or_create_delay(const rcore_t *core, const struct plan_bus *bus, uint32_t capacity,
                                           bool direct) {
    const rcore_plan_t *plan = core->graph.posted_plans;
    if (plan != NULL) {
        const uint32_t index = plan_find_bus(plan, bus->description.slot);
        const struct plan_bus *other = index != RCORE_NONE ? &plan->buses[index] : NULL;
        struct delay *delay = other == NULL ? NULL : direct ? other->direct_line : other->delay_line;
        if (delay != NULL && delay->channels == bus->description.channels && delay->capacity >= capacity &&
            (direct || same_insert(bus, other))) {
            return delay_retain(delay);
        }
    }
    return delay_create(bus->description.channels, capacity, core->config.block_frames);
}

// Sets the delay lines of all buses, and whether each bus has a tail. Returns false if memory
// cannot be allocated.
static bool make_delay_lines(const rcore_t *core, rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        struct plan_bus *bus = &plan->buses[i];
        const uint32_t longest = longest_delay(plan, bus);
        bus->direct_line = bus->direct_delay > 0 ? share_or_create_delay(core, bus, bus->direct_delay, true) : NULL;
        bus->delay_line = longest > 0 ? share_or_create_delay(core, bus, longest, false) : NULL;
        if (bus->description.insert.render) {
            plan->buses[bus->root].root_has_insert = true;
        }
        bus->has_tail = bus->description.insert.render || bus->direct_delay > 0 || longest > 0;
        if ((bus->direct_delay > 0 && bus->direct_line == NULL) || (longest > 0 && bus->delay_line == NULL)) {
            return false;
        }
    }
    return true;
}

// ---- Conflicts with plans that the core still holds ---------------------------------------------

// Returns whether an insert's context is on another bus, or with another effect or channel count,
// in the held plan: while the plans crossfade, the core could not process both with one state.
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

// Returns whether a limiter is on another route slot or at another output in the held plan: while
// the plans crossfade, it would run twice.
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

// Returns the slot whose gate applies to a bus, or RCORE_NONE.
static uint32_t gate_of(const rcore_plan_t *plan, uint32_t index) {
    const rcore_bus_description_t *root = &plan->buses[plan->buses[index].root].description;
    return root->gate != NULL ? root->slot : RCORE_NONE;
}

// Returns whether a bus that feeds `slot` in `plan` is under a gate other than `gate` in `other`.
// `gate` is the one of `slot` in `other`: while both plans crossfade, the signal of such a bus
// would pass it as well.
static bool receives_other_gate(const rcore_plan_t *plan, const rcore_plan_t *other, uint32_t slot, uint32_t gate) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct plan_bus *bus = &plan->buses[i];
        bool feeds = false;
        for (uint32_t number = 0; number < connection_count(bus); number++) {
            const struct connection *connection = connection_at(plan, bus, number);
            feeds |= connection->kind != CONNECTION_ROUTE && connection->target == slot;
        }
        const uint32_t index = feeds ? plan_find_bus(other, bus->description.slot) : RCORE_NONE;
        if (index != RCORE_NONE && gate_of(other, index) != gate) {
            return true;
        }
    }
    return false;
}

// Returns whether a bus moves to another gate while a bus that feeds it, in the held plan or in the
// new one, does not move with it: during the crossfade of both plans, their mix would pass both
// gates.
static bool changes_session(const rcore_t *core, const rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const uint32_t slot = plan->buses[i].description.slot;
        for (const rcore_plan_t *held = core->graph.posted_plans; held != NULL; held = held->next) {
            const uint32_t index = plan_find_bus(held, slot);
            if (index == RCORE_NONE) {
                break; // older plans had an earlier use of the slot, which has ended
            }
            const uint32_t previous = gate_of(held, index);
            const uint32_t current = gate_of(plan, i);
            if (previous != current &&
                (receives_other_gate(held, plan, slot, current) || receives_other_gate(plan, held, slot, previous))) {
                return true;
            }
        }
    }
    return false;
}

// Returns whether the plan conflicts with a held plan, for any reason that `rcore_post_plan` lists.
static bool conflicts(const rcore_t *core, const rcore_plan_t *plan, const struct scratch *scratch) {
    for (const rcore_plan_t *held = core->graph.posted_plans; held != NULL; held = held->next) {
        if (moves_insert(held, plan) || moves_limiter(held, plan) ||
            schedule_buses(scratch->slots, core->config.max_buses, plan, held, scratch->schedule) == RCORE_NONE) {
            return true;
        }
    }
    return changes_session(core, plan);
}

// ---- Compiling ----------------------------------------------------------------------------------

// Allocates and fills the connections. Their delays are not known yet.
static bool make_connections(const rcore_t *core, rcore_plan_t *plan) {
    const uint32_t most = plan->bus_count + plan->send_count + plan->route_connection_count;
    plan->connections = memory_allocate(sizeof *plan->connections * most);
    if (plan->connections != NULL) {
        connections_fill(core, plan);
    }
    return plan->connections != NULL;
}

rcore_status_t plan_compile(const rcore_t *core, rcore_plan_t *plan) {
    // An earlier post may have compiled the plan and then failed because the queue was full.
    plan_reset(plan);
    if (plan->bus_count == 0) {
        return RCORE_OK;
    }
    struct scratch scratch;
    const bool made = scratch_make(&scratch, core->config.max_buses) && make_connections(core, plan);
    rcore_status_t status = made ? RCORE_OK : RCORE_NO_MEMORY;
    if (status == RCORE_OK && conflicts(core, plan, &scratch)) {
        status = RCORE_CONFLICT;
    }
    if (status == RCORE_OK) {
        // Again, since `conflicts` overwrote the schedule. Cannot fail: a plan has no cycles.
        (void)schedule_buses(scratch.slots, core->config.max_buses, plan, NULL, scratch.schedule);
        status = compute_latencies(plan, &scratch);
        connections_fill(core, plan); // again, with the delays
    }
    if (status == RCORE_OK && !make_delay_lines(core, plan)) {
        status = RCORE_NO_MEMORY;
    }
    if (status != RCORE_OK) {
        plan_reset(plan);
    }
    scratch_free(&scratch);
    return status;
}
