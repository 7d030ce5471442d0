/// The filter of a tap: a node of this process with a port for each port of a stream, the links
/// between them, and the meter.
///
/// It is made for the ports that the stream has, and never changed, because its thread reads them.
#ifndef HAND_TAP_FILTER_H
#define HAND_TAP_FILTER_H

#include "tap.h"

/// Ports of a stream beyond these are not looked at.
enum { TAP_MAX_CHANNELS = 16 };

/// What a filter receives: the output ports of a node.
typedef struct tap_source {
    uint32_t node;
    uint32_t ports[TAP_MAX_CHANNELS];
    uint32_t count;
} tap_source_t;

typedef struct tap_filter tap_filter_t;

/// Called from the loop. The filter must not be destroyed in these calls.
typedef struct tap_filter_events {
    /// All links have been requested.
    void (*linked)(void *data);
    /// A link was removed (0) or refused (an error, negative).
    void (*unlinked)(void *data, int error);
    /// The filter cannot work, or no longer.
    void (*failed)(void *data, const char *reason);
} tap_filter_events_t;

/// `name` must be that of no other filter, of this process or another one. Returns NULL with errno
/// on failure.
tap_filter_t *tap_filter_new(struct pw_core *core, const char *name, const tap_source_t *source, meter_t *meter,
                             const tap_filter_events_t *events, void *data);
void tap_filter_destroy(tap_filter_t *filter);

/// Takes an input port that PipeWire has reported. After the last one of the filter, it makes the
/// links.
void tap_filter_add_port(tap_filter_t *filter, uint32_t id, const struct spa_dict *properties);

#endif
