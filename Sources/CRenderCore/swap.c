// Plans take over at once where nothing that sounds is led elsewhere; else old and new cross-fade (ways_swap.c mixes both).
#include "swap.h"

#include "slots.h"

// ---- What differs ---------------------------------------------------------------------------------------------------------------

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

static bool same_bus(const rcore_plan_t *old, uint32_t index, const rcore_plan_t *plan, uint32_t now) RCORE_RT {
    const struct plan_bus *before = &old->buses[index];
    const struct plan_bus *after = &plan->buses[now];
    if (!bus_stays(before, after) || !played_stays(before, after) || edge_count(before) != edge_count(after)) {
        return false;
    }
    for (uint32_t i = 0; i < edge_count(before); i++) {
        if (!edge_stays(edge_at(old, before, i), before, plan, after)) {
            return false;
        }
    }
    return true;
}

static const rcore_limiter_t *limiter_of(const rcore_route_description_t *route) RCORE_RT {
    return route != NULL ? route->limiter : NULL;
}

// Whether every output of the one plan is limited as in the other.
static bool same_limiters(const rcore_plan_t *a, const rcore_plan_t *b) RCORE_RT {
    for (uint32_t i = 0; i < a->route_count; i++) {
        const rcore_route_description_t *route = &a->routes[i].description;
        if (limiter_of(swap_same_route(b, route)) != route->limiter) {
            return false;
        }
    }
    return true;
}

// Whether all that sounds leads where it led.
static bool only_adds(rcore_t *core, const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    if (!same_limiters(old, plan) || !same_limiters(plan, old)) {
        return false;
    }
    buses_mark_sounding(core);
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
               a->missing == b->missing && (a->gate == NULL) == (b->gate == NULL) && a->capture == b->capture;
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

// Puts buses in order, as the plans that are heard lead them.
static void order_set(rcore_t *core) RCORE_RT {
    const uint32_t count =
        order_buses(core->slots, core->config.max_buses, core->plan, core->swap.leaving, core->order);
    core->order_count =
        count != RCORE_NONE ? count : 0; // a plan without an order beside another held one is not posted
    for (uint32_t i = 0; i < core->order_count; i++) {
        const uint32_t slot = core->order[i];
        struct step *step = &core->steps[i];
        *step = (struct step){.slot = slot,
                              .state = &core->buses[slot],
                              .now = bus_now(core, slot),
                              .before = bus_before(core, slot),
                              .samples = bus_channel(core, slot, 0)};
        step_prepare(core, step);
    }
    gates_note(core);
}

static void take_over(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->bus_count; i++) {
        struct bus_state *state = &core->buses[core->plan->buses[i].description.slot];
        state->in_plan = state->gated = false;
    }
    slots_join(core, plan);
    core->plan = plan;
    order_set(core);
    solo_apply(core, core->config.swap_frames);
    slots_joined(core);
    event_post(
        core, (rcore_event_t){
                  .kind = RCORE_EVENT_PLAN_APPLIED, .bus = RCORE_NONE, .frame = core_now(core), .value = plan->serial});
}

static void retire_before(rcore_t *core, uint64_t serial) RCORE_RT {
    // Release: what the cycle read of older plans is done with.
    atomic_store_explicit(&core->retired_serial, serial, memory_order_release);
}

// Frames in which what is new runs unheard, until what it delays has arrived.
static uint32_t hold_for(const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    const uint32_t hold = plan->latency > old->latency ? plan->latency : old->latency; // also what ways fade ahead by
    uint32_t limiters = 0;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        const bool stays = limiter_of(swap_same_route(old, route)) == route->limiter;
        const uint32_t latency = route->limiter != NULL && !stays ? rcore_limiter_latency(route->limiter) : 0;
        limiters = latency > limiters ? latency : limiters;
    }
    return hold + limiters;
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
        core->swap.elapsed = 0;
    }
    take_over(core, plan);
    if (!quiet) {
        core->swap.hold = hold_for(old, plan);
    } else {
        if (old != NULL) {
            gates_note_changed(core, old);
            slots_forget(core, old);
        }
        retire_before(core, plan->serial);
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
        slots_forget_between(core, between);
    } else {
        slots_expect(core, plan); // of several, the newest
        core->swap.next = plan;
        return;
    }
    gates_read(core);
    inputs_read(core);
}

static uint32_t remaining_frames(const rcore_t *core) RCORE_RT {
    return core->swap.hold + core->config.swap_frames - core->swap.elapsed;
}

void swap_weights(const rcore_t *core, bool rises, uint32_t lead, float *weights, uint32_t nframes) RCORE_RT {
    const int64_t length = core->config.swap_frames;
    const int64_t begun = (int64_t)core->swap.elapsed + lead - core->swap.hold;
    for (uint32_t i = 0; i < nframes; i++) {
        const int64_t frame = begun + i + 1; // the first frame already differs
        const int64_t within = frame < 0 ? 0 : frame > length ? length : frame;
        const float rising = (float)within / (float)length;
        weights[i] = rises ? rising : 1.0f - rising;
    }
}

uint32_t swap_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    const uint32_t remaining = remaining_frames(core);
    return core->swap.leaving != NULL && remaining < nframes ? remaining : nframes;
}

static void end_fade(rcore_t *core) RCORE_RT {
    const rcore_plan_t *next = core->swap.next;
    gates_note_changed(core, core->swap.leaving);
    slots_forget(core, core->swap.leaving);
    core->swap.leaving = NULL;
    core->swap.next = NULL;
    order_set(core);
    gates_read(core); // what stood still in one plan only does so from the next frame on
    retire_before(core, core->plan->serial);
    if (next != NULL) {
        swap_begin(core, next);
    }
}

void swap_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->swap.leaving != NULL) {
        core->swap.elapsed += nframes;
        if (remaining_frames(core) == 0) {
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
