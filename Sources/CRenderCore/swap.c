// Plans take over at once where nothing that sounds is led elsewhere; else old and new cross-fade (buses.c mixes both).
#include "swap.h"

#include "core.h"
#include "group.h"

// ---- What differs ---------------------------------------------------------------------------------------------------------------

static bool same_matrix(const rcore_matrix_t *a, const rcore_matrix_t *b) RCORE_RT {
    if (a == b) {
        return true;
    }
    return a != NULL && b != NULL && a->inputs == b->inputs && a->outputs == b->outputs &&
           memcmp(a->gains, b->gains, sizeof(float) * a->inputs * a->outputs) == 0;
}

const rcore_route_description_t *swap_same_route(const rcore_plan_t *plan,
                                                 const rcore_route_description_t *route) RCORE_RT {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *other = &plan->routes[i].description;
        if (other->slot == route->slot) {
            return other->channels == route->channels && other->first_output == route->first_output ? other : NULL;
        }
    }
    return NULL;
}

static uint32_t parent_slot(const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    return bus->parent == RCORE_NONE ? RCORE_NONE : plan->buses[bus->parent].description.slot;
}

static uint32_t count_connections(const rcore_plan_t *plan, uint32_t bus) RCORE_RT {
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->connection_count; i++) {
        count += plan->connections[i].bus == bus ? 1 : 0;
    }
    return count;
}

// Whether the connection is in the other plan too, from bus index `bus`.
static bool has_connection(const rcore_plan_t *plan, uint32_t bus, const rcore_route_description_t *route,
                           const rcore_matrix_t *matrix) RCORE_RT {
    for (uint32_t i = 0; i < plan->connection_count; i++) {
        const struct plan_connection *other = &plan->connections[i];
        const rcore_route_description_t *target = &plan->routes[other->route].description;
        if (other->bus == bus && target->slot == route->slot && same_matrix(other->matrix, matrix)) {
            return target->channels == route->channels && target->first_output == route->first_output;
        }
    }
    return false;
}

static bool same_bus(const rcore_plan_t *old, uint32_t index, const rcore_plan_t *plan, uint32_t now) RCORE_RT {
    const struct plan_bus *before = &old->buses[index];
    const struct plan_bus *after = &plan->buses[now];
    if (before->description.channels != after->description.channels ||
        parent_slot(old, before) != parent_slot(plan, after) ||
        (before->description.gate == NULL) != (after->description.gate == NULL) ||
        !same_matrix(before->description.matrix, after->description.matrix) ||
        count_connections(old, index) != count_connections(plan, now)) {
        return false;
    }
    for (uint32_t i = 0; i < old->connection_count; i++) {
        const struct plan_connection *connection = &old->connections[i];
        if (connection->bus == index &&
            !has_connection(plan, now, &old->routes[connection->route].description, connection->matrix)) {
            return false;
        }
    }
    return true;
}

// Whether all that sounds leads where it led.
static bool only_adds(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    buses_mark_sounding(core, old);
    for (uint32_t i = 0; i < old->bus_count; i++) {
        core->buses[old->buses[i].description.slot].index = RCORE_NONE;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->buses[plan->buses[i].description.slot].index = i;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        const struct bus_state *state = &core->buses[old->buses[i].description.slot];
        if (state->sounding && (state->index == RCORE_NONE || !same_bus(old, i, plan, state->index))) {
            return false;
        }
    }
    return true;
}

static bool same_inputs(const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    bool same = old->input_count == plan->input_count;
    for (uint32_t i = 0; same && i < old->input_count; i++) {
        const rcore_input_description_t *a = &old->inputs[i];
        const rcore_input_description_t *b = &plan->inputs[i];
        same = a->slot == b->slot && a->channels == b->channels && a->first_input == b->first_input &&
               (a->gate == NULL) == (b->gate == NULL) && a->capture == b->capture;
    }
    return same;
}

// Whether a bus would come back that is fading out.
static bool brings_back(const rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct bus_state *state = &core->buses[plan->buses[i].description.slot];
        if (state->channels > 0 && !state->in_plan) {
            return true;
        }
    }
    return false;
}

// ---- Taking over ----------------------------------------------------------------------------------------------------------------

// A voice that already runs on a bus that now comes to be heard begins softly.
static void fade_in_voices(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->playing_count; i++) {
        if (core->playing[i] == RCORE_NONE) {
            continue;
        }
        struct voice *voice = &core->voices[core->playing[i]];
        if (voice->bus < core->config.max_buses && core->buses[voice->bus].fresh) {
            const struct ramp fade = voice->fade;
            group_leave(voice);
            ramp_set(&voice->fade, 0.0f);
            if (fade.target == 1.0f) {
                const uint32_t least = core->config.swap_frames;
                ramp_go(&voice->fade, 1.0f, fade.remaining > least ? fade.remaining : least);
            }
        }
    }
}

static void join_buses(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    bool any = false;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        struct bus_state *state = &core->buses[bus->slot];
        if (state->channels == 0) {
            if (!state->expected) {
                bus_reset(state);
            }
            state->fresh = any = true;
            state->joined = core->swap.leaving != NULL;
        }
        state->channels = bus->channels > state->channels ? bus->channels : state->channels;
        state->in_plan = true;
        state->expected = false;
        state->gated = bus->gate != NULL;
    }
    if (any) {
        fade_in_voices(core);
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->buses[plan->buses[i].description.slot].fresh = false;
    }
}

