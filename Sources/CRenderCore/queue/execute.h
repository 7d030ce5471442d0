/// Carries out commands. All functions [render].
#ifndef RCORE_EXECUTE_H
#define RCORE_EXECUTE_H

#include "queue/command.h"

/// Carries out a command, other than a COMMAND_TRANSPORT_…; a ramp as a linear one. Returns false
/// if it is for the gain or pan of a suspended bus, or for a voice of a suspended session: its
/// effect is then heard only after the session has resumed.
bool execute(rcore_t *core, const struct command *command) RCORE_RT;
/// Ends the voice of a start command that was posted and not carried out, if it is on a bus slot
/// (RCORE_NONE: any) and still waits.
void execute_end_waiting(rcore_t *core, const struct command *start, uint32_t slot) RCORE_RT;
/// Returns whether a start command is for a bus that is suspended.
bool execute_is_suspended(const rcore_t *core, const struct command *start) RCORE_RT;

#endif
