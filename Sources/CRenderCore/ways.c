// Mixing: each bus after all that leads to it.
#include "ways.h"

// ---- What leaves a bus ----------------------------------------------------------------------------------------------------------------

void way_add(rcore_t *core, const struct side *side, const struct strip *strip, const struct edge *edge,
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

void side_insert(const struct side *side, uint32_t nframes) RCORE_RT {
    const rcore_insert_t *insert = &side->bus->description.insert;
    if (insert->render) {
        insert->render(insert->context, side->planes, side->bus->description.channels, nframes);
    }
}

// Whether it sounds on when nothing leads to it, in any plan that is heard.
static bool lasts(const struct plan_bus *now, const struct plan_bus *before) RCORE_RT {
    return (now != NULL && now->lasts) || (before != NULL && before->lasts);
}

// ---- What stands still ----------------------------------------------------------------------------------------------------------------

// Whether each way has one gain throughout, which both sides of a balance in the middle have.
static inline bool stands_still(const struct step *step) RCORE_RT {
    const struct bus_state *state = step->state;
    bool still = !strip_moves(state) && (!step->gated || gate_is_open(&state->gate)) &&
                 (!step->panned || state->pan.target == 0.0f);
    for (uint32_t i = 0; still && i < step->way_count; i++) {
        still = step->ways[i].level == NULL || step->ways[i].level->remaining == 0;
    }
    return still;
}

// Adds what goes channel to channel; to silence, without a look at what lies there.
static inline void add_still(rcore_t *core, const struct edge *way, const float *samples, float gain,
                             uint32_t nframes) RCORE_RT {
    if (gain == 0.0f) {
        return;
    }
    if (*way->fed) {
        mix_channels(way->samples, samples, core->stride, way->shared, gain, nframes);
        return;
    }
    *way->fed = true;
    mix_channels_first(way->samples, samples, core->stride, way->shared, gain, nframes);
    if (way->channels > way->shared) {
        channels_clear(core, way->samples, way->shared, way->channels, nframes);
    }
}

static inline void mix_still(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    const float before = step->state->audible.target;
    const float behind = step->state->gain.target * before;
    for (const struct edge *way = step->ways; way < step->ways + step->way_count; way++) {
        const float gain = way->pre_fader ? before : behind;
        add_still(core, way, step->samples, way->level != NULL ? gain * way->level->target : gain, nframes);
    }
}

void step_prepare(rcore_t *core, struct step *step) RCORE_RT {
    const struct plan_bus *bus = step->now;
    step->rests = !lasts(bus, step->before) && (bus == NULL || bus->description.meter == NULL);
    if (bus != NULL) {
        step->ways = edge_at(core->plan, bus, 0);
        step->way_count = edge_count(bus);
        step->gated = bus->description.gate != NULL;
        step->panned = bus->description.pan_law != RCORE_PAN_NONE;
        step->leads_on = step->rests && bus->straight && core->swap.leaving == NULL;
    }
}

// A bus that rests or does nothing but lead on, and on which nothing moves; false: it does more.
static bool mix_only(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    struct bus_state *state = step->state;
    if (!state->fed) {
        return step->rests && !strip_moves(state);
    }
    if (!step->leads_on || !stands_still(step)) {
        return false;
    }
    if (!state->frozen) {
        mix_still(core, step, nframes);
    }
    state->fed = false; // until the next slice
    return true;
}

// ---- What moves, or does more ------------------------------------------------------------------------------------------------------------

// One plan alone is heard.
static void mix_alone(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
    const struct plan_bus *bus = step->now;
    const rcore_bus_description_t *description = &bus->description;
    float *planes[RCORE_MAX_CHANNELS];
    planes_of(core, step->samples, description->channels, planes);
    const struct side now = {core->plan, bus, planes};
    side_insert(&now, nframes);
    if (bus->history != NULL) {
        delay_write(bus->history, planes, nframes);
    }
    const struct strip strip = strip_make(core, description, nframes);
    if (description->meter != NULL) {
        strip_meter(core, description->meter, &strip, planes, nframes);
    }
    if (bus->straight && stands_still(step)) {
        mix_still(core, step, nframes);
        return;
    }
    for (const struct edge *way = step->ways; !strip.silent && way < step->ways + step->way_count; way++) {
        way_add(core, &now, &strip, way, NULL, way->kind == EDGE_ROUTE ? core->route_samples : core->bus_samples,
                nframes);
    }
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
        ways_cross_fade(core, step, nframes);
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
