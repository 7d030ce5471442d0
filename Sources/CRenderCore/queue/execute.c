// Carries out commands, whatever their time.
#include "queue/execute.h"

#include "core/core.h"
#include "graph/crossfade.h"
#include "midi/midi.h"
#include "mix/buses.h"
#include "mix/curves.h"
#include "mix/ramp.h"
#include "mix/solo.h"
#include "queue/pending.h"
#include "queue/scheduled.h"
#include "voices/voice.h"
#include "voices/voices.h"

void execute_end_waiting(rcore_t *core, const struct command *start, uint32_t slot) RCORE_RT {
    const struct voice *voice = voice_find(core, start->voice);
    // The cycle owns a waiting voice, whose start was posted. A voice that has ended may have been
    // acquired again.
    const uint64_t status = voice != NULL ? atomic_load_explicit(&voice->status, memory_order_acquire) : 0;
    const bool waits = status >> 32 == start->voice >> 32 && status_state(status) == RCORE_VOICE_WAITING;
    if (waits && (slot == RCORE_NONE || voice->params.bus == slot)) {
        const struct command stop = {.kind = COMMAND_STOP, .voice = start->voice};
        (void)voice_apply(core, &stop);
    }
}

bool execute_is_suspended(const rcore_t *core, const struct command *start) RCORE_RT {
    const struct voice *voice = voice_find(core, start->voice);
    return voice != NULL && voice_suspended(core, voice);
}

// Ends the voices on a bus slot (RCORE_NONE: all) whose start is pending. Other commands to them
// then have no effect.
static void stop_waiting(rcore_t *core, const struct pending_heap *heap, uint32_t slot) RCORE_RT {
    for (uint32_t i = 0; i < heap->count; i++) {
        if (heap->commands[i].command.kind == COMMAND_START) {
            execute_end_waiting(core, &heap->commands[i].command, slot);
        }
    }
}

bool execute(rcore_t *core, const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_PLAN:
        // If a newer plan was already applied, the control thread may have freed this one.
        if (command->serial > core->graph.crossfade.newest_serial) {
            crossfade_begin(core, command->plan);
        }
        break;
    case COMMAND_STOP_ALL:
        stop_waiting(core, &core->commands.pending, command->slot);
        stop_waiting(core, &core->commands.beats, command->slot);
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
        (void)midi_deliver(core, command->slot, command->midi, command->midi_size);
        break;
    default:
        return voice_apply(core, command);
    }
    return true;
}
