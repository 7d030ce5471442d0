// Mixing while one plan takes over from another.
#include "ways.h"

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

static void mix_ways_now(rcore_t *core, const struct side *now, const struct side *before, const struct strip *strip,
                         uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < edge_count(now->bus); i++) {
        const struct edge *edge = edge_at(now->plan, now->bus, i);
        const bool stays = before->bus == NULL || edge_stays(edge, now->bus, before->plan, before->bus);
        way_add(core, now, strip, edge, stays ? NULL : weights_now(core, edge, before, nframes),
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
        way_add(core, before, strip, edge, weights_before(core, edge, leaves, nframes),
                edge->kind == EDGE_ROUTE ? routes : core->bus_samples, nframes);
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
        side_insert(now, nframes);
    }
    if (before->bus != NULL && (parts || now->bus == NULL)) {
        side_insert(before, nframes);
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

void ways_cross_fade(rcore_t *core, const struct step *step, uint32_t nframes) RCORE_RT {
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
