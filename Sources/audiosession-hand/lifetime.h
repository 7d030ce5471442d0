/// Where controls begin, connect again and end.
#ifndef HAND_LIFETIME_H
#define HAND_LIFETIME_H

#include "controls.h"

/// Begins to alter a stream, after the journal names it. If the journal named it before, assumes
/// that it is altered. Returns NULL with the reason on failure.
control_t *lifetime_begin(controls_t *controls, stream_t *stream, const char **reason);
/// Returns what alters a stream, unless it is about to end: then another may take its place.
control_t *lifetime_current(stream_t *stream);
void lifetime_end(control_t *control);
/// The worker: connects again and ends what the controls have requested. Its data is the controls.
void lifetime_work(void *data, uint64_t count);

#endif
