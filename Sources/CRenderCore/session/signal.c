// Signal detection on session buses.
#include "session/signal.h"

#include "core/core.h"
#include "mix/bus_state.h"

#include <math.h>

static bool is_present(const struct bus_state *bus) RCORE_RT {
    return atomic_load_explicit(&bus->signal.is_present, memory_order_relaxed);
}

static void set_present(rcore_t *core, struct bus_state *bus, bool present) RCORE_RT {
    atomic_store_explicit(&bus->signal.is_present, present, memory_order_relaxed);
    core->work.is_due = true;
}

static uint64_t hold_frames(const rcore_t *core) RCORE_RT {
    const uint64_t rate = atomic_load_explicit(&core->sample_rate, memory_order_relaxed);
    return rate * RCORE_SIGNAL_HOLD_MS / 1000;
}

static void record(rcore_t *core, struct bus_state *bus) RCORE_RT {
    bus->signal.last_frame = core_now(core);
    if (!is_present(bus)) {
        set_present(core, bus, true);
        const uint64_t end = bus->signal.last_frame + hold_frames(core);
        core->signals.next_check = end < core->signals.next_check ? end : core->signals.next_check;
    }
}

void signal_feed(rcore_t *core, const struct bus_state *bus) RCORE_RT {
    if (bus->session != NULL) {
        record(core, bus->session);
    }
}

void signal_scan(rcore_t *core, struct bus_state *bus, float *const *planes, uint32_t channels,
                 uint32_t nframes) RCORE_RT {
    if (is_present(bus) && bus->signal.last_frame == core_now(core)) {
        return; // a voice feeds it
    }
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            if (fabsf(planes[channel][i]) > RCORE_SIGNAL_THRESHOLD) {
                record(core, bus);
                return;
            }
        }
    }
}

static void assign(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    for (uint32_t i = 0; plan != NULL && i < plan->bus_count; i++) {
        const rcore_bus_description_t *root = &plan->buses[plan->buses[i].root].description;
        core->mix.buses[plan->buses[i].description.slot].session =
            root->gate != NULL ? &core->mix.buses[root->slot] : NULL;
    }
}

void signals_assign(rcore_t *core) RCORE_RT {
    assign(core, core->graph.crossfade.outgoing);
    assign(core, core->graph.plan);
}

void signals_expire(rcore_t *core) RCORE_RT {
    const uint64_t now = core_now(core);
    if (now < core->signals.next_check) {
        return;
    }
    const uint64_t hold = hold_frames(core);
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < core->gates.count; i++) {
        struct bus_state *bus = &core->mix.buses[core->gates.gated[i].slot];
        if (!is_present(bus)) {
            continue;
        }
        const uint64_t end = bus->signal.last_frame + hold;
        if (end <= now) {
            set_present(core, bus, false);
        } else if (end < next) {
            next = end;
        }
    }
    core->signals.next_check = next;
}

bool rcore_bus_has_signal(const rcore_t *core, uint32_t bus) RCORE_RT {
    return bus < core->config.max_buses && is_present(&core->mix.buses[bus]);
}
