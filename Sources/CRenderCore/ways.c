// Mixing: each bus after all that leads to it. While one plan takes over from another, the ways of both are mixed: what only one has fades, the rest goes on.
#include "strip.h"

// ---- What leaves a bus ----------------------------------------------------------------------------------------------------------------

// A bus of one of the plans that are heard.
struct side {
    const rcore_plan_t *plan;
    const struct plan_bus *bus;
    float **planes; // what left its insert
};

// Frames that what takes a way still needs from there to where it leaves the graph: it fades by so much earlier, so that all ways meet in the
// midst of the same fade.
static uint32_t lead_of(const struct plan_bus *target) RCORE_RT {
    return target != NULL ? target->latency - target->played_delay : 0;
}

// Weights of a way that only the plan in use has; NULL: all of it. What joined is heard as it is, so that its first note keeps its attack.
static const float *weights_now(rcore_t *core, const struct edge *edge, const struct side *before,
                                uint32_t nframes) RCORE_RT {
    float *weights = core->way_envelopes[ENVELOPE_WEIGHT];
    if (before->bus == NULL) {
        return NULL;
    }
    swap_weights(core, true, lead_of(edge->kind != EDGE_ROUTE ? bus_now(core, edge->target) : NULL), weights, nframes);
    return weights;
}

// Of one that only the plan that leaves has. What leads to a bus or route that leaves fades behind that.
static const float *weights_before(rcore_t *core, const struct edge *edge, bool target_leaves,
                                   uint32_t nframes) RCORE_RT {
    float *weights = core->way_envelopes[ENVELOPE_WEIGHT];
    if (target_leaves || (edge->kind != EDGE_ROUTE && bus_now(core, edge->target) == NULL)) {
        return NULL;
    }
    swap_weights(core, false, lead_of(edge->kind != EDGE_ROUTE ? bus_before(core, edge->target) : NULL), weights,
                 nframes);
    return weights;
}

static void mix_way(rcore_t *core, const struct side *side, const struct strip *strip, const struct edge *edge,
                    const float *weights, float *targets, uint32_t nframes) RCORE_RT {
    float *delayed[RCORE_MAX_CHANNELS];
    float **planes = side->planes;
    if (edge->delay > 0) {
        planes = delayed;
        planes_of(core, core->source_samples, strip->bus->channels, planes); // no voice renders now
        for (uint32_t channel = 0; channel < strip->bus->channels; channel++) {
            delay_read(side->bus->history, channel, edge->delay, planes[channel], nframes);
        }
    }
    if (edge->kind == EDGE_ROUTE) {
        route_open(core, edge->target, edge->channels, nframes);
    } else {
        bus_open(core, edge->target, nframes);
    }
    const struct way way = way_make(core, strip, edge, weights, nframes);
    way_mix(core, strip, &way, edge, planes, targets, nframes);
}

static void mix_ways_now(rcore_t *core, const struct side *now, const struct side *before, const struct strip *strip,
                         uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < edge_count(now->bus); i++) {
        const struct edge *edge = edge_at(now->plan, now->bus, i);
        const bool stays = before->bus == NULL || edge_stays(edge, now->bus, before->plan, before->bus);
        mix_way(core, now, strip, edge, stays ? NULL : weights_now(core, edge, before, nframes),
                edge->kind == EDGE_ROUTE ? core->route_samples : core->bus_samples, nframes);
    }
}

static void mix_ways_before(rcore_t *core, const struct side *now, const struct side *before, const struct strip *strip,
                            uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < edge_count(before->bus); i++) {
        const struct edge *edge = edge_at(before->plan, before->bus, i);
        if (now->bus != NULL && edge_stays(edge, before->bus, now->plan, now->bus)) {
            continue;
        }
        const bool leaves = edge->kind == EDGE_ROUTE && swap_same_route(core->plan, edge->route) == NULL;
        float *routes = leaves ? core->leaving_samples : core->route_samples;
        mix_way(core, before, strip, edge, weights_before(core, edge, leaves, nframes),
                edge->kind == EDGE_ROUTE ? routes : core->bus_samples, nframes);
    }
}

static void run_insert(const struct side *side, uint32_t nframes) RCORE_RT {
    const rcore_insert_t *insert = &side->bus->description.insert;
    if (insert->render) {
        insert->render(insert->context, side->planes, side->bus->description.channels, nframes);
    }
}

