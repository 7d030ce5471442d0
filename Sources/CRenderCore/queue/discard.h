/// Discards commands for beats of a pass that has ended.
#ifndef RCORE_DISCARD_H
#define RCORE_DISCARD_H

#include "queue/command.h"

/// Discards a command for a beat, or carries it out if it ends a sound, and frees its place. The
/// voice of a start ends. [render]
void discard(rcore_t *core, const struct command *command) RCORE_RT;

#endif
