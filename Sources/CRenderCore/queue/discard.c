// Commands for beats whose pass has ended. What would begin is discarded, and what ends one sound
// is carried out at once: otherwise, the sounds that have begun in the pass would last forever.
// What ends all sounds of a bus or channel is discarded: it would end those of others as well.
#include "queue/discard.h"

#include "core/core.h"
#include "mix/curves.h"
#include "queue/execute.h"
#include "queue/queue.h"

// Returns whether a MIDI message ends notes: a note-off, or the release of the sustain or sostenuto
// pedal.
static bool message_ends_notes(const struct command *command) RCORE_RT {
    const uint8_t *midi = command->midi;
    if (command->midi_size < 3) {
        return false;
    }
    switch (midi[0] & 0xF0) {
    case 0x80:
        return true;
    case 0x90:
        return midi[2] == 0;
    case 0xB0:
        return (midi[1] == 64 || midi[1] == 66) && midi[2] < 64;
    default:
        return false;
    }
}

static bool ends_sound(const struct command *command) RCORE_RT {
    switch (command->kind) {
    case COMMAND_STOP:
    case COMMAND_LEAVE_LOOP:
        return true;
    case COMMAND_MIDI:
        return message_ends_notes(command);
    default:
        return false;
    }
}

void discard(rcore_t *core, const struct command *command) RCORE_RT {
    if (command->kind == COMMAND_START) {
        execute_end_waiting(core, command, RCORE_NONE);
    } else if (ends_sound(command)) {
        (void)execute(core, command);
    }
    if (command->curve != RCORE_CURVE_LINEAR) {
        curves_release(core);
    }
    queue_did_apply(&core->commands.queues[command->queue]);
}
