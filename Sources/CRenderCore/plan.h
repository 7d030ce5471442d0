/// Inside of a plan, for the cycle: arrays in the order they are rendered.
#ifndef RCORE_PLAN_INTERNAL_H
#define RCORE_PLAN_INTERNAL_H

#include "rcore_plan.h"

/// Parents stand before their children: walk backwards to mix, forwards to hand the gate's verdict down.
struct plan_bus {
    rcore_bus_description_t description;
    uint32_t parent; // index in `buses`, or RCORE_NONE
};

struct plan_route {
    rcore_route_description_t description;
};

struct plan_connection {
    uint32_t bus;   // index in `buses`
    uint32_t route; // index in `routes`
    const rcore_matrix_t *matrix;
};

struct rcore_plan {
    uint64_t serial;         // given when posted, from 1
    struct rcore_plan *next; // [control] older posted plans
    struct plan_bus *buses;
    struct plan_route *routes;
    struct plan_connection *connections;
    rcore_input_description_t *inputs;
    uint32_t bus_count;
    uint32_t route_count;
    uint32_t connection_count;
    uint32_t input_count;
};

#endif
