/// Requests for streams: by commands, and for repairs and the end.
#ifndef HAND_REQUESTS_H
#define HAND_REQUESTS_H

#include "controls.h"
#include "lines.h"

/// Returns false with errno on failure. `remote`: name of the server; NULL: the default one.
bool requests_begin(controls_t *controls, struct pw_loop *loop, struct pw_context *context, const char *remote,
                    journal_t *journal, streams_t *streams);
void requests_end(controls_t *controls);
void requests_execute(controls_t *controls, const command_t *command);
/// Frees the streams in the journal, which an earlier process has altered. Calls `all_free` as
/// requests_free_all does; requests_resume makes it accept commands again, and goes on with streams
/// that are not free yet.
void requests_repair(controls_t *controls);
void requests_resume(controls_t *controls);
/// Frees all streams, and calls `all_free` once they are free, or PipeWire does not confirm it.
void requests_free_all(controls_t *controls);
/// Call this when PipeWire has reported something about a stream.
void requests_stream_changed(stream_t *stream);
/// Call this before a stream is removed.
void requests_stream_gone(stream_t *stream);

#endif
