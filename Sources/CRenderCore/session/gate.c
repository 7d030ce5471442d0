// The session gate: applies the arbiter's grant to the output of a session.
//
// gate_gains.c computes the gains. If the delay lines of a resuming session must fill first, the
// gate opens only after that time, the resume delay. When the session is paused and its gate has
// closed, the session suspends and its sources do not advance. The cycle divides its block at that
// frame, so playback resumes with the frame after the last one of the fade.
#include "session/gate.h"

#include "core/core.h"
#include "core/events.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "mix/buses.h"
#include "session/gate_gains.h"
#include "session/key.h"
#include "session_gate_page.h"

#include <string.h>

// Returns whether the bus has a signal, or would have one if its gate opened, in any active plan.
static bool has_sources(rcore_t *core, uint32_t slot) RCORE_RT {
    buses_mark_sounding(core);
    return core->mix.buses[slot].sounding;
}

// Returns the greatest latency of the buses under the gate of a bus slot.
static uint32_t session_latency(const rcore_t *core, uint32_t slot) RCORE_RT {
    const rcore_plan_t *plan = core->graph.plan;
    uint32_t latency = 0;
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        if (plan->buses[plan->buses[i].root].description.slot == slot && plan->buses[i].latency > latency) {
            latency = plan->buses[i].latency;
        }
    }
    return latency;
}

// Returns the frames until the new signal of a resuming session arrives through its delay lines,
// and resets `refill_frames`. While plans crossfade, this is the latency of the session; otherwise
// it is 0, unless a plan replaced inserts or delay lines while the session was suspended.
static uint32_t take_refill_frames(rcore_t *core, uint32_t slot) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[slot].gate;
    const uint32_t refill_frames =
        core->graph.crossfade.outgoing != NULL ? session_latency(core, slot) : gate->refill_frames;
    gate->refill_frames = 0;
    return refill_frames;
}

void gates_plan_changed(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    const rcore_plan_t *plan = core->graph.plan;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->mix.buses[plan->buses[i].description.slot].index = RCORE_NONE;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        core->mix.buses[old->buses[i].description.slot].index = i;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct plan_bus *bus = &plan->buses[i];
        const uint32_t index = core->mix.buses[bus->description.slot].index;
        const struct plan_bus *previous = index != RCORE_NONE ? &old->buses[index] : NULL;
        const uint32_t root = plan->buses[bus->root].description.slot;
        // Only what the old plan had as well is filled. A new bus without latency has nothing to
        // fill.
        const bool is_filled = previous != NULL ? direct_input_matches(bus, previous) && same_insert(bus, previous) &&
                                                      bus->delay_line == previous->delay_line
                                                : bus->latency == 0;
        if (!is_filled && core->mix.buses[root].gate.suspended) {
            core->mix.buses[root].gate.refill_frames = session_latency(core, root);
        }
    }
}

// Prepares the application of a new grant. A resuming session whose delay lines must fill first
// opens at the end of its resume delay (`gate_advance`). Returns whether the gate opens or closes
// without a ramp: one that opens before its bus has a signal opens at once, so that the first note
// keeps its attack.
static bool prepare_grant(rcore_t *core, uint32_t slot, sgate_grant_t grant) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[slot].gate;
    const bool closes = grant.paused || grant.muted;
    gate->resume_delay = closes ? 0 : gate->suspended ? take_refill_frames(core, slot) : gate->resume_delay;
    return gate_is_silent(gate) && gate->resume_delay == 0 && !has_sources(core, slot);
}

// Applies what differs from what was applied last; everything, the first time.
static void gate_update(rcore_t *core, struct gated *gated, const struct gate_words *words) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[gated->slot].gate;
    const sgate_grant_t grant = sgate_word_to_grant(words->grant);
    const bool new_grant = !gate->attached || words->grant != gate->words.grant;
    const bool at_once = new_grant && prepare_grant(core, gated->slot, grant);
    gate_apply(gate, words, atomic_load_explicit(&core->sample_rate, memory_order_relaxed), at_once);
    if (new_grant) {
        gate->settling = true;
        event_post(core, (rcore_event_t){.kind = RCORE_EVENT_GATE_APPLIED,
                                         .bus = gated->slot,
                                         .frame = core_now(core),
                                         .value = grant.serial});
    }
    key_update(core, &core->mix.buses[gated->slot], gated->keys, words->detection);
    gated->words = *words;
}

// Returns whether any page differs from what was applied last. Every cycle checks every gate, so
// this loop has no branches, except for gates with keys, and does not touch the states of buses.
static bool any_differs(const struct gates *gates) RCORE_RT {
    uint64_t differences = 0;
    for (const struct gated *gated = gates->gated, *end = gated + gates->count; gated < end; gated++) {
        const struct gate_words words = gate_words_read(gated->page, gated->keys);
        differences |= gate_words_difference(&words, &gated->words);
    }
    return differences != 0;
}

// Applies what is new in all pages. Returns whether there were any.
static bool gates_apply_new(rcore_t *core) RCORE_RT {
    if (!core->gates.any_unattached && !any_differs(&core->gates)) {
        return false;
    }
    core->gates.any_unattached = false;
    bool any = false;
    for (uint32_t i = 0; i < core->gates.count; i++) {
        struct gated *const gated = &core->gates.gated[i];
        const struct gate_words words = gate_words_read(gated->page, gated->keys);
        if (gate_words_difference(&words, &gated->words) != 0 || !core->mix.buses[gated->slot].gate.attached) {
            gate_update(core, gated, &words);
            any = true;
        }
    }
    return any;
}

