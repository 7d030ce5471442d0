// Takes commands from the rings of the queues and applies them.
#include "queue/commands.h"

#include "core/core.h"
#include "core/counters.h"
#include "graph/crossfade.h"
#include "midi/midi.h"
#include "mix/buses.h"
#include "mix/curves.h"
#include "mix/ramp.h"
#include "mix/solo.h"
#include "queue/pending.h"
#include "queue/queue.h"
#include "voices/voice.h"
#include "voices/voices.h"

// Ends the voices on a bus slot (RCORE_NONE: all) whose start is pending. Other commands to them
// then have no effect.
static void stop_waiting(rcore_t *core, uint32_t slot) RCORE_RT {
    for (uint32_t i = 0; i < core->commands.pending_count; i++) {
        const struct command *command = &core->commands.pending[i].command;
        const struct voice *voice = command->kind == COMMAND_START ? voice_find(core, command->voice) : NULL;
        // The cycle owns a waiting voice, whose start was posted. A voice that has ended may have
        // been acquired again.
        const uint64_t status = voice != NULL ? atomic_load_explicit(&voice->status, memory_order_acquire) : 0;
        const bool waits = status >> 32 == command->voice >> 32 && status_state(status) == RCORE_VOICE_WAITING;
        if (waits && (slot == RCORE_NONE || voice->params.bus == slot)) {
            const struct command stop = {.kind = COMMAND_STOP, .voice = command->voice};
            (void)voice_apply(core, &stop);
        }
    }
}

// Moves the envelope of a note's voice, unless it must wait.
static void move_envelope(rcore_t *core, const struct command *command) RCORE_RT {
    const uint32_t wait = voice_envelope_wait(core, command->voice);
    if (wait == 0) {
        (void)voice_apply(core, command);
        return;
    }
    struct command later = *command;
    later.when = core_now(core) + wait;
    (void)commands_schedule(core, later); // has room: this command has just left
}

// Carries out a command. Returns false if it is for the gain or pan of a suspended bus, or for a
// voice of a suspended session: its effect is then heard only after the session has resumed.
static bool execute(rcore_t *core, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_PLAN:
        // If a newer plan was already applied, the control thread may have freed this one.
        if (command->serial > core->graph.crossfade.newest_serial) {
            crossfade_begin(core, command->plan);
        }
        break;
    case COMMAND_STOP_ALL:
        stop_waiting(core, command->slot);
        voices_stop(core, command->slot, command->ramp_frames);
        break;
    case COMMAND_BUS_GAIN:
        curves_end(core, command->kind, command->slot);
        ramp_to(&core->mix.buses[command->slot].gain, command->value, command->ramp_frames);
        bus_set_due(core, command->slot);
        return !core->mix.buses[command->slot].suspended;
    case COMMAND_BUS_PAN:
        curves_end(core, command->kind, command->slot);
        ramp_to(&core->mix.buses[command->slot].pan, command->value, command->ramp_frames);
        bus_set_due(core, command->slot);
        return !core->mix.buses[command->slot].suspended;
    case COMMAND_BUS_MUTE:
        core->mix.buses[command->slot].muted = command->value != 0.0f;
        solo_apply(core, command->ramp_frames);
        break;
    case COMMAND_BUS_SOLO:
        core->mix.buses[command->slot].soloed = command->value != 0.0f;
        solo_apply(core, command->ramp_frames);
        break;
    case COMMAND_SEND_LEVEL:
        curves_end(core, command->kind, command->slot);
        ramp_to(&core->mix.sends[command->slot].level, command->value, command->ramp_frames);
        break;
    case COMMAND_INPUT_GAIN:
        curves_end(core, command->kind, command->slot);
        ramp_to(&core->inputs.slots[command->slot].gain, command->value, command->ramp_frames);
        break;
    case COMMAND_MIDI:
        midi_deliver(core, command->slot, command->midi, command->midi_size);
        break;
    case COMMAND_ENVELOPE:
        move_envelope(core, command);
        break;
    default:
        return voice_apply(core, command);
    }
    return true;
}

// Carries out a nonlinear ramp: as a linear one, which a curve then drives.
static bool execute_curved(rcore_t *core, const struct command *command) RCORE_RT {
    const float from = curves_value(core, command);
    const bool is_heard = execute(core, command);
    curves_begin(core, command, from);
    return is_heard;
}

// Carries out a command, counts it if it is late, and frees its place among the queue's timed
// commands, or among those that the cycle has scheduled.
static void apply(rcore_t *core, const struct command *command) RCORE_RT {
    if (command->queue == NO_QUEUE) {
        core->commands.scheduled_count -= 1;
        (void)execute(core, command);
        return;
    }
    const bool curved = command->curve != RCORE_CURVE_LINEAR;
    const bool is_heard = curved ? execute_curved(core, command) : execute(core, command);
    if (command->when != RCORE_NOW && (!is_heard || command->when < core_now(core))) {
        add_to_counter(&core->counters.late_commands, 1);
    }
    if (command->when != RCORE_NOW) {
        // Release: the command no longer occupies the heap.
        _Atomic(uint64_t) *done = &core->commands.queues[command->queue].timed_applied;
        atomic_store_explicit(done, atomic_load_explicit(done, memory_order_relaxed) + 1, memory_order_release);
    }
}

void commands_apply(rcore_t *core) RCORE_RT {
    while (core->commands.pending_count > 0 && core->commands.pending[0].command.when <= core_now(core)) {
        const struct command first = pending_remove_first(core);
        apply(core, &first);
    }
}

// Applies the posted commands of a queue that are due, and moves the others to the heap. Releases
// them when it has taken all, so that it takes at most as many as the ring holds. Not inlined: a
// cycle without commands would save registers that it does not use.
__attribute__((noinline)) static void drain_queue(rcore_t *core, struct command_ring *ring) RCORE_RT {
    uint64_t taken = 0;
    for (const struct command *command; (command = command_ring_read_slot(ring, taken)) != NULL; taken++) {
        if (command->when <= core_now(core)) {
            apply(core, command);
        } else {
            // The heap has room: queue_reserve limits the timed commands of each queue.
            pending_add(core, *command);
        }
    }
    command_ring_did_read(ring, taken);
}

void commands_take(rcore_t *core) RCORE_RT {
    commands_apply(core);
    struct rcore_queue *const end = core->commands.queues + core->config.max_queues;
    for (struct rcore_queue *queue = core->commands.queues; queue < end; queue++) {
        if (command_ring_read_slot(&queue->ring, 0) != NULL) {
            drain_queue(core, &queue->ring);
        }
    }
}

uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->commands.pending_count == 0) {
        return nframes;
    }
    const uint64_t distance = core->commands.pending[0].command.when - core_now(core);
    return distance < nframes ? (uint32_t)distance : nframes;
}
