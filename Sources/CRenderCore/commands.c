// Commands, from the ports' rings to their effect. Those not yet due wait in a heap ordered by time, then by arrival.
#include "curves.h"

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

// Voices whose start waits for its time never begin; their commands find them ended.
static void stop_waiting(rcore_t *core, uint32_t slot) RCORE_RT {
    for (uint32_t i = 0; i < core->pending_count; i++) {
        const struct command *command = &core->pending[i];
        const struct voice *voice = command->kind == COMMAND_START ? voice_find(core, command->voice) : NULL;
        // One that waits is the cycle's, for its start was posted; one that has ended may be another's by now.
        const uint64_t status = voice != NULL ? atomic_load_explicit(&voice->status, memory_order_acquire) : 0;
        const bool waits = status >> 32 == command->voice >> 32 && status_state(status) == RCORE_VOICE_WAITING;
        if (waits && (slot == RCORE_NONE || voice->params.bus == slot)) {
            const struct command stop = {.kind = COMMAND_STOP, .voice = command->voice};
            (void)voice_apply(core, &stop);
        }
    }
}

// False: it came in a pause of its session.
static bool take_effect(rcore_t *core, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_PLAN:
        // Not looked at when a newer one was due: control may have freed it.
        if (command->serial > core->swap.newest_serial) {
            swap_begin(core, command->plan);
        }
        break;
    case COMMAND_STOP_ALL:
        stop_waiting(core, command->slot);
        voices_stop(core, command->slot, command->ramp_frames);
        break;
    case COMMAND_BUS_GAIN:
        curves_end(core, command->kind, command->slot);
        ramp_go(&core->buses[command->slot].gain, command->value, command->ramp_frames);
        return !core->buses[command->slot].frozen;
    case COMMAND_BUS_PAN:
        curves_end(core, command->kind, command->slot);
        ramp_go(&core->buses[command->slot].pan, command->value, command->ramp_frames);
        return !core->buses[command->slot].frozen;
    case COMMAND_BUS_MUTE:
        core->buses[command->slot].muted = command->value != 0.0f;
        solo_apply(core, command->ramp_frames);
        break;
    case COMMAND_BUS_SOLO:
        core->buses[command->slot].soloed = command->value != 0.0f;
        solo_apply(core, command->ramp_frames);
        break;
    case COMMAND_SEND_LEVEL:
        curves_end(core, command->kind, command->slot);
        ramp_go(&core->sends[command->slot].level, command->value, command->ramp_frames);
        break;
    case COMMAND_INPUT_GAIN:
        curves_end(core, command->kind, command->slot);
        ramp_go(&core->inputs[command->slot].gain, command->value, command->ramp_frames);
        break;
    default:
        return voice_apply(core, command);
    }
    return true;
}

static bool take_effect_curved(rcore_t *core, const struct command *command) RCORE_RT {
    const float from = curves_value(core, command);
    const bool running = take_effect(core, command);
    curves_begin(core, command, from);
    return running;
}

static void apply(rcore_t *core, const struct command *command) RCORE_RT {
    const bool curved = command->curve != RCORE_CURVE_LINEAR;
    const bool running = curved ? take_effect_curved(core, command) : take_effect(core, command);
    if (command->when != RCORE_NOW && (!running || command->when < core_now(core))) {
        count_up(&core->counters.late_commands, 1);
    }
    if (command->when != RCORE_NOW) {
        // Release: its place in the heap is free.
        _Atomic(uint64_t) *done = &core->ports[command->port].timed_done;
        atomic_store_explicit(done, atomic_load_explicit(done, memory_order_relaxed) + 1, memory_order_release);
    }
}

void commands_apply(rcore_t *core) RCORE_RT {
    while (core->pending_count > 0 && core->pending[0].when <= core_now(core)) {
        const struct command command = heap_pop(core);
        apply(core, &command);
    }
}

static void take_from(rcore_t *core, struct rcore_port *port) RCORE_RT {
    const uint64_t waiting = ring_readable(&port->ring, port->ring.capacity);
    for (uint64_t i = 0; i < waiting; i++) {
        struct command command = port->commands[ring_read_slot(&port->ring, i)];
        if (command.when <= core_now(core)) {
            apply(core, &command);
        } else {
            command.order = core->next_order++;
            heap_push(core, command); // has room: no port posts more timed commands than it holds
        }
    }
    if (waiting > 0) {
        ring_did_read(&port->ring, waiting);
    }
}

void commands_take(rcore_t *core) RCORE_RT {
    commands_apply(core);
    for (uint32_t i = 0; i < core->config.max_ports; i++) {
        take_from(core, &core->ports[i]);
    }
}

uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->pending_count == 0) {
        return nframes;
    }
    const uint64_t distance = core->pending[0].when - core_now(core);
    return distance < nframes ? (uint32_t)distance : nframes;
}
