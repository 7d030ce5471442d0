// Replaces the plan. The new plan takes effect at once if it is the first one, if it changes
// nothing audible or if `crossfade_frames` is 0. Otherwise the old and the new plan crossfade
// (bus_crossfade.c mixes both).
#include "crossfade.h"

#include "slots.h"

// ---- Differences between plans ------------------------------------------------------------------

const rcore_route_description_t *crossfade_same_route(const rcore_plan_t *plan,
                                                      const rcore_route_description_t *route) RCORE_RT {
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *other = &plan->routes[i].description;
        if (other->slot == route->slot) {
            return other->channels == route->channels && other->first_output == route->first_output ? other : NULL;
        }
    }
    return NULL;
}

// Returns whether a bus has the same processing, direct input and connections in both plans.
// `index` and `current` are its indices in `old` and `plan`.
static bool same_bus(const rcore_plan_t *old, uint32_t index, const rcore_plan_t *plan, uint32_t current) RCORE_RT {
    const struct plan_bus *previous = &old->buses[index];
    const struct plan_bus *after = &plan->buses[current];
    if (!same_processing(previous, after) || !direct_input_matches(previous, after) ||
        connection_count(previous) != connection_count(after)) {
        return false;
    }
    for (uint32_t i = 0; i < connection_count(previous); i++) {
        if (!connection_matches(connection_at(old, previous, i), previous, plan, after)) {
            return false;
        }
    }
    return true;
}

static const rcore_limiter_t *limiter_of(const rcore_route_description_t *route) RCORE_RT {
    return route != NULL ? route->limiter : NULL;
}

// Returns whether every route of plan `a` has the same limiter in plan `b`.
static bool same_limiters(const rcore_plan_t *a, const rcore_plan_t *b) RCORE_RT {
    for (uint32_t i = 0; i < a->route_count; i++) {
        const rcore_route_description_t *route = &a->routes[i].description;
        if (limiter_of(crossfade_same_route(b, route)) != route->limiter) {
            return false;
        }
    }
    return true;
}

// Returns whether the plan changes nothing audible: all limiters and all buses with a signal stay
// the same.
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

// Returns whether the plan has a bus slot whose previous use is still fading out.
static bool reuses_fading_bus(const rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct bus_state *state = &core->buses[plan->buses[i].description.slot];
        if (state->channels > 0 && !state->in_plan) {
            return true;
        }
    }
    return false;
}

// ---- Changing the plan --------------------------------------------------------------------------

// Updates the schedule and the mix ops for the active plans.
static void schedule_set(rcore_t *core) RCORE_RT {
    const uint32_t count =
        schedule_buses(core->slots, core->config.max_buses, core->plan, core->crossfade.outgoing, core->schedule);
    // Always has an order: a plan that has none together with a held plan cannot be posted.
    core->schedule_count = count != RCORE_NONE ? count : 0;
    for (uint32_t i = 0; i < core->schedule_count; i++) {
        const uint32_t slot = core->schedule[i];
        struct mix_op *op = &core->mix_ops[i];
        *op = (struct mix_op){.slot = slot,
                              .state = &core->buses[slot],
                              .current = current_bus(core, slot),
                              .previous = previous_bus(core, slot),
                              .samples = bus_channel(core, slot, 0)};
        mix_op_prepare(core, op);
    }
    gates_collect(core);
}

// Makes `plan` the current plan: joins its slots, updates schedule, gates and solo, and reports it.
static void activate_plan(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; core->plan != NULL && i < core->plan->bus_count; i++) {
        struct bus_state *state = &core->buses[core->plan->buses[i].description.slot];
        state->in_plan = state->gated = false;
    }
    slots_join(core, plan);
    core->plan = plan;
    schedule_set(core);
    solo_apply(core, core->config.crossfade_frames);
    slots_clear_fresh(core);
    event_post(
        core, (rcore_event_t){
                  .kind = RCORE_EVENT_PLAN_APPLIED, .bus = RCORE_NONE, .frame = core_now(core), .value = plan->serial});
}

static void retire_before(rcore_t *core, uint64_t serial) RCORE_RT {
    // Release: the cycle no longer reads older plans.
    atomic_store_explicit(&core->retired_serial, serial, memory_order_release);
    core->has_work = true; // to free them
}

