/// Watches the streams of other programs and their clients, and what undoes a hold.
#ifndef HAND_WATCH_H
#define HAND_WATCH_H

#include "controls.h"
#include "pipewire_headers.h"
#include "streams.h"

typedef struct watch {
    struct pw_core *core;
    struct pw_registry *registry;
    struct spa_hook registry_listener;
    streams_t *streams;
    journal_t *journal;
} watch_t;

/// Returns false with errno on failure.
bool watch_begin(watch_t *watch, struct pw_core *core, streams_t *streams, journal_t *journal);
void watch_end(watch_t *watch);

#endif
