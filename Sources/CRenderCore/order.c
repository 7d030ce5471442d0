#include "order.h"

// Ways from one bus to another: those to routes stand behind them.
static uint32_t inner_edge_count(const struct plan_bus *bus) RCORE_RT {
    return edge_count(bus) - bus->connection_count;
}

static void note_indices(struct order_slot *slots, const rcore_plan_t *plan, bool leaves) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        struct order_slot *slot = &slots[plan->buses[i].description.slot];
        *(leaves ? &slot->before : &slot->now) = i;
    }
}

static void count_incoming(struct order_slot *slots, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        for (uint32_t number = 0; number < inner_edge_count(&plan->buses[i]); number++) {
            slots[edge_at(plan, &plan->buses[i], number)->target].incoming += 1;
        }
    }
}

// What nothing leads to that is not yet in order.
static uint32_t append_free(struct order_slot *slots, const rcore_plan_t *plan, uint32_t *order,
                            uint32_t count) RCORE_RT {
    for (uint32_t i = plan != NULL ? plan->bus_count : 0; i-- > 0;) { // children first: they stand behind their parents
        const uint32_t slot = plan->buses[i].description.slot;
        if (slots[slot].incoming == 0) {
            slots[slot].incoming = RCORE_NONE;
            order[count++] = slot;
        }
    }
    return count;
}

static uint32_t append_targets(struct order_slot *slots, const rcore_plan_t *plan, uint32_t index, uint32_t *order,
                               uint32_t count) RCORE_RT {
    const struct plan_bus *bus = index != RCORE_NONE ? &plan->buses[index] : NULL;
    for (uint32_t number = 0; bus != NULL && number < inner_edge_count(bus); number++) {
        const uint32_t target = edge_at(plan, bus, number)->target;
        if (--slots[target].incoming == 0) {
            slots[target].incoming = RCORE_NONE;
            order[count++] = target;
        }
    }
    return count;
}

uint32_t order_buses(struct order_slot *slots, uint32_t max_buses, const rcore_plan_t *plan,
                     const rcore_plan_t *leaving, uint32_t *order) RCORE_RT {
    for (uint32_t i = 0; i < max_buses; i++) {
        slots[i] = (struct order_slot){.now = RCORE_NONE, .before = RCORE_NONE, .incoming = 0};
    }
    note_indices(slots, plan, false);
    note_indices(slots, leaving, true);
    count_incoming(slots, plan);
    count_incoming(slots, leaving);
    uint32_t total = 0;
    for (uint32_t i = 0; i < max_buses; i++) {
        total += slots[i].now != RCORE_NONE || slots[i].before != RCORE_NONE ? 1 : 0;
    }
    uint32_t count = append_free(slots, plan, order, 0);
    count = append_free(slots, leaving, order, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct order_slot *slot = &slots[order[i]];
        count = append_targets(slots, plan, slot->now, order, count);
        count = append_targets(slots, leaving, slot->before, order, count);
    }
    return count == total ? count : RCORE_NONE;
}