// Returns the preroll: the frames for which new paths run inaudibly, until their delay lines and
// limiters are filled.
static uint32_t preroll_for(const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    // Connections start their fades earlier by up to this latency.
    const uint32_t preroll = plan->latency > old->latency ? plan->latency : old->latency;
    uint32_t limiters = 0;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        const bool same_limiter = limiter_of(crossfade_same_route(old, route)) == route->limiter;
        const uint32_t latency = route->limiter != NULL && !same_limiter ? rcore_limiter_latency(route->limiter) : 0;
        limiters = latency > limiters ? latency : limiters;
    }
    return preroll + limiters;
}

// Replaces the single active plan, if there is one: at once if the new plan only adds or if
// `crossfade_frames` is 0, otherwise with a crossfade.
static void replace(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    const rcore_plan_t *old = core->plan;
    bool at_once = old == NULL || core->config.crossfade_frames == 0;
    if (!at_once) {
        const bool inputs_fade = inputs_fade_out_removed(core, old, plan, core->config.crossfade_frames);
        at_once = only_adds(core, old, plan) && !inputs_fade;
    }
    if (!at_once) {
        core->crossfade.outgoing = old;
        core->crossfade.elapsed = 0;
    }
    activate_plan(core, plan);
    if (!at_once) {
        core->crossfade.preroll = preroll_for(old, plan);
    } else {
        if (old != NULL) {
            gates_plan_changed(core, old);
            slots_reset_removed(core, old);
        }
        retire_before(core, plan->serial);
    }
}

// While a crossfade runs, only a plan that adds to the current one takes effect at once. Any other
// plan waits for the end of the crossfade and replaces the plan that waited before it.
void crossfade_begin(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    core->crossfade.newest_serial = plan->serial;
    if (core->crossfade.outgoing == NULL) {
        replace(core, plan);
    } else if (core->crossfade.next == NULL && !reuses_fading_bus(core, plan) && same_inputs(core->plan, plan) &&
               only_adds(core, core->plan, plan)) {
        const rcore_plan_t *between = core->plan;
        activate_plan(core, plan); // the crossfade continues towards the newer one
        slots_reset_intermediate(core, between);
    } else {
        slots_expect(core, plan); // of several plans, the newest one waits
        core->crossfade.next = plan;
        return;
    }
    gates_read(core);
    inputs_read(core);
}

static uint32_t remaining_frames(const rcore_t *core) RCORE_RT {
    return core->crossfade.preroll + core->config.crossfade_frames - core->crossfade.elapsed;
}

void crossfade_weights(const rcore_t *core, bool rises, uint32_t ahead, float *weights, uint32_t nframes) RCORE_RT {
    const int64_t length = core->config.crossfade_frames;
    const int64_t start = (int64_t)core->crossfade.elapsed + ahead - core->crossfade.preroll;
    for (uint32_t i = 0; i < nframes; i++) {
        const int64_t frame = start + i + 1; // the first frame already has a weight
        const int64_t clamped = frame < 0 ? 0 : frame > length ? length : frame;
        const float rising = (float)clamped / (float)length;
        weights[i] = rises ? rising : 1.0f - rising;
    }
}

uint32_t crossfade_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    const uint32_t remaining = remaining_frames(core);
    return core->crossfade.outgoing != NULL && remaining < nframes ? remaining : nframes;
}

// Retires the outgoing plan and resets the slots that only it has. Then applies the plan that
// waited, if there is one.
static void end_crossfade(rcore_t *core) RCORE_RT {
    const rcore_plan_t *next = core->crossfade.next;
    gates_plan_changed(core, core->crossfade.outgoing);
    slots_reset_removed(core, core->crossfade.outgoing);
    core->crossfade.outgoing = NULL;
    core->crossfade.next = NULL;
    schedule_set(core);
    gates_read(core); // suspends buses that were suspended only in the current plan
    retire_before(core, core->plan->serial);
    if (next != NULL) {
        crossfade_begin(core, next);
    }
}

void crossfade_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->crossfade.outgoing != NULL) {
        core->crossfade.elapsed += nframes;
        if (remaining_frames(core) == 0) {
            end_crossfade(core);
        }
    }
}

void crossfade_finish(rcore_t *core) RCORE_RT {
    // At most twice: the plan that waited may start a crossfade itself, but none waits for that
    // one.
    while (core->crossfade.outgoing != NULL) {
        end_crossfade(core);
    }
}
