/// A connection to PipeWire that alters one node, and nothing else.
///
/// PipeWire reads no further message of a connection that has set a parameter until the node's
/// program has applied it. With a connection for each node, a program that has stopped delays the
/// commands for its own streams only.
#ifndef HAND_NODE_LINK_H
#define HAND_NODE_LINK_H

#include "pipewire_headers.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct node_link node_link_t;

/// No function may close the link; it may be closed later, from the loop.
typedef struct node_link_events {
    /// The node is the one with the serial: it may be altered.
    void (*ready)(void *data);
    /// A round trip has ended: everything before it is in effect.
    void (*done)(void *data);
    /// PipeWire refused something, or the connection has ended.
    void (*failed)(void *data, int error);
} node_link_events_t;

/// Connects to the node. `remote`: name of the server; NULL: the default one. Returns NULL with
/// errno on failure.
node_link_t *node_link_open(struct pw_context *context, const char *remote, uint32_t id, uint64_t serial,
                            const node_link_events_t *events, void *data);
void node_link_close(node_link_t *link);
/// Sets SPA_PROP_channelVolumes or SPA_PROP_softVolumes.
void node_link_set_volumes(node_link_t *link, uint32_t property, const float *values, uint32_t count);
/// Sends SPA_NODE_COMMAND_Start or SPA_NODE_COMMAND_Pause.
void node_link_send(node_link_t *link, enum spa_node_command command);
/// Begins a round trip.
void node_link_sync(node_link_t *link);

#endif
