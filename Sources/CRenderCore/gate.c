// The session gate: the arbiter's verdict, made audible.
//
// Three factors, each with a ramp of its own: `open` (linear, 1…0: paused or muted), the duck (linear in decibels) and the system volume
// (linear). A factor that is not moving and is exactly 1 multiplies nothing, so a session that is alone is bit-exact. Paused: once
// `open` has reached 0 the session freezes, and its sources stand still; the cycle is cut at that frame, so the next frame heard is the one
// after the last of the fade.
#include "core.h"

#include "session_gate_page.h"

#include <math.h>
#include <string.h>

static uint32_t milliseconds_to_frames(const rcore_t *core, uint16_t milliseconds) RCORE_RT {
    const uint64_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    return (uint32_t)(rate * milliseconds / 1000);
}

// Attenuation in 1/256 dB to linear gain; 0 is exactly 1.
static double duck_gain(double attenuation) RCORE_RT {
    return attenuation <= 0.0 ? 1.0 : pow(10.0, -attenuation / (20.0 * SGATE_ATTENUATION_PER_DECIBEL));
}

static bool silent(const struct gate_state *gate) RCORE_RT {
    return gate->open.remaining == 0 && gate->open.target == 0.0f;
}

static void duck_go(struct gate_state *gate, double target, uint32_t nframes) RCORE_RT {
    if (gate->duck_target == target && gate->duck_remaining <= nframes) {
        return; // on its way already, and there in time
    }
    gate->duck_target = target;
    gate->duck_remaining = nframes;
    if (nframes == 0) {
        gate->duck = target;
    } else {
        gate->duck_step = (target - gate->duck) / nframes;
    }
}

// Whether anything leads to the bus that sounds, or would if its gate opened; in the plan that leaves as well.
static bool has_sources(rcore_t *core, uint32_t slot) RCORE_RT {
    buses_mark_sounding(core);
    return core->buses[slot].sounding;
}

static uint32_t latency_under(const rcore_t *core, uint32_t slot) RCORE_RT {
    const rcore_plan_t *plan = core->plan;
    uint32_t latency = 0;
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        if (plan->buses[plan->buses[i].root].description.slot == slot && plan->buses[i].latency > latency) {
            latency = plan->buses[i].latency;
        }
    }
    return latency;
}

// Frames that what a session plays now is later than what its delay lines hold from before: while it stood still, or still does in a swap, others came in their place, empty.
static uint32_t lateness(rcore_t *core, uint32_t slot) RCORE_RT {
    struct gate_state *gate = &core->buses[slot].gate;
    const uint32_t late = core->swap.leaving != NULL ? latency_under(core, slot) : gate->late;
    gate->late = 0;
    return late;
}

void gates_note_changed(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    const rcore_plan_t *plan = core->plan;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        core->buses[plan->buses[i].description.slot].index = RCORE_NONE;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        core->buses[old->buses[i].description.slot].index = i;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const struct plan_bus *bus = &plan->buses[i];
        const uint32_t index = core->buses[bus->description.slot].index;
        const struct plan_bus *before = index != RCORE_NONE ? &old->buses[index] : NULL;
        const uint32_t root = plan->buses[bus->root].description.slot;
        const bool stays =
            before != NULL ? played_stays(bus, before) && insert_stays(bus, before) && bus->history == before->history
                           : bus->latency == 0;
        if (!stays && core->buses[root].gate.frozen) {
            core->buses[root].gate.late = latency_under(core, root);
        }
    }
}

// Takes over a new verdict. What cannot be heard jumps: who comes back from silence during a duck starts ducked (keeps DUCK-7), and a
// gate that opens before anything sounds opens at once, so that the first note keeps its attack.
static void apply_verdict(rcore_t *core, uint32_t slot, sgate_verdict_t verdict) RCORE_RT {
    struct gate_state *gate = &core->buses[slot].gate;
    const float open = verdict.paused || verdict.muted ? 0.0f : 1.0f;
    const uint32_t ramp_frames = milliseconds_to_frames(core, verdict.ramp_ms);
    const bool was_silent = silent(gate);
    gate->wait = open == 0.0f ? 0 : gate->frozen ? lateness(core, slot) : gate->wait;
    gate->wait_ramp = ramp_frames;
    if (!gate->attached || (was_silent && gate->wait == 0 && !has_sources(core, slot))) {
        ramp_set(&gate->open, open);
    }
    duck_go(gate, verdict.attenuation, !gate->attached || was_silent ? 0 : ramp_frames);
    if (gate->wait == 0 && (gate->open.target != open || gate->open.remaining > ramp_frames)) {
        ramp_go(&gate->open, open, ramp_frames);
    }
    gate->paused = verdict.paused;
}