// Puts a bus's sum through the inserts of both plans, each once.
static void run_inserts(rcore_t *core, uint32_t slot, const struct side *now, struct side *before, float **spare,
                        uint32_t nframes) RCORE_RT {
    const bool parts = now->bus != NULL && before->bus != NULL && !insert_stays(now->bus, before->bus);
    if (parts) {
        const uint32_t channels = core->buses[slot].channels;
        planes_of(core, core->swap_samples, channels, spare);
        for (uint32_t channel = 0; channel < channels; channel++) {
            memcpy(spare[channel], now->planes[channel], sizeof(float) * nframes);
        }
        before->planes = spare;
    }
    if (now->bus != NULL) {
        run_insert(now, nframes);
    }
    if (before->bus != NULL && (parts || now->bus == NULL)) {
        run_insert(before, nframes);
    }
}

static void keep_history(const struct side *now, const struct side *before, uint32_t nframes) RCORE_RT {
    struct delay *history = now->bus != NULL ? now->bus->history : NULL;
    if (history != NULL) {
        delay_write(history, now->planes, nframes);
    }
    if (before->bus != NULL && before->bus->history != NULL && before->bus->history != history) {
        delay_write(before->bus->history, before->planes, nframes);
    }
}

// Whether each way has one gain throughout, channel to channel.
static bool stands_still(const rcore_t *core, const struct plan_bus *bus, const struct bus_state *state) RCORE_RT {
    bool still = bus->straight && state->gain.remaining == 0 && state->audible.remaining == 0 &&
                 (bus->bare || bus->description.gate == NULL || gate_is_open(&state->gate));
    for (uint32_t i = 0; still && i < bus->send_count; i++) {
        still = core->sends[core->plan->sends[bus->first_send + i].description.slot].level.remaining == 0;
    }
    return still;
}

static struct way_end end_of(rcore_t *core, const struct edge *edge) RCORE_RT {
    const bool route = edge->kind == EDGE_ROUTE;
    return (struct way_end){.samples = (route ? core->route_samples : core->bus_samples) + edge->offset,
                            .fed = route ? &core->fed_routes[edge->target] : &core->buses[edge->target].fed,
                            .shared = (uint16_t)edge->shared,
                            .channels = (uint16_t)edge->channels};
}

// Adds what goes channel to channel; to silence, without a look at what lies there.
static inline void add_still(rcore_t *core, const struct way_end *end, const float *samples, float gain,
                             uint32_t nframes) RCORE_RT {
    if (gain == 0.0f) {
        return;
    }
    if (*end->fed) {
        mix_channels(end->samples, samples, core->stride, end->shared, gain, nframes);
        return;
    }
    *end->fed = true;
    mix_channels_first(end->samples, samples, core->stride, end->shared, gain, nframes);
    channels_clear(core, end->samples, end->shared, end->channels, nframes);
}

static void mix_still(rcore_t *core, const struct plan_bus *bus, const struct bus_state *state, const float *samples,
                      uint32_t nframes) RCORE_RT {
    const float gain = state->gain.target * state->audible.target;
    for (uint32_t i = 0; i < edge_count(bus); i++) {
        const struct edge *edge = edge_at(core->plan, bus, i);
        const struct way_end end = end_of(core, edge);
        float level = gain;
        if (edge->kind == EDGE_SEND) {
            level = (edge->send->pre_fader ? state->audible.target : gain) * core->sends[edge->send->slot].level.target;
        }
        add_still(core, &end, samples, level, nframes);
    }
}

// One plan alone is heard.
static void mix_alone(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    const struct plan_bus *bus = step->now;
    const struct bus_state *state = step->state;
    const rcore_bus_description_t *description = &bus->description;
    const bool still = stands_still(core, bus, state);
    float *samples = step->samples;
    const bool bare = bus->bare || (description->meter == NULL && !description->insert.render);
    if (still && bare && bus->history == NULL) {
        mix_still(core, bus, state, samples, nframes);
        return;
    }
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, samples, description->channels, planes);
    const struct side now = {core->plan, bus, planes};
    run_insert(&now, nframes);
    if (bus->history != NULL) {
        delay_write(bus->history, planes, nframes);
    }
    const struct strip strip = strip_make(core, description, nframes);
    if (description->meter != NULL) {
        strip_meter(core, description->meter, &strip, planes, nframes);
    }
    if (still) {
        mix_still(core, bus, state, samples, nframes);
        return;
    }
    for (uint32_t i = 0; !strip.silent && i < edge_count(bus); i++) {
        const struct edge *edge = edge_at(core->plan, bus, i);
        mix_way(core, &now, &strip, edge, NULL, edge->kind == EDGE_ROUTE ? core->route_samples : core->bus_samples,
                nframes);
    }
}

