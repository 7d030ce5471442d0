/// One step of what alters a stream. See Documentation/Decisions/0063-stream-controller.md.
#ifndef HAND_CONTROL_H
#define HAND_CONTROL_H

#include "controls.h"

#define CONTROL_NO_VOLUME "the stream has no volume, it can only be held"

/// Connects to the stream's node. Returns false with errno on failure.
bool control_connect(control_t *control);
/// Sends what the requested state needs next, unless a round trip is in progress, and reports the
/// state when it is reached.
void control_advance(control_t *control);
/// Has the worker connect again. After too many failures, refuses the command, and has the stream
/// freed by later attempts.
void control_fail(control_t *control, int error);

#endif
