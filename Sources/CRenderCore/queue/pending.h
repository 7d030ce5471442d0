/// Commands that are not yet due: a binary heap by time, then by arrival. All functions [render].
#ifndef RCORE_PENDING_H
#define RCORE_PENDING_H

#include "queue/command.h"

/// A command that is not yet due.
struct pending_command {
    struct command command;
    /// Keeps the order of commands for one time.
    uint64_t order;
};

struct pending_heap {
    struct pending_command *commands;
    uint32_t count;
    uint64_t next_order;
};

/// Adds a command, for which there is room.
void pending_add(struct pending_heap *heap, struct command command) RCORE_RT;
/// Removes the earliest command; there is one.
struct command pending_remove_first(struct pending_heap *heap) RCORE_RT;

#endif
