// The session gate: applies the arbiter's grant to the output of a session.
//
// A gate has three gains, each with its own ramp: `open` (linear; 0 while paused or muted,
// otherwise 1), the duck (linear in decibels) and the system volume (linear). If the delay lines of
// a resuming session must fill first, `open` rises only after that time, the resume delay. A gain
// that is steady at exactly 1 is not applied, so the output of a session that plays alone is
// bit-exact. When the session is paused and `open` has reached 0, the session suspends and its
// sources do not advance. The cycle divides its block at that frame, so playback resumes with the
// frame after the last one of the fade.
#include "session/gate.h"

#include "core/core.h"
#include "core/events.h"
#include "graph/graph.h"
#include "graph/plan.h"
#include "mix/buses.h"
#include "mix/ramp.h"
#include "session/key.h"
#include "session_gate_page.h"

#include <math.h>
#include <string.h>

static uint32_t milliseconds_to_frames(const rcore_t *core, uint16_t milliseconds) RCORE_RT {
    const uint64_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    return (uint32_t)(rate * milliseconds / 1000);
}

// Converts an attenuation in 1/256 dB to a linear gain. 0 gives exactly 1.
static double duck_gain(double attenuation) RCORE_RT {
    return attenuation <= 0.0 ? 1.0 : pow(10.0, -attenuation / (20.0 * SGATE_ATTENUATION_PER_DECIBEL));
}

static bool is_silent(const struct gate_state *gate) RCORE_RT {
    return gate->open.remaining == 0 && gate->open.target == 0.0f;
}

// Starts a ramp of the duck to `target`, an attenuation in 1/256 dB.
static void duck_to(struct gate_state *gate, double target, uint32_t nframes) RCORE_RT {
    if (gate->duck_target == target && gate->duck_remaining <= nframes) {
        return; // already ramps there, and arrives in time
    }
    gate->duck_target = target;
    gate->duck_remaining = nframes;
    if (nframes == 0) {
        gate->duck = target;
    } else {
        gate->duck_step = (target - gate->duck) / nframes;
    }
}

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

// Applies a new grant. The first grant and inaudible changes take no ramp: a session that returns
// from silence during a duck starts ducked (keeps DUCK-7), and a gate that opens before its bus has
// a signal opens at once, so that the first note keeps its attack. A resuming session whose delay
// lines must fill first opens at the end of its resume delay (`gate_advance`).
static void apply_grant(rcore_t *core, uint32_t slot, sgate_grant_t grant) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[slot].gate;
    const float open = grant.paused || grant.muted ? 0.0f : 1.0f;
    const uint32_t ramp_frames = milliseconds_to_frames(core, grant.ramp_ms);
    const bool was_silent = is_silent(gate);
    gate->resume_delay = open == 0.0f ? 0 : gate->suspended ? take_refill_frames(core, slot) : gate->resume_delay;
    gate->resume_ramp = ramp_frames;
    if (!gate->attached || (was_silent && gate->resume_delay == 0 && !has_sources(core, slot))) {
        ramp_set(&gate->open, open);
    }
    if (gate->resume_delay == 0 && (gate->open.target != open || gate->open.remaining > ramp_frames)) {
        ramp_to(&gate->open, open, ramp_frames);
    }
    gate->paused = grant.paused;
}

static void apply_volume(const rcore_t *core, struct gate_state *gate, sgate_volume_t volume) RCORE_RT {
    ramp_to(&gate->volume, volume.gain, gate->attached ? milliseconds_to_frames(core, volume.ramp_ms) : 0);
}

// Applies the deeper of the grant's duck and the keyed one, which counts while one of its keys is
// audible. A new attenuation in the grant brings its own ramp. `at_once`: without a ramp.
static void apply_duck(const rcore_t *core, struct gate_state *gate, const struct gate_words *words,
                       bool at_once) RCORE_RT {
    const sgate_grant_t grant = sgate_word_to_grant(words->grant);
    // A new page without keys has no release.
    const uint64_t keyed_word = words->keyed_duck != 0 ? words->keyed_duck : gate->words.keyed_duck;
    const sgate_keyed_duck_t keyed = sgate_word_to_keyed_duck(keyed_word);
    const bool is_deeper = words->keyed && keyed.attenuation > grant.attenuation;
    const double target = is_deeper ? keyed.attenuation : grant.attenuation;
    const bool new_grant = grant.attenuation != sgate_word_to_grant(gate->words.grant).attenuation;
    if (!at_once && !new_grant && target == gate->duck_target) {
        return;
    }
    const uint16_t ramp_ms = new_grant                    ? grant.ramp_ms
                             : target > gate->duck_target ? keyed.attack_ms
                                                          : keyed.release_ms;
    duck_to(gate, target, at_once ? 0 : milliseconds_to_frames(core, ramp_ms));
}

// Applies what differs from what was applied last; everything, the first time.
static void gate_update(rcore_t *core, struct gated *gated, const struct gate_words *words) RCORE_RT {
    struct gate_state *gate = &core->mix.buses[gated->slot].gate;
    const bool is_first = !gate->attached;
    const bool new_grant = is_first || words->grant != gate->words.grant;
    // The first duck takes no ramp, and neither does an inaudible one (`apply_grant`).
    const bool ducks_at_once = is_first || is_silent(gate);
    gate->steady = false;
    if (is_first || words->volume != gate->words.volume) {
        apply_volume(core, gate, sgate_word_to_volume(words->volume));
    }
    if (new_grant) {
        const sgate_grant_t grant = sgate_word_to_grant(words->grant);
        apply_grant(core, gated->slot, grant);
        gate->settling = true;
        event_post(core, (rcore_event_t){.kind = RCORE_EVENT_GATE_APPLIED,
                                         .bus = gated->slot,
                                         .frame = core_now(core),
                                         .value = grant.serial});
    }
    apply_duck(core, gate, words, ducks_at_once);
    key_update(core, &core->mix.buses[gated->slot], gated->keys, words->detection);
    gate->attached = true;
    gate->words = *words;
    gated->words = *words;
}