// Updates whether the gate is suspended, and reports a grant whose ramps have ended; while the gate
// is silent, its duck may still move. Returns whether the gate is suspended.
static bool gate_settle(rcore_t *core, const struct gated *gated) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[gated->slot].gate;
    gate->suspended = gate->paused && gate_is_silent(gate);
    if (gate->settling && gate->resume_delay == 0 && gate->open.remaining == 0 &&
        (gate->duck_remaining == 0 || gate_is_silent(gate))) {
        gate->settling = false;
        event_post(core, (rcore_event_t){.kind = RCORE_EVENT_GATE_SETTLED,
                                         .bus = gated->slot,
                                         .frame = core_now(core),
                                         .value = sgate_word_to_grant(gate->words.grant).serial});
    }
    return gate->suspended;
}

// Returns whether the bus's own gate or its parent is suspended. In a plan, parents precede their
// children.
static bool is_suspended(const rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    const bool parent =
        bus->parent != RCORE_NONE && core->mix.buses[plan->buses[bus->parent].description.slot].suspended;
    return parent || (bus->description.gate != NULL && core->mix.buses[bus->description.slot].gate.suspended);
}

// Suspends the buses under suspended gates, if any gate is or was suspended. While plans crossfade,
// a bus is suspended only if it is suspended in both plans, since the old path is still audible.
static void gates_suspend(rcore_t *core, bool any) RCORE_RT {
    const rcore_plan_t *outgoing = core->graph.crossfade.outgoing;
    const bool none = !any && !core->gates.any_suspended;
    core->gates.any_suspended = any;
    if (none) {
        return;
    }
    for (uint32_t i = 0; outgoing != NULL && i < outgoing->bus_count; i++) {
        struct bus_state *state = &core->mix.buses[outgoing->buses[i].description.slot];
        state->suspended = is_suspended(core, outgoing, &outgoing->buses[i]);
    }
    for (uint32_t i = 0; outgoing != NULL && i < outgoing->bus_count; i++) {
        struct bus_state *state = &core->mix.buses[outgoing->buses[i].description.slot];
        state->suspended_outgoing = state->suspended;
    }
    // Overwrites `suspended` of the buses of both plans, hence the copy.
    for (uint32_t i = 0; i < core->graph.plan->bus_count; i++) {
        struct bus_state *state = &core->mix.buses[core->graph.plan->buses[i].description.slot];
        state->suspended = is_suspended(core, core->graph.plan, &core->graph.plan->buses[i]);
    }
    for (uint32_t i = 0; outgoing != NULL && i < outgoing->bus_count; i++) {
        struct bus_state *state = &core->mix.buses[outgoing->buses[i].description.slot];
        state->suspended = state->suspended_outgoing &&
                           (state->suspended || current_bus(&core->graph, outgoing->buses[i].description.slot) == NULL);
    }
}

// Appends the gates of a plan to the list; of the outgoing plan, only those of buses without a gate
// in the current plan.
static void append_gates(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        const struct plan_bus *current = current_bus(&core->graph, bus->slot);
        const bool has_current = plan != core->graph.plan && current != NULL && current->description.gate != NULL;
        if (bus->gate != NULL && !has_current) {
            struct bus_state *const state = &core->mix.buses[bus->slot];
            const struct gate_state *gate = &state->gate;
            // The page of another arbiter: the previous one is released with the old plan.
            key_update(core, state, bus->keys, gate->words.detection);
            core->gates.gated[core->gates.count++] = (struct gated){bus->gate, bus->keys, gate->words, bus->slot};
            core->gates.any_unattached |= !gate->attached;
        } else if (bus->gate == NULL && plan == core->graph.plan) {
            key_reset(&core->mix.buses[bus->slot]);
        }
    }
}

void gates_collect(rcore_t *core) RCORE_RT {
    core->gates.count = 0;
    core->gates.move = true;
    core->gates.any_unattached = false;
    append_gates(core, core->graph.plan);
    append_gates(core, core->graph.crossfade.outgoing);
}

void gates_read(rcore_t *core) RCORE_RT {
    if (gates_apply_new(core)) {
        core->gates.move = true;
    }
    if (!core->gates.move) {
        return;
    }
    bool suspended = false;
    for (uint32_t i = 0; i < core->gates.count; i++) {
        suspended |= gate_settle(core, &core->gates.gated[i]);
    }
    gates_suspend(core, suspended);
}

uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->gates.move && i < core->gates.count; i++) {
        const struct gate_state *gate = &core->mix.buses[core->gates.gated[i].slot].gate;
        const uint32_t next = gate->resume_delay > 0 ? gate->resume_delay : gate->paused ? gate->open.remaining : 0;
        nframes = next > 0 && next < nframes ? next : nframes;
    }
    return nframes;
}

// Advances all ramps of a gate, and publishes the gain.
static void advance_and_publish(struct bus_state *state, uint32_t nframes) RCORE_RT {
    gate_advance(&state->gate, nframes);
    const float gain = gate_gain(&state->gate);
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    atomic_store_explicit(&state->gate_gain, bits, memory_order_relaxed);
}

void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (!core->gates.move) {
        return;
    }
    bool suspended = false;
    bool moves = false;
    for (uint32_t i = 0; i < core->gates.count; i++) {
        struct bus_state *state = &core->mix.buses[core->gates.gated[i].slot];
        if (!state->gate.steady) {
            advance_and_publish(state, nframes);
            (void)gate_settle(core, &core->gates.gated[i]);
        }
        moves |= !state->gate.steady;
        suspended |= state->gate.suspended;
    }
    gates_suspend(core, suspended);
    core->gates.move = moves;
}
