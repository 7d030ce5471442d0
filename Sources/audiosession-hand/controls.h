/// What alters streams: the data, and the timer that drives them.
#ifndef HAND_CONTROLS_H
#define HAND_CONTROLS_H

#include "journal.h"
#include "node_link.h"
#include "ramp.h"
#include "streams.h"

typedef struct controls controls_t;

/// Alters one stream, from its first command until it is free again.
typedef struct control {
    struct spa_list link;
    controls_t *owner;
    /// NULL once the stream is gone.
    stream_t *stream;
    uint64_t serial;
    node_link_t *node;
    /// The node may be altered.
    bool is_ready;
    /// A round trip has not ended.
    bool is_waiting;
    int64_t waiting_since;
    /// The requested state: held, or running with the ramp's gain.
    bool is_hold;
    ramp_t ramp;
    /// When a step was last taken: the last one may be due although the ramp's time is over.
    int64_t advanced_at;
    /// The attenuation that was last set, and the start of silence if it is that.
    double applied;
    int64_t silent_since;
    bool must_apply;
    /// PipeWire has reported volumes since they were last set.
    bool must_compare;
    /// How often volumes were set again since PipeWire last reported those that were set.
    int corrections;
    /// Pause was sent, and not Start since.
    bool is_paused;
    int64_t paused_at;
    bool must_pause;
    /// The command that was last sent to a node that is not to be paused, and when; 0: none.
    bool sent_start;
    int64_t sent_at;
    /// The command's end was reported.
    bool is_reported;
    /// What the worker does next: closes the connection and ends the control, or connects again.
    bool is_doomed;
    bool must_reconnect;
    /// Frees the stream with the first messages of a new connection.
    bool is_forced;
    bool was_forced;
    /// A command was in effect, now or in an earlier run.
    bool has_altered;
    /// Failures since the requested state was last reached, and, after too many, the next attempt.
    int failures;
    int64_t retry_at;
} control_t;

struct controls {
    struct spa_list list;
    struct pw_loop *loop;
    struct pw_context *context;
    const char *remote;
    journal_t *journal;
    streams_t *streams;
    struct spa_source *timer;
    int64_t interval_ns;
    struct spa_source *worker;
    /// Everything is being freed, since then. No command is accepted.
    bool is_ending;
    int64_t ending_since;
    /// Called when the last control has ended.
    void (*all_free)(void *context);
    void *all_free_context;
};

enum { CONTROL_STEP_MS = 5, CONTROL_RETRY_MS = 250 };

/// Returns how long a stream may need, after its program has set its volumes, to play them: a
/// quantum.
int64_t control_settling_ns(const control_t *control);
/// Returns whether the node was started, or that was corrected, so recently that its program may
/// have stopped or continued it meanwhile.
bool controls_settles(const control_t *control, int64_t now);
/// Sets the timer to what the controls need: nothing, if none does.
void controls_schedule(controls_t *controls);
/// Has the worker called from the loop.
void controls_call_worker(controls_t *controls);

#endif
