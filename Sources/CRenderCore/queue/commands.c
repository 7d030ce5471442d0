// Takes commands from the rings of the queues and applies them.
#include "queue/commands.h"

#include "core/core.h"
#include "core/counters.h"
#include "midi/midi.h"
#include "mix/curves.h"
#include "queue/command.h"
#include "queue/discard.h"
#include "queue/execute.h"
#include "queue/queue.h"
#include "transport/clock.h"
#include "transport/transport.h"

// Carries out a ramp that is nonlinear or ends at a beat: as a linear one, which a curve then
// drives.
static bool execute_curved(rcore_t *core, const struct command *command) RCORE_RT {
    const uint64_t until = command_until(command);
    struct command ramp = *command;
    if (until != 0) {
        if (!time_is_in_pass(&core->transport, until)) { // it has ended since the curve was due
            curves_release(core);
            return true;
        }
        ramp.ramp_frames = clock_frames_through(&core->transport, until);
    }
    const float from = curves_value(core, &ramp);
    const bool is_heard = execute(core, &ramp);
    curves_begin(core, &ramp, from, until);
    return is_heard;
}

static bool carry_out(rcore_t *core, const struct command *command) RCORE_RT {
    // A beat that is not heard has passed when the session resumes.
    if (command->kind == COMMAND_START && time_is_beat(command->when) && execute_is_suspended(core, command)) {
        execute_end_waiting(core, command, RCORE_NONE);
        return false;
    }
    switch (command->kind) {
    case COMMAND_TRANSPORT_START:
    case COMMAND_TRANSPORT_STOP:
    case COMMAND_TRANSPORT_LOCATE:
    case COMMAND_TRANSPORT_SOURCE:
    case COMMAND_TRANSPORT_RENEW:
        if (transport_apply(core, command)) {
            commands_begin_pass(core);
        }
        return true;
    case COMMAND_MIDI:
        if (midi_deliver(core, command->slot, command->midi, command->midi_size)) {
            commands_begin_pass(core);
        }
        return true;
    default:
        return command->curve != RCORE_CURVE_LINEAR ? execute_curved(core, command) : execute(core, command);
    }
}

// Carries out a command, counts it if it is late, and frees its place among the queue's timed
// commands, or among those that the cycle has scheduled.
static void apply(rcore_t *core, const struct command *command, bool is_late) RCORE_RT {
    if (command->queue == NO_QUEUE) {
        core->commands.scheduled_count -= 1;
        (void)carry_out(core, command);
        return;
    }
    const bool is_heard = carry_out(core, command);
    if (command->when != RCORE_NOW) {
        if (is_late || !is_heard) {
            add_to_counter(&core->counters.late_commands, 1);
        }
        queue_did_apply(&core->commands.queues[command->queue]);
    }
}

// Returns the frames until the first command for a beat is due; negative: it is late; INT64_MAX:
// none will be due.
static int64_t frames_until_beat(const rcore_t *core) RCORE_RT {
    if (core->commands.beats.count == 0 || !core->transport.is_rolling) {
        return INT64_MAX;
    }
    return clock_frames_until(&core->transport, core->commands.beats.commands[0].command.when);
}

// Applies the pending commands for frames that are due.
static void apply_frames(rcore_t *core) RCORE_RT {
    struct pending_heap *pending = &core->commands.pending;
    while (pending->count > 0 && pending->commands[0].command.when <= core_now(core)) {
        const struct command first = pending_remove_first(pending);
        apply(core, &first, first.when < core_now(core));
    }
}

// Returns whether a command for a beat, which is due, takes effect with the next frame: a curve
// that ends later. On the frame of its beat, the parameter has the value from which it begins.
static bool begins_after_beat(const rcore_t *core, const struct command *command) RCORE_RT {
    const uint64_t until = command_until(command);
    return until != 0 && clock_frames_until(&core->transport, until) > 0;
}

void commands_apply(rcore_t *core) RCORE_RT {
    for (;;) {
        // Each command may change which ones are due: it may start, stop or move the transport.
        apply_frames(core);
        const int64_t until_beat = frames_until_beat(core);
        if (until_beat > 0) {
            return;
        }
        struct command first = pending_remove_first(&core->commands.beats);
        if (until_beat == 0 && begins_after_beat(core, &first)) {
            first.when = core_now(core) + 1;
            pending_add(&core->commands.pending, first); // which has room for all
        } else {
            apply(core, &first, until_beat < 0);
        }
    }
}

void commands_begin_pass(rcore_t *core) RCORE_RT {
    while (core->commands.beats.count > 0) {
        const struct command first = pending_remove_first(&core->commands.beats);
        discard(core, &first);
    }
}

// Stores a posted command for a beat, or discards it if its pass has ended. The heaps have room:
// queue_reserve limits the timed commands of each queue.
static void take_beat(rcore_t *core, const struct command *command) RCORE_RT {
    if (time_is_in_pass(&core->transport, command->when)) {
        pending_add(&core->commands.beats, *command);
    } else {
        discard(core, command);
    }
}

// Applies the posted commands of a queue that are due, and moves the others to the heaps. Releases
// them when it has taken all, so that it takes at most as many as the ring holds. Not inlined: a
// cycle without commands would save registers that it does not use.
__attribute__((noinline)) static void drain_queue(rcore_t *core, struct command_ring *ring) RCORE_RT {
    uint64_t taken = 0;
    for (const struct command *command; (command = command_ring_read_slot(ring, taken)) != NULL; taken++) {
        if (command->when <= core_now(core)) {
            apply(core, command, command->when < core_now(core));
        } else if (time_is_beat(command->when)) {
            take_beat(core, command);
        } else {
            pending_add(&core->commands.pending, *command);
        }
    }
    command_ring_did_read(ring, taken);
}

void commands_take(rcore_t *core) RCORE_RT {
    // Before those for beats: a command that stops or moves the transport here is first.
    apply_frames(core);
    struct rcore_queue *const end = core->commands.queues + core->config.max_queues;
    for (struct rcore_queue *queue = core->commands.queues; queue < end; queue++) {
        if (command_ring_read_slot(&queue->ring, 0) != NULL) {
            drain_queue(core, &queue->ring);
        }
    }
    if (core->commands.beats.count > 0) {
        commands_apply(core);
    }
}

uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT {
    if (core->commands.pending.count > 0) {
        const uint64_t distance = core->commands.pending.commands[0].command.when - core_now(core);
        nframes = distance < nframes ? (uint32_t)distance : nframes;
    }
    if (core->commands.beats.count > 0) {
        const int64_t distance = frames_until_beat(core);
        nframes = distance < nframes ? (uint32_t)distance : nframes;
    }
    return nframes;
}
