/// One step of what alters a stream. See Documentation/Decisions/0063-stream-controller.md.
#ifndef HAND_CONTROL_H
#define HAND_CONTROL_H

#include "controls.h"

/// Connects to the stream's node. Returns false with errno on failure.
bool control_connect(control_t *control);
/// Sends what the requested state needs next, unless a round trip is in progress, and reports the
/// state when it is reached.
void control_advance(control_t *control);
/// Compares what PipeWire reports of the volumes with what was set, and sets it again if others
/// have changed it.
void control_compare(control_t *control);

#endif
