#include "graph/plan.h"

#include "core/memory.h"
#include "mix/matrix.h"

#include <stdlib.h>
#include <string.h>

rcore_plan_t *rcore_plan_create(void) { return memory_allocate(sizeof(rcore_plan_t)); }

void plan_reset(rcore_plan_t *plan) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        delay_release(plan->buses[i].direct_line);
        delay_release(plan->buses[i].delay_line);
        plan->buses[i].direct_line = plan->buses[i].delay_line = NULL;
    }
    free(plan->connections);
    plan->connections = NULL;
    plan->latency = 0;
}

void rcore_plan_destroy(rcore_plan_t *plan) {
    if (plan != NULL) {
        plan_reset(plan);
        free(plan->buses);
        free(plan->sends);
        free(plan->routes);
        free(plan->route_connections);
        free(plan->inputs);
        free(plan);
    }
}

uint32_t plan_find_bus(const rcore_plan_t *plan, uint32_t slot) {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        if (plan->buses[i].description.slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

// Limits of a plan; no core has more slots.
enum { most_buses = 1024, most_sends = 1024 };

static uint32_t find_route(const rcore_plan_t *plan, uint32_t slot) {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (plan->routes[i].description.slot == slot) {
            return i;
        }
    }
    return RCORE_NONE;
}

static bool channels_valid(uint32_t channels) { return channels >= 1 && channels <= RCORE_MAX_CHANNELS; }

// Returns whether the plan can take a meter for `channels` channels: NULL, or a meter of that
// channel count that measures nothing else in the plan.
static bool meter_fits(const rcore_plan_t *plan, const rcore_meter_t *meter, uint32_t channels) {
    if (meter == NULL) {
        return true;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        if (plan->buses[i].description.meter == meter) {
            return false;
        }
    }
    for (uint32_t i = 0; i < plan->route_count; i++) {
        if (plan->routes[i].description.meter == meter) {
            return false;
        }
    }
    return rcore_meter_channels(meter) == channels;
}

// Returns whether the plan can take an insert: none, or one whose context the plan does not contain
// yet.
static bool insert_fits(const rcore_plan_t *plan, const rcore_insert_t *insert) {
    if (!insert->render) {
        return insert->context == NULL && insert->latency_frames == 0;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_insert_t *other = &plan->buses[i].description.insert;
        if (other->render && other->context == insert->context) {
            return false;
        }
    }
    return insert->context != NULL && insert->latency_frames <= RCORE_MAX_LATENCY;
}

rcore_status_t rcore_plan_add_bus(rcore_plan_t *plan, const rcore_bus_description_t *bus) {
    if (plan == NULL || bus == NULL || plan->bus_count >= most_buses || bus->slot == RCORE_NONE ||
        !channels_valid(bus->channels) || plan_find_bus(plan, bus->slot) != RCORE_NONE ||
        !meter_fits(plan, bus->meter, bus->channels) || !insert_fits(plan, &bus->insert) ||
        (unsigned)bus->pan_law > RCORE_PAN_LINEAR) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t parent = bus->parent == RCORE_NONE ? RCORE_NONE : plan_find_bus(plan, bus->parent);
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
    plan->buses[plan->bus_count] = (struct plan_bus){
        .description = *bus,
        .parent = parent,
        .root = parent == RCORE_NONE || bus->gate != NULL ? plan->bus_count : plan->buses[parent].root,
        .first_route_connection = plan->route_connection_count,
        .first_send = plan->send_count,
        .initial_gain = 1.0f};
    plan->bus_count++;
    return RCORE_OK;
}

// ---- Sends --------------------------------------------------------------------------------------

// Returns the index of the bus whose gate applies to the bus at `index`, or RCORE_NONE.
static uint32_t session_of(const rcore_plan_t *plan, uint32_t index) {
    const uint32_t root = plan->buses[index].root;
    return plan->buses[root].description.gate != NULL ? root : RCORE_NONE;
}

// Marks the bus `from` and all buses it feeds, directly or through others. Stops at marked buses,
// so that it visits each bus once.
static void mark_downstream(const rcore_plan_t *plan, uint32_t from, bool *marked) {
    while (from != RCORE_NONE && !marked[from]) {
        marked[from] = true;
        const struct plan_bus *bus = &plan->buses[from];
        for (uint32_t i = 0; i < bus->send_count; i++) {
            mark_downstream(plan, plan->sends[bus->first_send + i].target, marked);
        }
        from = bus->parent;
    }
}

// Returns RCORE_BAD_ARGUMENT if the slot is in use, a bus is unknown, the buses are under different
// gates, the matrix does not fit, or the send would close a cycle: its target already feeds its
// source. Returns RCORE_NO_MEMORY if memory cannot be allocated.
static rcore_status_t check_send(const rcore_plan_t *plan, const rcore_send_description_t *send, uint32_t source,
                                 uint32_t target) {
    for (uint32_t i = 0; i < plan->send_count; i++) {
        if (plan->sends[i].description.slot == send->slot) {
            return RCORE_BAD_ARGUMENT;
        }
    }
    if (source == RCORE_NONE || target == RCORE_NONE || session_of(plan, source) != session_of(plan, target) ||
        (send->matrix != NULL && (send->matrix->inputs != plan->buses[source].description.channels ||
                                  send->matrix->outputs != plan->buses[target].description.channels))) {
        return RCORE_BAD_ARGUMENT;
    }
    bool *downstream = memory_allocate(sizeof *downstream * plan->bus_count);
    if (downstream == NULL) {
        return RCORE_NO_MEMORY;
    }
    mark_downstream(plan, target, downstream);
    const rcore_status_t status = downstream[source] ? RCORE_BAD_ARGUMENT : RCORE_OK;
    free(downstream);
    return status;
}

rcore_status_t rcore_plan_add_send(rcore_plan_t *plan, const rcore_send_description_t *send) {
    if (plan == NULL || send == NULL || plan->send_count >= most_sends || send->slot == RCORE_NONE) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t source = plan_find_bus(plan, send->source);
    const uint32_t target = plan_find_bus(plan, send->target);
    const rcore_status_t status = check_send(plan, send, source, target);
    if (status != RCORE_OK) {
        return status;
    }
    struct plan_send *sends = realloc(plan->sends, sizeof *sends * (plan->send_count + 1));
    if (sends == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->sends = sends;
    // A bus's sends are consecutive: insert this one after them, before those of later buses.
    const uint32_t index = plan->buses[source].first_send + plan->buses[source].send_count++;
    memmove(&sends[index + 1], &sends[index], sizeof *sends * (plan->send_count - index));
    sends[index] = (struct plan_send){.description = *send, .initial_level = 1.0f, .source = source, .target = target};
    plan->send_count++;
    for (uint32_t i = source + 1; i < plan->bus_count; i++) {
        plan->buses[i].first_send++;
    }
    return RCORE_OK;
}

// ---- Initial state ------------------------------------------------------------------------------

rcore_status_t rcore_plan_set_initial_bus_state(rcore_plan_t *plan, uint32_t bus, float gain, float pan, bool muted,
                                                bool soloed) {
    const uint32_t index = plan != NULL ? plan_find_bus(plan, bus) : RCORE_NONE;
    if (index == RCORE_NONE || !sample_is_finite(gain) || !(pan >= -1.0f && pan <= 1.0f)) {
        return RCORE_BAD_ARGUMENT;
    }
    struct plan_bus *planned = &plan->buses[index];
    planned->initial_gain = gain;
    planned->initial_pan = pan;
    planned->initial_muted = muted;
    planned->initial_soloed = soloed;
    return RCORE_OK;
}

rcore_status_t rcore_plan_set_initial_send_level(rcore_plan_t *plan, uint32_t send, float level) {
    for (uint32_t i = 0; plan != NULL && sample_is_finite(level) && i < plan->send_count; i++) {
        if (plan->sends[i].description.slot == send) {
            plan->sends[i].initial_level = level;
            return RCORE_OK;
        }
    }
    return RCORE_BAD_ARGUMENT;
}

uint32_t rcore_plan_latency(const rcore_plan_t *plan, uint32_t bus) {
    const uint32_t index = plan != NULL ? plan_find_bus(plan, bus) : RCORE_NONE;
    return index != RCORE_NONE ? plan->buses[index].latency : 0;
}

// ---- Routes and inputs --------------------------------------------------------------------------

// Returns whether the plan can take a limiter for a route of `channels` channels: NULL, or one of
// that channel count that is on no other route.
static bool limiter_fits(const rcore_plan_t *plan, const rcore_limiter_t *limiter, uint32_t channels) {
    for (uint32_t i = 0; limiter != NULL && i < plan->route_count; i++) {
        if (plan->routes[i].description.limiter == limiter) {
            return false;
        }
    }
    return limiter == NULL || rcore_limiter_channels(limiter) == channels;
}

rcore_status_t rcore_plan_add_route(rcore_plan_t *plan, const rcore_route_description_t *route) {
    if (plan == NULL || route == NULL || route->slot == RCORE_NONE || !channels_valid(route->channels) ||
        route->first_output > UINT32_MAX - RCORE_MAX_CHANNELS || find_route(plan, route->slot) != RCORE_NONE ||
        (route->capture != NULL && rcore_fifo_channels(route->capture) != route->channels) ||
        !meter_fits(plan, route->meter, route->channels) || !limiter_fits(plan, route->limiter, route->channels)) {
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

// Returns whether the input's slot and capture are not in use in the plan, and the capture has the
// input's channel count.
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
        input->missing > input->channels || input->first_input > UINT32_MAX - RCORE_MAX_CHANNELS ||
        !input_fits(plan, input)) {
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

static bool is_connected(const rcore_plan_t *plan, uint32_t bus, uint32_t route) {
    const struct plan_bus *from = &plan->buses[bus];
    for (uint32_t i = 0; i < from->route_connection_count; i++) {
        if (plan->route_connections[from->first_route_connection + i].route == route) {
            return true;
        }
    }
    return false;
}

rcore_status_t rcore_plan_connect(rcore_plan_t *plan, uint32_t bus, uint32_t route, const rcore_matrix_t *matrix) {
    if (plan == NULL) {
        return RCORE_BAD_ARGUMENT;
    }
    const uint32_t from = plan_find_bus(plan, bus);
    const uint32_t to = find_route(plan, route);
    if (from == RCORE_NONE || to == RCORE_NONE || plan->buses[from].parent != RCORE_NONE ||
        is_connected(plan, from, to) ||
        (matrix != NULL && (matrix->inputs != plan->buses[from].description.channels ||
                            matrix->outputs != plan->routes[to].description.channels))) {
        return RCORE_BAD_ARGUMENT;
    }
    struct plan_route_connection *connections =
        realloc(plan->route_connections, sizeof *connections * (plan->route_connection_count + 1));
    if (connections == NULL) {
        return RCORE_NO_MEMORY;
    }
    plan->route_connections = connections;
    // A bus's connections are consecutive: insert this one after them, before those of later buses.
    const uint32_t index = plan->buses[from].first_route_connection + plan->buses[from].route_connection_count++;
    memmove(&connections[index + 1], &connections[index], sizeof *connections * (plan->route_connection_count - index));
    connections[index] = (struct plan_route_connection){.bus = from, .route = to, .matrix = matrix};
    plan->route_connection_count++;
    for (uint32_t i = from + 1; i < plan->bus_count; i++) {
        plan->buses[i].first_route_connection++;
    }
    return RCORE_OK;
}
