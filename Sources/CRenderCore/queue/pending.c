// Commands that are not yet due: a binary heap, ordered by time, then by arrival.
#include "queue/pending.h"

#include "core/core.h"

static bool earlier(const struct pending_command *a, const struct pending_command *b) RCORE_RT {
    return a->command.when != b->command.when ? a->command.when < b->command.when : a->order < b->order;
}

void pending_add(rcore_t *core, struct command command) RCORE_RT {
    const struct pending_command added = {command, core->commands.next_order++};
    uint32_t hole = core->commands.pending_count++;
    while (hole > 0) {
        const uint32_t parent = (hole - 1) / 2;
        if (!earlier(&added, &core->commands.pending[parent])) {
            break;
        }
        core->commands.pending[hole] = core->commands.pending[parent];
        hole = parent;
    }
    core->commands.pending[hole] = added;
}

struct command pending_remove_first(rcore_t *core) RCORE_RT {
    const struct command first = core->commands.pending[0].command;
    const struct pending_command last = core->commands.pending[--core->commands.pending_count];
    uint32_t hole = 0;
    for (;;) {
        uint32_t child = 2 * hole + 1;
        if (child >= core->commands.pending_count) {
            break;
        }
        if (child + 1 < core->commands.pending_count &&
            earlier(&core->commands.pending[child + 1], &core->commands.pending[child])) {
            child += 1;
        }
        if (!earlier(&core->commands.pending[child], &last)) {
            break;
        }
        core->commands.pending[hole] = core->commands.pending[child];
        hole = child;
    }
    core->commands.pending[hole] = last;
    return first;
}

bool commands_schedule(rcore_t *core, struct command command) RCORE_RT {
    if (core->commands.scheduled_count == RCORE_MAX_MIDI_EVENTS + core->config.max_voices) {
        return false;
    }
    core->commands.scheduled_count += 1;
    command.queue = NO_QUEUE;
    pending_add(core, command);
    return true;
}
