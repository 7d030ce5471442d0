// Mute and solo: determines which buses of the current plan are audible. The solos under one root
// (a session's bus, or one that is connected to routes) count together.
#include "mix/solo.h"

#include "core/core.h"
#include "mix/buses.h"
#include "mix/ramp.h"

static struct bus_state *state_of(rcore_t *core, uint32_t index) RCORE_RT {
    return &core->mix.buses[core->graph.plan->buses[index].description.slot];
}

// Returns the state of a bus's root, which records whether any bus under it is soloed.
static struct bus_state *root_of(rcore_t *core, uint32_t index) RCORE_RT {
    return state_of(core, core->graph.plan->buses[index].root);
}

// Marks the soloed buses and all buses under them, which are audible with them. Parents precede
// their children. Resets the marks that `mark_passing` sets.
static void mark_soloed(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->graph.plan->bus_count; i++) {
        const uint32_t parent = core->graph.plan->buses[i].parent;
        struct bus_state *bus = state_of(core, i);
        bus->in_solo = bus->soloed || (parent != RCORE_NONE && state_of(core, parent)->in_solo);
        bus->passes_solo = bus->root_has_solo = false;
    }
}

// Marks the ancestors of soloed and solo-safe buses, which pass their signal through, and the roots
// under which a bus is soloed.
static void mark_passing(rcore_t *core) RCORE_RT {
    for (uint32_t i = core->graph.plan->bus_count; i-- > 0;) {
        const struct plan_bus *bus = &core->graph.plan->buses[i];
        struct bus_state *state = state_of(core, i);
        root_of(core, i)->root_has_solo |= state->soloed;
        if (bus->parent != RCORE_NONE && (state->soloed || state->passes_solo || bus->description.solo_safe)) {
            state_of(core, bus->parent)->passes_solo = true;
        }
    }
}

static void fade_to(struct ramp *ramp, bool audible, uint32_t ramp_frames) RCORE_RT {
    const float target = audible ? 1.0f : 0.0f;
    if (ramp->target != target) {
        ramp_to(ramp, target, ramp_frames);
    }
}

void solo_apply(rcore_t *core, uint32_t ramp_frames) RCORE_RT {
    if (core->graph.plan == NULL) {
        return;
    }
    mark_soloed(core);
    mark_passing(core);
    core->mix.any_direct_input = true; // evaluated in the next block
    for (uint32_t i = 0; i < core->graph.plan->bus_count; i++) {
        struct bus_state *bus = state_of(core, i);
        const bool solo_active = root_of(core, i)->root_has_solo;
        const bool selected = !solo_active || bus->in_solo || core->graph.plan->buses[i].description.solo_safe;
        bus_set_due(core, core->graph.plan->buses[i].description.slot);
        fade_to(&bus->audible, !bus->muted && (selected || bus->passes_solo), bus->fresh ? 0 : ramp_frames);
        // If the entire bus is muted, `direct` stays 1: fading both would square the fade.
        fade_to(&bus->direct, selected || !bus->passes_solo, bus->fresh ? 0 : ramp_frames);
    }
}
