/// Events: from the cycle to control.
#ifndef RCORE_EVENTS_H
#define RCORE_EVENTS_H

#include "queue/ring.h"
#include "render_core.h"

struct event_state {
    struct ring ring;
    rcore_event_t *items;
};

/// Posts an event; counts it as dropped when the ring is full. [render]
void event_post(rcore_t *core, rcore_event_t event) RCORE_RT;

#endif
