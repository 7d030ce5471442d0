// Commands, from the ring to their effect. Those not yet due wait in a heap ordered by time, then by arrival.
#include "core.h"

static bool earlier(const struct command *a, const struct command *b) RCORE_RT {
    return a->when != b->when ? a->when < b->when : a->order < b->order;
}

static void heap_push(rcore_t *core, struct command command) RCORE_RT {
    uint32_t hole = core->pending_count++;
    while (hole > 0) {
        const uint32_t parent = (hole - 1) / 2;
        if (!earlier(&command, &core->pending[parent])) {
            break;
        }
        core->pending[hole] = core->pending[parent];
        hole = parent;
    }
    core->pending[hole] = command;
}

static struct command heap_pop(rcore_t *core) RCORE_RT {
    const struct command first = core->pending[0];
    const struct command last = core->pending[--core->pending_count];
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= core->pending_count) {
            break;
        }
        if (child + 1 < core->pending_count && earlier(&core->pending[child + 1], &core->pending[child])) {
            child += 1;
        }
        if (!earlier(&core->pending[child], &last)) {
            break;
        }
        core->pending[hole] = core->pending[child];
        hole = child;
    }
    core->pending[hole] = last;
    return first;
}

// Slots that the new plan has and the old one had not begin afresh; those that are gone are silence.
static void plan_apply(rcore_t *core, const rcore_plan_t *plan) RCORE_RT {
    const rcore_plan_t *old = core->plan;
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        if (core->buses[bus->slot].channels == 0) {
            bus_reset(&core->buses[bus->slot]);
        }
    }
    for (uint32_t i = 0; old != NULL && i < old->bus_count; i++) {
        core->buses[old->buses[i].description.slot].channels = 0;
    }
    for (uint32_t i = 0; i < plan->bus_count; i++) {
        const rcore_bus_description_t *bus = &plan->buses[i].description;
        core->buses[bus->slot].channels = bus->channels;
    }
    for (uint32_t i = 0; old != NULL && i < old->bus_count; i++) {
        struct bus_state *state = &core->buses[old->buses[i].description.slot];
        if (state->channels == 0) {
            bus_reset(state);
        }
    }
    core->plan = plan;
    // Release: what the cycle read of older plans is done with.
    atomic_store_explicit(&core->applied_serial, plan->serial, memory_order_release);
    event_post(
        core, (rcore_event_t){
                  .kind = RCORE_EVENT_PLAN_APPLIED, .bus = RCORE_NONE, .frame = core_now(core), .value = plan->serial});
    gates_read(core);
}

static void apply(rcore_t *core, const struct command *command) RCORE_RT {
    bool on_time = command->when == RCORE_NOW || command->when >= core_now(core);
    switch (command->kind) {
    case COMMAND_PLAN:
        // Not looked at when a newer one is in use: control may have freed it.
        if (command->serial > atomic_load_explicit(&core->applied_serial, memory_order_relaxed)) {
            plan_apply(core, command->plan);
        }
        break;
    case COMMAND_BUS_GAIN:
        on_time &= command->when == RCORE_NOW || !core->buses[command->bus].frozen;
        ramp_go(&core->buses[command->bus].gain, command->gain, command->ramp_frames);
        break;
    default:
        on_time &= voice_apply(core, command) || command->when == RCORE_NOW;
        break;
    }
    if (!on_time) {
        count_up(&core->counters.late_commands, 1);
    }
    if (command->when != RCORE_NOW) {
        // Release: its place in the heap is free.
        atomic_store_explicit(&core->timed_done, atomic_load_explicit(&core->timed_done, memory_order_relaxed) + 1,
                              memory_order_release);
    }
}

void commands_apply(rcore_t *core) RCORE_RT {
    while (core->pending_count > 0 && core->pending[0].when <= core_now(core)) {
        const struct command command = heap_pop(core);
        apply(core, &command);
    }
}

void commands_take(rcore_t *core) RCORE_RT {
    commands_apply(core);
    uint64_t waiting = ring_readable(&core->command_ring, core->config.command_capacity);
    for (; waiting > 0; waiting--) {
        struct command command = core->commands[ring_read_slot(&core->command_ring, 0)];
        if (command.when <= core_now(core)) {
            apply(core, &command);
        } else {
            command.order = core->next_order++;
            heap_push(core, command); // has room: control posts no more timed commands than it holds
        }
        ring_did_read(&core->command_ring, 1);
    }
}

uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->pending_count == 0) {
        return nframes;
    }
    const uint64_t distance = core->pending[0].when - core_now(core);
    return distance < nframes ? (uint32_t)distance : nframes;
}
