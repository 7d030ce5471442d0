/// Commands that are not yet due. All functions [render].
#ifndef RCORE_PENDING_H
#define RCORE_PENDING_H

#include "queue/command.h"

/// Adds a command, for which there is room.
void pending_add(rcore_t *core, struct command command) RCORE_RT;
/// Removes the earliest command; there is one.
struct command pending_remove_first(rcore_t *core) RCORE_RT;
/// Schedules a command from within the cycle, after those that are already pending for its time.
/// Returns false if there is no room: besides the timed commands of the queues,
/// RCORE_MAX_MIDI_EVENTS and one for each voice of the pool have room. The caller sets no `queue`.
bool commands_schedule(rcore_t *core, struct command command) RCORE_RT;

#endif