// Two plans are.
static void mix_both(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    float *planes[RCORE_MAX_CHANNELS];
    float *spare[RCORE_MAX_CHANNELS];
    planes_of(core, step->samples, step->state->channels, planes);
    const struct side now = {core->plan, step->now, planes};
    struct side before = {core->swap.leaving, step->before, planes};
    run_inserts(core, step->slot, &now, &before, spare, nframes);
    keep_history(&now, &before, nframes);
    if (now.bus != NULL) {
        const struct strip strip = strip_make(core, &now.bus->description, nframes);
        if (now.bus->description.meter != NULL) {
            strip_meter(core, now.bus->description.meter, &strip, planes, nframes);
        }
        if (!strip.silent) {
            mix_ways_now(core, &now, &before, &strip, nframes);
        }
    }
    if (before.bus != NULL) {
        const struct strip strip = strip_make(core, &before.bus->description, nframes);
        if (!strip.silent) {
            mix_ways_before(core, &now, &before, &strip, nframes);
        }
    }
}

// Whether it sounds on when nothing leads to it, in any plan that is heard.
static bool lasts(const struct plan_bus *now, const struct plan_bus *before) RCORE_RT {
    return (now != NULL && now->lasts) || (before != NULL && before->lasts);
}

void step_prepare(rcore_t *core, struct step *step) RCORE_RT {
    const struct plan_bus *bus = step->now;
    const bool meters = bus != NULL && bus->description.meter != NULL;
    step->rests = !lasts(bus, step->before) && !meters;
    if (core->swap.leaving == NULL && step->rests && bus->bare && bus->straight && bus->send_count == 0 &&
        edge_count(bus) == 1) {
        step->only = end_of(core, edge_at(core->plan, bus, 0));
    }
}

// A bus on which nothing moves, and that rests or does nothing but lead on; false: it does more.
static bool mix_only(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    struct bus_state *state = step->state;
    if (strip_moves(state)) {
        return false;
    }
    if (!state->fed) {
        return step->rests;
    }
    if (step->only.samples == NULL) {
        return false;
    }
    if (!state->frozen) {
        add_still(core, &step->only, step->samples, state->gain.target * state->audible.target, nframes);
    }
    state->fed = false; // until the next slice
    return true;
}

static void mix_step(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    struct bus_state *state = step->state;
    const struct plan_bus *now = step->now;
    if (!state->fed && !state->frozen && lasts(now, step->before)) {
        bus_open(core, step->slot, nframes);
    }
    if (!state->fed || state->frozen) {
        if (now != NULL && now->description.meter != NULL) {
            strip_meter(core, now->description.meter, NULL, NULL, nframes); // nothing was rendered into it
        }
    } else if (core->swap.leaving == NULL) {
        mix_alone(core, step, nframes);
    } else {
        mix_both(core, step, nframes);
    }
    state->fed = false; // until the next slice
    if (!state->frozen) {
        strip_advance(state, nframes);
    }
}

// ---- All of them ------------------------------------------------------------------------------------------------------------------

// Ramps of what stands still stand still with it.
static void advance_sends(rcore_t *core, const rcore_plan_t *plan, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->send_count; i++) {
        const rcore_send_description_t *send = &plan->sends[i].description;
        const bool elsewhere = plan != core->plan && core->sends[send->slot].serial == core->plan->serial;
        if (!elsewhere && !core->buses[send->source].frozen) {
            ramp_advance(&core->sends[send->slot].level, nframes);
        }
    }
}

// Has what is played into buses wait or be silent, where it does not go on as it is; notes whether there is any such bus.
static void prepare_played(rcore_t *core, uint32_t nframes) RCORE_RT {
    core->any_prepared = false;
    for (uint32_t i = 0; i < core->order_count; i++) {
        const struct step *step = &core->steps[i];
        const struct bus_state *state = step->state;
        const struct plan_bus *now = step->now;
        const struct plan_bus *before = step->before;
        if (before == NULL && now->played == NULL && ramp_rests(&state->played, 1.0f)) {
            continue;
        }
        core->any_prepared = true;
        if (state->frozen) {
            continue;
        }
        if (lasts(now, before)) {
            bus_open(core, step->slot, nframes);
        }
        if (state->fed) {
            played_prepare(core, step, nframes);
        }
    }
}

void buses_mix(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->any_prepared) {
        prepare_played(core, nframes);
    }
    const struct step *const end = core->steps + core->order_count;
    for (const struct step *step = core->steps; step < end; step++) {
        if (!mix_only(core, step, nframes)) {
            mix_step(core, step, nframes);
        }
    }
    advance_sends(core, core->plan, nframes);
    advance_sends(core, core->swap.leaving, nframes);
}