static void apply_volume(const rcore_t *core, struct gate_state *gate, sgate_volume_t volume) RCORE_RT {
    ramp_go(&gate->volume, volume.gain, gate->attached ? milliseconds_to_frames(core, volume.ramp_ms) : 0);
}

static void gate_take(rcore_t *core, const struct gated *gated, uint64_t verdict_word, uint64_t volume_word) RCORE_RT {
    struct gate_state *gate = &gated->state->gate;
    gate->still = false;
    if (!gate->attached || volume_word != gate->volume_word) {
        gate->volume_word = volume_word;
        apply_volume(core, gate, sgate_word_to_volume(volume_word));
    }
    if (!gate->attached || verdict_word != gate->verdict_word) {
        const sgate_verdict_t verdict = sgate_word_to_verdict(verdict_word);
        gate->verdict_word = verdict_word;
        apply_verdict(core, gated->slot, verdict);
        gate->settling = true;
        event_post(core, (rcore_event_t){.kind = RCORE_EVENT_GATE_APPLIED,
                                         .bus = gated->slot,
                                         .frame = core_now(core),
                                         .value = verdict.serial});
    }
    gate->attached = true;
}

// Returns whether any page has something new. Each cycle looks at every gate: nothing is read twice.
static bool gates_look(rcore_t *core) RCORE_RT {
    const struct gated *const end = core->gated + core->gated_count;
    bool any = false;
    for (const struct gated *gated = core->gated; gated < end; gated++) {
        const sgate_page_t *const page = gated->page;
        const struct gate_state *const gate = &gated->state->gate;
        const uint64_t verdict_word = sgate_page_load_verdict(page);
        const uint64_t volume_word = sgate_page_load_volume(page);
        if (verdict_word != gate->verdict_word || volume_word != gate->volume_word || !gate->attached) {
            gate_take(core, gated, verdict_word, volume_word);
            any = true;
        }
    }
    return any;
}

// Returns whether it stands still.
static bool gate_settle(rcore_t *core, const struct gated *gated) RCORE_RT {
    struct gate_state *gate = &gated->state->gate;
    gate->frozen = gate->paused && silent(gate);
    if (gate->settling && gate->wait == 0 && gate->open.remaining == 0 && (gate->duck_remaining == 0 || silent(gate))) {
        gate->settling = false;
        event_post(core, (rcore_event_t){.kind = RCORE_EVENT_GATE_SETTLED,
                                         .bus = gated->slot,
                                         .frame = core_now(core),
                                         .value = sgate_word_to_verdict(gate->verdict_word).serial});
    }
    return gate->frozen;
}

// Whether the bus itself stands still, or the one it leads to; parents stand before their children in a plan.
static bool stands_still(const rcore_t *core, const rcore_plan_t *plan, const struct plan_bus *bus) RCORE_RT {
    const bool parent = bus->parent != RCORE_NONE && core->buses[plan->buses[bus->parent].description.slot].frozen;
    return parent || (bus->description.gate != NULL && core->buses[bus->description.slot].gate.frozen);
}

// Hands frozenness down, where any gate stands still or one did. While plans cross-fade, a bus stands still only where it does in both: the old path is still heard.
static void gates_freeze(rcore_t *core, bool any) RCORE_RT {
    const rcore_plan_t *leaving = core->swap.leaving;
    const bool none = !any && !core->any_frozen;
    core->any_frozen = any;
    if (none) {
        return;
    }
    for (uint32_t i = 0; leaving != NULL && i < leaving->bus_count; i++) {
        struct bus_state *state = &core->buses[leaving->buses[i].description.slot];
        state->frozen = stands_still(core, leaving, &leaving->buses[i]);
    }
    for (uint32_t i = 0; leaving != NULL && i < leaving->bus_count; i++) {
        struct bus_state *state = &core->buses[leaving->buses[i].description.slot];
        state->frozen_leaving = state->frozen;
    }
    for (uint32_t i = 0; i < core->plan->bus_count; i++) {
        struct bus_state *state = &core->buses[core->plan->buses[i].description.slot];
        state->frozen = stands_still(core, core->plan, &core->plan->buses[i]);
    }
    for (uint32_t i = 0; leaving != NULL && i < leaving->bus_count; i++) {
        struct bus_state *state = &core->buses[leaving->buses[i].description.slot];
        state->frozen = state->frozen_leaving && (state->frozen || !state->in_plan);
    }
}

