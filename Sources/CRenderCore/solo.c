// Mute and solo: what of the plan in use is heard. Under one root (a session's bus, or one that leads to routes) solos are counted together.
#include "core.h"

static struct bus_state *state_of(rcore_t *core, uint32_t index) RCORE_RT {
    return &core->buses[core->plan->buses[index].description.slot];
}

// Where all solos under one gate are counted.
static struct bus_state *root_of(rcore_t *core, uint32_t index) RCORE_RT {
    return state_of(core, core->plan->buses[index].root);
}

// What leads to something soloed is heard with it: parents stand before their children.
static void mark_below(rcore_t *core) RCORE_RT {
    for (uint32_t i = 0; i < core->plan->bus_count; i++) {
        const uint32_t parent = core->plan->buses[i].parent;
        struct bus_state *bus = state_of(core, i);
        bus->below = bus->soloed || (parent != RCORE_NONE && state_of(core, parent)->below);
        bus->above = bus->soloed_under = false;
    }
}

// What something soloed leads to lets it through.
static void mark_above(rcore_t *core) RCORE_RT {
    for (uint32_t i = core->plan->bus_count; i-- > 0;) {
        const struct plan_bus *bus = &core->plan->buses[i];
        struct bus_state *state = state_of(core, i);
        root_of(core, i)->soloed_under |= state->soloed;
        if (bus->parent != RCORE_NONE && (state->soloed || state->above || bus->description.solo_safe)) {
            state_of(core, bus->parent)->above = true;
        }
    }
}

static void go(struct ramp *ramp, bool heard, uint32_t ramp_frames) RCORE_RT {
    const float target = heard ? 1.0f : 0.0f;
    if (ramp->target != target) {
        ramp_go(ramp, target, ramp_frames);
    }
}

void solo_apply(rcore_t *core, uint32_t ramp_frames) RCORE_RT {
    if (core->plan == NULL) {
        return;
    }
    mark_below(core);
    mark_above(core);
    core->any_prepared = true; // to be looked at
    for (uint32_t i = 0; i < core->plan->bus_count; i++) {
        struct bus_state *bus = state_of(core, i);
        const bool any = root_of(core, i)->soloed_under;
        const bool chosen = !any || bus->below || core->plan->buses[i].description.solo_safe;
        go(&bus->audible, !bus->muted && (chosen || bus->above), bus->fresh ? 0 : ramp_frames);
        // Where all of the bus is silent, so is what is played there: fading both would be a square.
        go(&bus->played, chosen || !bus->above, bus->fresh ? 0 : ramp_frames);
    }
}
