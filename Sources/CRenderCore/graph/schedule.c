#include "graph/schedule.h"

// Returns the number of connections from a bus to other buses; those to routes follow them.
static uint32_t inner_connection_count(const struct plan_bus *bus) RCORE_RT {
    return connection_count(bus) - bus->route_connection_count;
}

// Stores the indices of a plan's buses in `previous` (outgoing plan) or `current`.
static void store_indices(struct schedule_slot *slots, const rcore_plan_t *plan, bool is_outgoing) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        struct schedule_slot *slot = &slots[plan->buses[i].description.slot];
        *(is_outgoing ? &slot->previous : &slot->current) = i;
    }
}

static void count_incoming(struct schedule_slot *slots, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        for (uint32_t number = 0; number < inner_connection_count(&plan->buses[i]); number++) {
            slots[connection_at(plan, &plan->buses[i], number)->target].incoming += 1;
        }
    }
}

// Appends the buses of a plan that have no incoming connections left.
static uint32_t append_roots(struct schedule_slot *slots, const rcore_plan_t *plan, uint32_t *schedule,
                             uint32_t count) RCORE_RT {
    // In reverse, since children follow their parents in a plan.
    for (uint32_t i = plan != NULL ? plan->bus_count : 0; i-- > 0;) {
        const uint32_t slot = plan->buses[i].description.slot;
        if (slots[slot].incoming == 0) {
            slots[slot].incoming = RCORE_NONE;
            schedule[count++] = slot;
        }
    }
    return count;
}

// Removes the connections of a bus, and appends the targets that have no incoming ones left.
static uint32_t append_targets(struct schedule_slot *slots, const rcore_plan_t *plan, uint32_t index,
                               uint32_t *schedule, uint32_t count) RCORE_RT {
    const struct plan_bus *bus = index != RCORE_NONE ? &plan->buses[index] : NULL;
    for (uint32_t number = 0; bus != NULL && number < inner_connection_count(bus); number++) {
        const uint32_t target = connection_at(plan, bus, number)->target;
        if (--slots[target].incoming == 0) {
            slots[target].incoming = RCORE_NONE;
            schedule[count++] = target;
        }
    }
    return count;
}

uint32_t schedule_buses(struct schedule_slot *slots, uint32_t max_buses, const rcore_plan_t *plan,
                        const rcore_plan_t *outgoing, uint32_t *schedule) RCORE_RT {
    for (uint32_t i = 0; i < max_buses; i++) {
        slots[i] = (struct schedule_slot){.current = RCORE_NONE, .previous = RCORE_NONE, .incoming = 0};
    }
    store_indices(slots, plan, false);
    store_indices(slots, outgoing, true);
    count_incoming(slots, plan);
    count_incoming(slots, outgoing);
    // Topological order of both graphs together.
    uint32_t total = 0;
    for (uint32_t i = 0; i < max_buses; i++) {
        total += slots[i].current != RCORE_NONE || slots[i].previous != RCORE_NONE ? 1 : 0;
    }
    uint32_t count = append_roots(slots, plan, schedule, 0);
    count = append_roots(slots, outgoing, schedule, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct schedule_slot *slot = &slots[schedule[i]];
        count = append_targets(slots, plan, slot->current, schedule, count);
        count = append_targets(slots, outgoing, slot->previous, schedule, count);
    }
    return count == total ? count : RCORE_NONE;
}
