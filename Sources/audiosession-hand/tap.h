/// A tap of a stream: a filter node of this process that receives what the stream plays, and
/// compares its level with a threshold.
///
/// Its links are made here, to the ports of one node, and are passive. So a session manager neither
/// sees it nor connects it with another source, it keeps no node running, and mixers do not show a
/// recording. A tap has a connection to PipeWire of its own: when that closes, everything of it is
/// gone.
#ifndef HAND_TAP_H
#define HAND_TAP_H

#include "pipewire_headers.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/// What the thread of the taps and the loop share about one stream.
typedef struct meter {
    /// The amplitude above which the stream is heard; INFINITY: it cannot be.
    _Atomic float level;
    /// When it last was, by ramp_now; 0: never.
    _Atomic int64_t heard_at;
    /// The cycles in which the tap had samples.
    _Atomic uint64_t cycles;
    /// Signals `event` when the stream is heard, once.
    atomic_bool is_awaited;
    struct pw_loop *loop;
    struct spa_source *event;
} meter_t;

typedef struct tap tap_t;

/// Called from the loop. The tap must not be closed in these calls.
typedef struct tap_events {
    /// The tap is connected, again if the stream's ports or links have changed.
    void (*built)(void *data);
    /// The tap cannot work, or no longer.
    void (*failed)(void *data, const char *reason);
} tap_events_t;

/// Connects to the node with this id and serial. Returns NULL with errno on failure. The meter and
/// the events must outlive the tap.
tap_t *tap_open(struct pw_context *context, const char *remote, uint32_t id, uint64_t serial, meter_t *meter,
                const tap_events_t *events, void *data);
void tap_close(tap_t *tap);

#endif