// Returns whether one of the keys of a gate's keyed duck is audible.
static inline bool any_key_is_audible(const struct gated *gated, uint64_t keyed_duck) RCORE_RT {
    const uint16_t keys = sgate_word_to_keyed_duck(keyed_duck).keys;
    return keys != 0 && gated->keys != NULL && (sgate_keys_audible(gated->keys) & keys) != 0;
}

static inline struct gate_words read_words(const struct gated *gated) RCORE_RT {
    const uint64_t keyed_duck = sgate_page_load_keyed_duck(gated->page);
    return (struct gate_words){.grant = sgate_page_load_grant(gated->page),
                               .volume = sgate_page_load_volume(gated->page),
                               .keyed_duck = keyed_duck,
                               .detection = sgate_page_load_detection(gated->page),
                               .keyed = any_key_is_audible(gated, keyed_duck)};
}

// Returns 0 if both are the same.
static inline uint64_t difference(const struct gate_words *a, const struct gate_words *b) RCORE_RT {
    return (a->grant ^ b->grant) | (a->volume ^ b->volume) | (a->keyed_duck ^ b->keyed_duck) |
           (a->detection ^ b->detection) | (uint64_t)(a->keyed ^ b->keyed);
}

// Returns whether any page differs from what was applied last. Every cycle checks every gate, so
// this loop has no branches, except for gates with keys, and does not touch the states of buses.
static bool any_differs(const struct gates *gates) RCORE_RT {
    uint64_t differences = 0;
    for (const struct gated *gated = gates->gated, *end = gated + gates->count; gated < end; gated++) {
        const struct gate_words words = read_words(gated);
        differences |= difference(&words, &gated->words);
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
        const struct gate_words words = read_words(gated);
        if (difference(&words, &gated->words) != 0 || !core->mix.buses[gated->slot].gate.attached) {
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
    gate->suspended = gate->paused && is_silent(gate);
    if (gate->settling && gate->resume_delay == 0 && gate->open.remaining == 0 &&
        (gate->duck_remaining == 0 || is_silent(gate))) {
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

// Multiplies `envelope` by the duck for the next frames: its ramp, then its constant gain.
static void duck_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT {
    const uint32_t moving = gate->duck_remaining < nframes ? gate->duck_remaining : nframes;
    if (moving > 0) {
        const double ratio = pow(10.0, -gate->duck_step / (20.0 * SGATE_ATTENUATION_PER_DECIBEL));
        double gain = duck_gain(gate->duck);
        for (uint32_t i = 0; i < moving; i++) {
            gain *= ratio;
            envelope[i] *= (float)gain;
        }
    }
    if (moving < nframes && gate->duck_target > 0.0) {
        const float gain = (float)duck_gain(gate->duck_target);
        for (uint32_t i = moving; i < nframes; i++) {
            envelope[i] *= gain;
        }
    }
}

bool gate_is_open(const struct gate_state *gate) RCORE_RT {
    return ramp_is_at(&gate->open, 1.0f) && ramp_is_at(&gate->volume, 1.0f) && gate->duck_remaining == 0 &&
           gate->duck_target <= 0.0;
}

void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT {
    ramp_multiply(&gate->open, envelope, nframes);
    ramp_multiply(&gate->volume, envelope, nframes);
    duck_multiply(gate, envelope, nframes);
}

// Advances all ramps of a gate, starts the fade-in at the end of a resume delay, and publishes the
// gain.
static void gate_advance(struct bus_state *state, uint32_t nframes) RCORE_RT {
    struct gate_state *gate = &state->gate;
    ramp_advance(&gate->open, nframes);
    ramp_advance(&gate->volume, nframes);
    if (gate->resume_delay > 0) {
        gate->resume_delay = gate->resume_delay > nframes ? gate->resume_delay - nframes : 0;
        if (gate->resume_delay == 0) {
            ramp_to(&gate->open, 1.0f, gate->resume_ramp);
        }
    }
    const uint32_t moving = gate->duck_remaining < nframes ? gate->duck_remaining : nframes;
    gate->duck_remaining -= moving;
    gate->duck = gate->duck_remaining == 0 ? gate->duck_target : gate->duck + gate->duck_step * moving;
    const float gain = ramp_value(&gate->open) * ramp_value(&gate->volume) * (float)duck_gain(gate->duck);
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    atomic_store_explicit(&state->gate_gain, bits, memory_order_relaxed);
    gate->steady = gate->open.remaining == 0 && gate->volume.remaining == 0 && gate->duck_remaining == 0 &&
                   gate->resume_delay == 0;
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
            gate_advance(state, nframes);
            (void)gate_settle(core, &core->gates.gated[i]);
        }
        moves |= !state->gate.steady;
        suspended |= state->gate.suspended;
    }
    gates_suspend(core, suspended);
    core->gates.move = moves;
}
