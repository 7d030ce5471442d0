/// Commands on their way into the cycle: the queues, and a heap of those that are not yet due.
#ifndef RCORE_COMMANDS_H
#define RCORE_COMMANDS_H

#include "queue/command.h"

/// A command that is not yet due.
struct pending_command {
    struct command command;
    /// Keeps the order of commands for one time.
    uint64_t order;
};

struct command_state {
    struct rcore_queue *queues;
    /// Binary heap by (when, order). [render]
    struct pending_command *pending;
    uint32_t pending_count;
    /// Number of them that the cycle has scheduled.
    uint32_t scheduled_count;
    uint64_t next_order;
};

/// Applies pending and newly posted commands that are due; stores the others. [render]
void commands_take(rcore_t *core) RCORE_RT;
/// Applies the pending commands that are due.
void commands_apply(rcore_t *core) RCORE_RT;
/// Returns the frames until the next command is due, at most `nframes`.
uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;

#endif
