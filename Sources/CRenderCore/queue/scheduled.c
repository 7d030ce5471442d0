// Commands that the cycle itself schedules.
#include "queue/scheduled.h"

#include "core/core.h"
#include "queue/pending.h"

bool commands_schedule(rcore_t *core, struct command command) RCORE_RT {
    if (core->commands.scheduled_count == RCORE_MAX_MIDI_EVENTS) {
        return false;
    }
    core->commands.scheduled_count += 1;
    command.queue = NO_QUEUE;
    pending_add(&core->commands.pending, command);
    return true;
}