static void join_inputs(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->input_count; i++) {
        struct input_state *state = &core->inputs[plan->inputs[i].slot];
        if (state->channels == 0) {
            const uint32_t slot = plan->inputs[i].slot;
            const struct ramp gain = state->gain;
            input_reset(state, input_is_heard(core, slot) ? core->config.swap_frames : 0);
            state->gain = state->expected ? gain : state->gain;
            state->expected = false;
        }
        state->channels = plan->inputs[i].channels;
    }
}

static void forget_inputs(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    for (uint32_t i = 0; i < old->input_count; i++) {
        core->inputs[old->inputs[i].slot].channels = 0;
    }
    for (uint32_t i = 0; i < core->plan->input_count; i++) {
        core->inputs[core->plan->inputs[i].slot].channels = core->plan->inputs[i].channels;
    }
}

// Slots that the plan in use has not are forgotten.
static void forget_buses(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    for (uint32_t i = 0; i < old->bus_count; i++) {
        core->buses[old->buses[i].description.slot].channels = 0;
    }
    for (uint32_t i = 0; i < core->plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &core->plan->buses[i].description;
        core->buses[bus->slot].channels = bus->channels;
        core->buses[bus->slot].joined = false;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        struct bus_state *state = &core->buses[old->buses[i].description.slot];
        if (state->channels == 0) {
            bus_reset(state);
        }
    }
}

// Of a plan that came and went within one cross-fade: what neither the one before nor the one after has.
static void forget_joined(rcore_t *core, const rcore_plan_t *between) RCORE_RT {
    for (uint32_t i = 0; i < between->bus_count; i++) {
        struct bus_state *state = &core->buses[between->buses[i].description.slot];
        if (state->joined && !state->in_plan) {
            bus_reset(state);
        }
    }
}

static void take_over(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->bus_count; i++) {
        struct bus_state *state = &core->buses[core->plan->buses[i].description.slot];
        state->in_plan = state->gated = false;
    }
    join_buses(core, plan);
    join_inputs(core, plan);
    core->plan = plan;
    event_post(
        core, (rcore_event_t){
                  .kind = RCORE_EVENT_PLAN_APPLIED, .bus = RCORE_NONE, .frame = core_now(core), .value = plan->serial});
}

static void retire_before(rcore_t *core, uint64_t serial) RCORE_RT {
    // Release: what the cycle read of older plans is done with.
    atomic_store_explicit(&core->retired_serial, serial, memory_order_release);
}

// One plan in use, and a newer one: adds at once, or begins to cross-fade.
static void replace(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    const rcore_plan_t *old = core->plan;
    bool quiet = old == NULL || core->config.swap_frames == 0;
    if (!quiet) {
        const bool inputs_go = inputs_leave(core, old, plan, core->config.swap_frames);
        quiet = only_adds(core, old, plan) && !inputs_go;
    }
    if (!quiet) {
        core->swap.leaving = old;
        ramp_set(&core->swap.fade, 1.0f);
        ramp_go(&core->swap.fade, 0.0f, core->config.swap_frames);
    }
    take_over(core, plan);
    if (quiet) {
        if (old != NULL) {
            forget_buses(core, old);
            forget_inputs(core, old);
        }
        retire_before(core, plan->serial);
    }
}

// What is told of a slot while its plan waits holds once it is there.
static void expect_slots(rcore_t *core, const rcore_plan_t *plan, bool expected) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        struct bus_state *state = &core->buses[plan->buses[i].description.slot];
        if (state->channels == 0 && !state->expected) {
            bus_reset(state);
        }
        state->expected = expected && state->channels == 0;
    }
    for (uint32_t i = 0; plan != NULL && i < plan->input_count; i++) {
        struct input_state *state = &core->inputs[plan->inputs[i].slot];
        if (state->channels == 0 && !state->expected) {
            input_reset(state, 0);
        }
        state->expected = expected && state->channels == 0;
    }
}

void swap_begin(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    core->swap.newest_serial = plan->serial;
    if (core->swap.leaving == NULL) {
        replace(core, plan);
    } else if (core->swap.next == NULL && !brings_back(core, plan) && same_inputs(core->plan, plan) &&
               only_adds(core, core->plan, plan)) {
        const rcore_plan_t *between = core->plan;
        take_over(core, plan); // the cross-fade goes on towards the newer one
        forget_joined(core, between);
    } else {
        expect_slots(core, core->swap.next, false); // of several, the newest
        expect_slots(core, plan, true);
        core->swap.next = plan;
        return;
    }
    gates_read(core);
    inputs_read(core);
}

uint32_t swap_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    const uint32_t remaining = core->swap.fade.remaining;
    return core->swap.leaving != NULL && remaining < nframes ? remaining : nframes;
}

static void end_fade(rcore_t *core) RCORE_RT {
    const rcore_plan_t *next = core->swap.next;
    forget_buses(core, core->swap.leaving);
    forget_inputs(core, core->swap.leaving);
    core->swap.leaving = NULL;
    core->swap.next = NULL;
    retire_before(core, core->plan->serial);
    if (next != NULL) {
        swap_begin(core, next);
    }
}

void swap_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->swap.leaving != NULL) {
        ramp_advance(&core->swap.fade, nframes);
        if (core->swap.fade.remaining == 0) {
            end_fade(core);
        }
    }
}

void swap_finish(rcore_t *core) RCORE_RT {
    // At most twice: a plan that waited may begin a cross-fade of its own, and none waits then.
    while (core->swap.leaving != NULL) {
        end_fade(core);
    }
}
