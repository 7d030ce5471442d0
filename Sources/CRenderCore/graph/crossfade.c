// Replaces the plan. The new plan takes effect at once if it is the first one, if it changes
// nothing audible or if `crossfade_frames` is 0. Otherwise the old and the new plan crossfade
// (bus_crossfade.c mixes both).
#include "graph/crossfade.h"

#include "core/core.h"
#include "core/events.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "graph/schedule.h"
#include "graph/slots.h"
#include "mix/bus_mix.h"
#include "mix/buses.h"
#include "mix/inputs.h"
#include "mix/solo.h"
#include "session/gate.h"
#include "session/signal.h"

#include <string.h>

// ---- Differences between plans ------------------------------------------------------------------

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
        if (limiter_of(plan_same_route(b, route)) != route->limiter) {
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
        core->mix.buses[old->buses[i].description.slot].index = RCORE_NONE;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->mix.buses[plan->buses[i].description.slot].index = i;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        const struct bus_state *state = &core->mix.buses[old->buses[i].description.slot];
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
        const uint32_t slot = plan->buses[i].description.slot;
        if (core->mix.buses[slot].channels > 0 && current_bus(&core->graph, slot) == NULL) {
            return true;
        }
    }
    return false;
}

// ---- Changing the plan --------------------------------------------------------------------------

// Recomputes all that follows from the active plans: the schedule, the mix ops, the list of gates,
// and the session of each bus.
static void graph_refresh(rcore_t *core) RCORE_RT {
    const uint32_t count = schedule_buses(core->graph.slots, core->config.max_buses, core->graph.plan,
                                          core->graph.crossfade.outgoing, core->graph.schedule);
    // Always has an order: a plan that has none together with a held plan cannot be posted.
    core->graph.schedule_count = count != RCORE_NONE ? count : 0;
    memset(core->mix.due, 0, sizeof *core->mix.due * ((core->config.max_buses + 63) / 64));
    for (uint32_t i = 0; i < core->graph.schedule_count; i++) {
        const uint32_t slot = core->graph.schedule[i];
        struct mix_op *op = &core->mix.ops[i];
        *op = (struct mix_op){.slot = slot,
                              .state = &core->mix.buses[slot],
                              .current = current_bus(&core->graph, slot),
                              .previous = previous_bus(&core->graph, slot),
                              .samples = bus_channel(core, slot, 0)};
        mix_op_prepare(core, op);
        op->state->op = i;
        bus_set_due(core, slot); // its next block determines whether it is
    }
    gates_collect(core);
    signals_assign(core);
}

// Makes `plan` the current plan: joins its slots, updates schedule, gates and solo, and reports it.
static void activate_plan(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    slots_join(core, plan);
    core->graph.plan = plan;
    graph_refresh(core);
    solo_apply(core, core->config.crossfade_frames);
    slots_clear_fresh(core);
    event_post(
        core, (rcore_event_t){
                  .kind = RCORE_EVENT_PLAN_APPLIED, .bus = RCORE_NONE, .frame = core_now(core), .value = plan->serial});
}

static void retire_before(rcore_t *core, uint64_t serial) RCORE_RT {
    // Release: the cycle no longer reads older plans.
    atomic_store_explicit(&core->graph.retired_serial, serial, memory_order_release);
    core->work.is_due = true; // to free them
}

// Returns the preroll: the frames for which new paths run inaudibly, until their delay lines and
// limiters are filled.
static uint32_t preroll_for(const rcore_plan_t *old, const rcore_plan_t *plan) RCORE_RT {
    // Connections start their fades earlier by up to this latency.
    const uint32_t preroll = plan->latency > old->latency ? plan->latency : old->latency;
    uint32_t limiters = 0;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        const rcore_route_description_t *route = &plan->routes[i].description;
        const bool same_limiter = limiter_of(plan_same_route(old, route)) == route->limiter;
        const uint32_t latency = route->limiter != NULL && !same_limiter ? rcore_limiter_latency(route->limiter) : 0;
        limiters = latency > limiters ? latency : limiters;
    }
    return preroll + limiters;
}

// Replaces the single active plan, if there is one: at once if the new plan only adds or if
// `crossfade_frames` is 0, otherwise with a crossfade.
static void replace(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    const rcore_plan_t *old = core->graph.plan;
    bool at_once = old == NULL || core->config.crossfade_frames == 0;
    if (!at_once) {
        const bool inputs_fade = inputs_fade_out_removed(core, old, plan, core->config.crossfade_frames);
        at_once = only_adds(core, old, plan) && !inputs_fade;
    }
    if (!at_once) {
        core->graph.crossfade.outgoing = old;
        core->graph.crossfade.elapsed = 0;
    }
    activate_plan(core, plan);
    if (!at_once) {
        core->graph.crossfade.preroll = preroll_for(old, plan);
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
    core->graph.crossfade.newest_serial = plan->serial;
    if (core->graph.crossfade.outgoing == NULL) {
        replace(core, plan);
    } else if (core->graph.crossfade.next == NULL && !reuses_fading_bus(core, plan) &&
               same_inputs(core->graph.plan, plan) && only_adds(core, core->graph.plan, plan)) {
        const rcore_plan_t *between = core->graph.plan;
        activate_plan(core, plan); // the crossfade continues towards the newer one
        slots_reset_intermediate(core, between);
    } else {
        slots_expect(core, plan); // of several plans, the newest one waits
        core->graph.crossfade.next = plan;
        return;
    }
    gates_read(core);
    inputs_read(core);
}

static uint32_t remaining_frames(const rcore_t *core) RCORE_RT {
    return core->graph.crossfade.preroll + core->config.crossfade_frames - core->graph.crossfade.elapsed;
}

uint32_t crossfade_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    const uint32_t remaining = remaining_frames(core);
    return core->graph.crossfade.outgoing != NULL && remaining < nframes ? remaining : nframes;
}

// Retires the outgoing plan and resets the slots that only it has. Then applies the plan that
// waited, if there is one.
static void end_crossfade(rcore_t *core) RCORE_RT {
    const rcore_plan_t *next = core->graph.crossfade.next;
    gates_plan_changed(core, core->graph.crossfade.outgoing);
    slots_reset_removed(core, core->graph.crossfade.outgoing);
    core->graph.crossfade.outgoing = NULL;
    core->graph.crossfade.next = NULL;
    graph_refresh(core);
    gates_read(core); // suspends buses that were suspended only in the current plan
    retire_before(core, core->graph.plan->serial);
    if (next != NULL) {
        crossfade_begin(core, next);
    }
}

void crossfade_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->graph.crossfade.outgoing != NULL) {
        core->graph.crossfade.elapsed += nframes;
        if (remaining_frames(core) == 0) {
            end_crossfade(core);
        }
    }
}

void crossfade_finish(rcore_t *core) RCORE_RT {
    // At most twice: the plan that waited may start a crossfade itself, but none waits for that
    // one.
    while (core->graph.crossfade.outgoing != NULL) {
        end_crossfade(core);
    }
}
