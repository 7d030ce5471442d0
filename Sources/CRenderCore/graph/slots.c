// Slots: how a change of plans affects the state of buses, sends and inputs.
#include "graph/slots.h"

#include "core/core.h"
#include "graph/graph.h"
#include "mix/buses.h"
#include "mix/inputs.h"
#include "mix/ramp.h"
#include "voices/voice_batch.h"

// Fades in the voices that already play on a bus that becomes audible with the new plan.
static void fade_in_voices(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->voices.playing_count; i++) {
        if (core->voices.playing[i] == RCORE_NONE) {
            continue;
        }
        struct voice *voice = &core->voices.pool[core->voices.playing[i]];
        if (voice->bus < core->config.max_buses && core->mix.buses[voice->bus].fresh) {
            const struct ramp fade = voice->fade;
            batch_leave(voice);
            ramp_set(&voice->fade, 0.0f);
            if (fade.target == 1.0f) {
                const uint32_t least = core->config.crossfade_frames;
                ramp_to(&voice->fade, 1.0f, fade.remaining > least ? fade.remaining : least);
            }
        }
    }
}

// Initialises a bus with the initial state that the plan gives it.
static void bus_initialize(struct bus_state *state, const struct plan_bus *bus) RCORE_RT {
    bus_reset(state);
    ramp_set(&state->gain, bus->initial_gain);
    ramp_set(&state->pan, bus->initial_pan);
    state->muted = bus->initial_muted;
    state->soloed = bus->initial_soloed;
}

// Adds a plan's buses to the state of their slots. Initialises slots that no plan had, unless they
// were initialised while the plan waited.
static void join_buses(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    bool any = false;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        struct bus_state *state = &core->mix.buses[bus->slot];
        if (state->channels == 0) {
            if (!state->expected) {
                bus_initialize(state, &plan->buses[i]);
            }
            state->fresh = any = true;
        }
        state->channels = bus->channels > state->channels ? bus->channels : state->channels;
        state->expected = EXPECTED_NOT;
    }
    if (any) {
        fade_in_voices(core);
    }
}

void slots_clear_fresh(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->graph.plan->bus_count; i++) {
        core->mix.buses[core->graph.plan->buses[i].description.slot].fresh = false;
    }
}

// Adds a plan's inputs to the state of their slots, as `join_buses` does for buses. An input that a
// voice already plays fades in.
static void join_inputs(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->input_count; i++) {
        struct input_state *state = &core->inputs.slots[plan->inputs[i].slot];
        if (state->channels == 0) {
            const uint32_t slot = plan->inputs[i].slot;
            const struct input_state preset = *state;
            input_reset(core, slot, input_is_played(core, slot) ? core->config.crossfade_frames : 0);
            if (preset.expected) {
                state->gain = preset.gain;
                state->resets = preset.resets;
            }
            state->expected = EXPECTED_NOT;
        }
        state->channels = plan->inputs[i].channels;
    }
}

// Marks the inputs that the current plan does not have as unused.
static void release_removed_inputs(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    for (uint32_t i = 0; i < old->input_count; i++) {
        core->inputs.slots[old->inputs[i].slot].channels = 0;
    }
    for (uint32_t i = 0; i < core->graph.plan->input_count; i++) {
        core->inputs.slots[core->graph.plan->inputs[i].slot].channels = core->graph.plan->inputs[i].channels;
    }
}

// Resets the bus slots of `old` that the current plan does not have, and sets the channel counts of
// the others.
static void reset_removed_buses(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    for (uint32_t i = 0; i < old->bus_count; i++) {
        core->mix.buses[old->buses[i].description.slot].channels = 0;
    }
    for (uint32_t i = 0; i < core->graph.plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &core->graph.plan->buses[i].description;
        core->mix.buses[bus->slot].channels = bus->channels;
    }
    for (uint32_t i = 0; i < old->bus_count; i++) {
        struct bus_state *state = &core->mix.buses[old->buses[i].description.slot];
        if (state->channels == 0) {
            bus_reset(state);
        }
    }
}

