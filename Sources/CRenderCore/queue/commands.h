/// Commands on their way into the cycle: the queues, and heaps of those that are not yet due.
#ifndef RCORE_COMMANDS_H
#define RCORE_COMMANDS_H

#include "queue/pending.h"

struct command_state {
    struct rcore_queue *queues;
    /// Commands for frames. [render]
    struct pending_heap pending;
    /// Commands for beats of the current pass. [render]
    struct pending_heap beats;
    /// Number of those in `pending` that the cycle has scheduled.
    uint32_t scheduled_count;
};

/// Begins a pass of the transport: discards all commands for beats of the previous one, or carries
/// them out if they end a sound. [render]
void commands_begin_pass(rcore_t *core) RCORE_RT;
/// Applies pending and newly posted commands that are due; stores the others. [render]
void commands_take(rcore_t *core) RCORE_RT;
/// Applies the pending commands that are due. [render]
void commands_apply(rcore_t *core) RCORE_RT;
/// Returns the frames until the next command is due, at most `nframes`. [render]
uint32_t commands_limit(const rcore_t *core, uint32_t nframes) RCORE_RT;

#endif
