#include "plan.h"

#include "matrix.h"
#include "memory.h"

#include <stdlib.h>

rcore_plan_t *rcore_plan_create(void) { return memory_allocate(sizeof(rcore_plan_t)); }

void rcore_plan_destroy(rcore_plan_t *plan) {
    if (plan != NULL) {
        free(plan->buses);
        free(plan->routes);
        free(plan->connections);
        free(plan->inputs);
        free(plan);
    }
}

static uint32_t find_bus(const rcore_plan_t *plan, uint32_t slot) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        if (plan->buses[i].description.slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

static uint32_t find_route(const rcore_plan_t *plan, uint32_t slot) {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (plan->routes[i].description.slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

static bool channels_valid(uint32_t channels) { return channels >= 1 && channels <= RCORE_MAX_CHANNELS; }

rcore_status_t rcore_plan_add_bus(rcore_plan_t *plan, const rcore_bus_description_t *bus) {
    if (plan == NULL || bus == NULL || bus->slot == RCORE_NONE || !channels_valid(bus->channels) ||
        find_bus(plan, bus->slot) != RCORE_NONE) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t parent = bus->parent == RCORE_NONE ? RCORE_NONE : find_bus(plan, bus->parent);
    if (bus->parent != RCORE_NONE && parent == RCORE_NONE) {
        return RCORE_BAD_ARGUMENT;
    }
    if (bus->matrix != NULL && (parent == RCORE_NONE || bus->matrix->inputs != bus->channels ||
                                bus->matrix->outputs != plan->buses[parent].description.channels)) {
        return RCORE_BAD_ARGUMENT;
    }
    struct plan_bus *buses = realloc(plan->buses, sizeof *buses * (plan->bus_count + 1));
    if (buses == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->buses = buses;
    plan->buses[plan->bus_count++] = (struct plan_bus){.description = *bus, .parent = parent};
    return RCORE_OK;
}

rcore_status_t rcore_plan_add_route(rcore_plan_t *plan, const rcore_route_description_t *route) {
    if (plan == NULL || route == NULL || route->slot == RCORE_NONE || !channels_valid(route->channels) ||
        route->first_output > UINT32_MAX - RCORE_MAX_CHANNELS || find_route(plan, route->slot) != RCORE_NONE ||
        (route->capture != NULL && rcore_fifo_channels(route->capture) != route->channels)) {
        return RCORE_BAD_ARGUMENT;
    }
    struct plan_route *routes = realloc(plan->routes, sizeof *routes * (plan->route_count + 1));
    if (routes == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->routes = routes;
    plan->routes[plan->route_count++] = (struct plan_route){.description = *route};
    return RCORE_OK;
}

static bool input_fits(const rcore_plan_t *plan, const rcore_input_description_t *input) {
    for (uint32_t i = 0; i < plan->input_count; i++) {
        const rcore_input_description_t *other = &plan->inputs[i];
        if (other->slot == input->slot || (other->capture != NULL && other->capture == input->capture)) {
            return false;
        }
    }
    return input->capture == NULL || rcore_capture_channels(input->capture) == input->channels;
}

rcore_status_t rcore_plan_add_input(rcore_plan_t *plan, const rcore_input_description_t *input) {
    if (plan == NULL || input == NULL || input->slot == RCORE_NONE || !channels_valid(input->channels) ||
        input->first_input > UINT32_MAX - RCORE_MAX_CHANNELS || !input_fits(plan, input)) {
        return RCORE_BAD_ARGUMENT;
    }
    rcore_input_description_t *inputs = realloc(plan->inputs, sizeof *inputs * (plan->input_count + 1));
    if (inputs == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->inputs = inputs;
    plan->inputs[plan->input_count++] = *input;
    return RCORE_OK;
}

rcore_status_t rcore_plan_connect(rcore_plan_t *plan, uint32_t bus, uint32_t route, const rcore_matrix_t *matrix) {
    if (plan == NULL) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t from = find_bus(plan, bus);
    const uint32_t to = find_route(plan, route);
    if (from == RCORE_NONE || to == RCORE_NONE || plan->buses[from].parent != RCORE_NONE ||
        (matrix != NULL && (matrix->inputs != plan->buses[from].description.channels ||
                            matrix->outputs != plan->routes[to].description.channels))) {
        return RCORE_BAD_ARGUMENT;
    }
    struct plan_connection *connections =
        realloc(plan->connections, sizeof *connections * (plan->connection_count + 1));
    if (connections == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->connections = connections;
    plan->connections[plan->connection_count++] = (struct plan_connection){.bus = from, .route = to, .matrix = matrix};
    return RCORE_OK;
}
