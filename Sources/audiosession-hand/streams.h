/// The streams of other programs, and how they are reported.
#ifndef HAND_STREAMS_H
#define HAND_STREAMS_H

#include "output.h"
#include "pipewire_headers.h"
#include "volumes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct detection detection_t;

typedef struct stream {
    struct spa_list link;
    /// PipeWire's id of the node, which is used again, and its serial, which is not.
    uint32_t id;
    uint64_t serial;
    struct pw_node *node;
    struct spa_hook node_listener;
    void *owner;
    /// The node's properties; NULL until PipeWire has reported them.
    struct pw_properties *properties;
    enum pw_node_state state;
    bool has_outputs;
    /// Its parameter Props can be set.
    bool has_props;
    /// Its program does not apply the levels that are set.
    bool ignores_level;
    bool has_raw_format;
    bool has_encoded_format;
    volumes_t volumes;
    /// What was last reported of it; NULL: nothing.
    char *report;
    /// What alters it; NULL while nothing does.
    struct control *control;
    /// What observes whether it is heard; NULL while nothing does.
    detection_t *detection;
} stream_t;

typedef struct stream_client {
    struct spa_list link;
    uint32_t id;
    struct pw_client *client;
    struct spa_hook client_listener;
    void *owner;
    struct pw_properties *properties;
    /// The name of its process's program; empty if unknown.
    char program[32];
} stream_client_t;

typedef struct streams {
    struct spa_list streams;
    struct spa_list clients;
    output_t *output;
    /// Nothing is reported before.
    bool is_reporting;
} streams_t;

stream_t *streams_find(const streams_t *streams, uint64_t serial);
/// Returns whether a stream plays; otherwise it records.
bool stream_plays(const stream_t *stream);
/// Returns whether the level of a stream can be set.
bool stream_has_level(const stream_t *stream);
/// Returns whether the level of a stream can never be set. Before a stream runs, it may have no
/// volumes yet.
bool stream_is_hold_only(const stream_t *stream);
/// Reports a stream if anything about it has changed.
void streams_report(streams_t *streams, stream_t *stream);
/// Reports all streams.
void streams_begin_reporting(streams_t *streams);
/// Writes an event: a word, an ID and, if not NULL, a reason.
void streams_write(streams_t *streams, const char *word, uint64_t serial, const char *reason);

#endif
