/// Commands that the cycle itself schedules.
#ifndef RCORE_SCHEDULED_H
#define RCORE_SCHEDULED_H

#include "queue/command.h"

/// Schedules a command from within the cycle, after those that are already pending for its time.
/// Returns false if there is no room: besides the timed commands of the queues,
/// RCORE_MAX_MIDI_EVENTS have room. The caller sets no `queue`. [render]
bool commands_schedule(rcore_t *core, struct command command) RCORE_RT;

#endif
