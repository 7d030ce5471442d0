/// Whether streams are heard, as their taps hear them.
#ifndef HAND_DETECTION_H
#define HAND_DETECTION_H

#include "lines.h"
#include "pipewire_headers.h"
#include "streams.h"

typedef struct detections {
    struct spa_list list;
    struct pw_loop *loop;
    struct pw_context *context;
    const char *remote;
    streams_t *streams;
    struct spa_source *timer;
    /// Signalled by a tap that hears its stream, and to end detections from the loop.
    struct spa_source *worker;
} detections_t;

bool detections_begin(detections_t *detections, struct pw_loop *loop, struct pw_context *context, const char *remote,
                      streams_t *streams);
/// Has all taps closed from the loop. Nothing is reported any longer.
void detections_stop(detections_t *detections);
void detections_end(detections_t *detections);
void detections_execute(detections_t *detections, const command_t *command);

/// Our own attenuation of a stream, in decibels, is set, or has just been: the tap hears what
/// remains.
void detection_set_attenuation(stream_t *stream, double attenuation);
/// Something about a stream has changed.
void detection_stream_changed(stream_t *stream);
void detection_stream_gone(stream_t *stream);

#endif