void slots_reset_intermediate(rcore_t *core, const rcore_plan_t *between) RCORE_RT {
    for (uint32_t i = 0; i < between->bus_count; i++) {
        const uint32_t slot = between->buses[i].description.slot;
        if (current_bus(&core->graph, slot) == NULL && previous_bus(&core->graph, slot) == NULL) {
            bus_reset(&core->mix.buses[slot]);
        }
    }
}

bool send_is_active(const rcore_t *core, const struct send_state *send) RCORE_RT {
    const rcore_plan_t *outgoing = core->graph.crossfade.outgoing;
    return send->serial != 0 && ((core->graph.plan != NULL && send->serial == core->graph.plan->serial) ||
                                 (outgoing != NULL && send->serial == outgoing->serial));
}

static void send_initialize(struct send_state *state, const struct plan_send *send) RCORE_RT {
    ramp_set(&state->level, send->initial_level);
    state->resets += 1;
}

// Adds a plan's sends to the state of their slots, as `join_buses` does for buses.
static void join_sends(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; i < plan->send_count; i++) {
        struct send_state *send = &core->mix.sends[plan->sends[i].description.slot];
        if (!send_is_active(core, send) && !send->expected) {
            send_initialize(send, &plan->sends[i]);
        }
        send->serial = plan->serial;
        send->source = plan->sends[i].description.source;
        send->expected = EXPECTED_NOT;
    }
}

void slots_join(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    join_buses(core, plan);
    join_inputs(core, plan);
    join_sends(core, plan);
}

void slots_reset_removed(rcore_t *core, const rcore_plan_t *old) RCORE_RT {
    reset_removed_buses(core, old);
    release_removed_inputs(core, old);
}

// ---- Plans that wait for a crossfade ------------------------------------------------------------

// Initialises a bus slot that no active or waiting plan has, so that commands can set its state
// while the plan waits.
static void expect_bus(rcore_t *core, const struct plan_bus *bus) RCORE_RT {
    struct bus_state *state = &core->mix.buses[bus->description.slot];
    if (state->channels == 0 && !state->expected) {
        bus_initialize(state, bus);
    }
    state->expected = state->channels == 0 ? EXPECTED : EXPECTED_NOT;
}

static void expect_send(rcore_t *core, const struct plan_send *send) RCORE_RT {
    struct send_state *state = &core->mix.sends[send->description.slot];
    const bool heard = send_is_active(core, state);
    if (!heard && !state->expected) {
        send_initialize(state, send);
    }
    state->expected = heard ? EXPECTED_NOT : EXPECTED;
}

static void expect_input(rcore_t *core, uint32_t slot) RCORE_RT {
    struct input_state *state = &core->inputs.slots[slot];
    if (state->channels == 0 && !state->expected) {
        input_reset(core, slot, 0);
    }
    state->expected = state->channels == 0 ? EXPECTED : EXPECTED_NOT;
}

// Replaces `from` by `to`.
static void change_expectation(uint8_t *expected, uint8_t from, uint8_t to) RCORE_RT {
    *expected = *expected == from ? to : *expected;
}

// Does this for all slots of a plan; NULL does nothing.
static void change_expectations(rcore_t *core, const rcore_plan_t *plan, uint8_t from, uint8_t to) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        change_expectation(&core->mix.buses[plan->buses[i].description.slot].expected, from, to);
    }
    for (uint32_t i = 0; plan != NULL && i < plan->send_count; i++) {
        change_expectation(&core->mix.sends[plan->sends[i].description.slot].expected, from, to);
    }
    for (uint32_t i = 0; plan != NULL && i < plan->input_count; i++) {
        change_expectation(&core->inputs.slots[plan->inputs[i].slot].expected, from, to);
    }
}

void slots_expect(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    change_expectations(core, core->graph.crossfade.next, EXPECTED, EXPECTED_BEFORE);
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        expect_bus(core, &plan->buses[i]);
    }
    for (uint32_t i = 0; i < plan->send_count; i++) {
        expect_send(core, &plan->sends[i]);
    }
    for (uint32_t i = 0; i < plan->input_count; i++) {
        expect_input(core, plan->inputs[i].slot);
    }
    change_expectations(core, core->graph.crossfade.next, EXPECTED_BEFORE, EXPECTED_NOT);
}