static void note_gates(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        struct bus_state *state = &core->buses[bus->slot];
        if (bus->gate != NULL && (plan == core->plan || !state->gated)) {
            core->gated[core->gated_count++] = (struct gated){.state = state, .page = bus->gate, .slot = bus->slot};
        }
    }
}

void gates_note(rcore_t *core) RCORE_RT {
    core->gated_count = 0;
    core->gates_move = true;
    note_gates(core, core->plan);
    note_gates(core, core->swap.leaving);
}

void gates_read(rcore_t *core) RCORE_RT {
    if (gates_look(core)) {
        core->gates_move = true;
    }
    if (!core->gates_move) {
        return;
    }
    bool frozen = false;
    for (uint32_t i = 0; i < core->gated_count; i++) {
        frozen |= gate_settle(core, &core->gated[i]);
    }
    gates_freeze(core, frozen);
}

uint32_t gates_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; core->gates_move && i < core->gated_count; i++) {
        const struct gate_state *gate = &core->gated[i].state->gate;
        const uint32_t ends = gate->wait > 0 ? gate->wait : gate->paused ? gate->open.remaining : 0;
        nframes = ends > 0 && ends < nframes ? ends : nframes;
    }
    return nframes;
}

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
    return ramp_rests(&gate->open, 1.0f) && ramp_rests(&gate->volume, 1.0f) && gate->duck_remaining == 0 &&
           gate->duck_target <= 0.0;
}

void gate_multiply(const struct gate_state *gate, float *envelope, uint32_t nframes) RCORE_RT {
    ramp_multiply(&gate->open, envelope, nframes);
    ramp_multiply(&gate->volume, envelope, nframes);
    duck_multiply(gate, envelope, nframes);
}

static void gate_advance(struct bus_state *state, uint32_t nframes) RCORE_RT {
    struct gate_state *gate = &state->gate;
    ramp_advance(&gate->open, nframes);
    ramp_advance(&gate->volume, nframes);
    if (gate->wait > 0) {
        gate->wait = gate->wait > nframes ? gate->wait - nframes : 0;
        if (gate->wait == 0) {
            ramp_go(&gate->open, 1.0f, gate->wait_ramp);
        }
    }
    const uint32_t moving = gate->duck_remaining < nframes ? gate->duck_remaining : nframes;
    gate->duck_remaining -= moving;
    gate->duck = gate->duck_remaining == 0 ? gate->duck_target : gate->duck + gate->duck_step * moving;
    const float gain = ramp_value(&gate->open) * ramp_value(&gate->volume) * (float)duck_gain(gate->duck);
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    atomic_store_explicit(&state->gate_gain, bits, memory_order_relaxed);
    gate->still =
        gate->open.remaining == 0 && gate->volume.remaining == 0 && gate->duck_remaining == 0 && gate->wait == 0;
}

void gates_advance(rcore_t *core, uint32_t nframes) RCORE_RT {
    if (!core->gates_move) {
        return;
    }
    bool frozen = false;
    bool moves = false;
    for (uint32_t i = 0; i < core->gated_count; i++) {
        struct bus_state *state = core->gated[i].state;
        if (!state->gate.still) {
            gate_advance(state, nframes);
            (void)gate_settle(core, &core->gated[i]);
        }
        moves |= !state->gate.still;
        frozen |= state->gate.frozen;
    }
    gates_freeze(core, frozen);
    core->gates_move = moves;
}

void bus_reset(struct bus_state *bus) RCORE_RT {
    const float unity = 1.0f;
    uint32_t bits;
    memcpy(&bits, &unity, sizeof bits);
    bus->gate = (struct gate_state){.attached = false};
    ramp_set(&bus->gate.open, 1.0f);
    ramp_set(&bus->gate.volume, 1.0f);
    ramp_set(&bus->gain, 1.0f);
    ramp_set(&bus->pan, 0.0f);
    ramp_set(&bus->audible, 1.0f);
    ramp_set(&bus->played, 1.0f);
    bus->channels = 0;
    bus->fed = false;
    bus->muted = bus->soloed = false;
    bus->resets += 1;
    bus->frozen = bus->fresh = bus->joined = bus->in_plan = bus->gated = false;
    bus->expected = EXPECTED_NOT;
    atomic_store_explicit(&bus->gate_gain, bits, memory_order_relaxed);
}
