#define _GNU_SOURCE
#include "control.h"

#include "detection.h"
#include "journal.h"
#include "node_link.h"
#include "ramp.h"
#include "streams.h"
#include "volumes.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum {
    MAX_FAILURES = 3,
    /// A fader that the user moves may need many; a program that ignores levels needs them forever.
    MAX_CORRECTIONS = 100,
    RETRY_SECONDS = 3,
    /// Duration of the ramp with which a stream returns whose hold is refused.
    REFUSED_RAMP_MS = 500,
};

static void begin_round_trip(control_t *control) {
    control->is_waiting = true;
    control->waiting_since = ramp_now();
    node_link_sync(control->node);
}

/// Ends the control, from the loop.
static void doom(control_t *control) {
    control->is_doomed = true;
    controls_call_worker(control->owner);
}

static void report(control_t *control, const char *word, const char *reason) {
    if (!control->is_reported) {
        control->is_reported = true;
        streams_write(control->owner->streams, word, control->serial, reason);
    }
}

// ---- Messages ---------------------------------------------------------------------------------

static void set_volumes(control_t *control, double attenuation) {
    const volumes_t *volumes = &control->stream->volumes;
    control->must_apply = false;
    control->must_compare = false;
    detection_set_attenuation(control->stream, attenuation);
    if (isinf(attenuation) && !isinf(control->applied)) {
        control->silent_since = INT64_MAX; // until the round trip has ended
    }
    control->applied = attenuation;
    float soft[SPA_AUDIO_MAX_CHANNELS];
    volumes_scale(volumes, ramp_factor(attenuation), soft);
    if (attenuation != 0 || !control->is_forced) {
        node_link_set_volumes(control->node, SPA_PROP_softVolumes, soft, volumes->count);
    }
    if (attenuation == 0) {
        // Ends softVolumes. They were set to full before, because PipeWire still shows them.
        node_link_set_volumes(control->node, SPA_PROP_channelVolumes, volumes->channel, volumes->count);
    }
}

static void send_command(control_t *control, bool starts) {
    node_link_send(control->node, starts ? SPA_NODE_COMMAND_Start : SPA_NODE_COMMAND_Pause);
    control->sent_start = starts;
    control->sent_at = ramp_now();
}

/// A node that does not run was not paused, and must not be started: its program may have paused
/// it. PipeWire itself starts it when it runs.
static void start(control_t *control) {
    if (control->stream->state == PW_NODE_STATE_RUNNING) {
        send_command(control, true);
    }
    control->is_paused = false;
}

/// Corrects a command that has crossed a change by the program. A Start for a node that its program
/// has just stopped would be taken for the one that follows when the program goes on: the node
/// would then run in silence for good. Returns whether anything was sent.
static bool settle(control_t *control, int64_t now) {
    const bool runs = control->stream->state == PW_NODE_STATE_RUNNING;
    if (control->is_paused || !controls_settles(control, now) || runs == control->sent_start) {
        return false;
    }
    send_command(control, runs);
    begin_round_trip(control);
    return true;
}

static void pause_node(control_t *control) {
    if (!journal_set(control->owner->journal, control->serial, true)) {
        report(control, "refused", "the journal cannot be written");
        control->is_hold = false;
        control->ramp = ramp_make(control->applied, 0, REFUSED_RAMP_MS, ramp_now());
        return;
    }
    control->must_pause = false;
    control->is_paused = true;
    control->paused_at = ramp_now();
    if (control->stream->state == PW_NODE_STATE_RUNNING) {
        node_link_send(control->node, SPA_NODE_COMMAND_Pause);
    }
    begin_round_trip(control);
}

static void free_forced(control_t *control) {
    // A program that has stopped delays what follows the volumes.
    start(control);
    if (stream_has_level(control->stream)) {
        set_volumes(control, 0);
        // If the program answers after all: softVolumes still show the last level.
        control->must_apply = true;
    }
    control->applied = 0;
    begin_round_trip(control);
}

// ---- Steps ------------------------------------------------------------------------------------

/// Everything was sent and is in effect: ends, reports or pauses.
static void conclude(control_t *control, int64_t now) {
    if (control->is_hold) {
        const bool is_silent =
            !stream_has_level(control->stream) || (control->silent_since != INT64_MAX && now >= control->silent_since);
        // PipeWire starts a node that does not run when it runs: its new state pauses it again.
        const bool is_undone = control->must_pause && control->stream->state == PW_NODE_STATE_RUNNING;
        if (!control->is_paused || is_undone) {
            if (is_silent) {
                pause_node(control);
            }
        } else {
            control->failures = 0;
            report(control, "reached", NULL);
        }
    } else if (control->applied == 0) {
        report(control, "reached", NULL);
        if (controls_settles(control, now) && !control->owner->is_ending) {
            return;
        }
        journal_remove(control->owner->journal, control->serial);
        doom(control);
    } else {
        control->failures = 0;
        report(control, "reached", NULL);
    }
}

/// Sets the volumes again if others have changed them, but not forever.
static void compare(control_t *control) {
    stream_t *stream = control->stream;
    control->must_compare = false;
    if (control->applied == 0 || !stream_has_level(stream)) {
        return;
    }
    float soft[SPA_AUDIO_MAX_CHANNELS];
    bool differs = false;
    volumes_scale(&stream->volumes, ramp_factor(control->applied), soft);
    for (uint32_t i = 0; i < stream->volumes.count; i++) {
        differs |= !(fabsf(soft[i] - stream->volumes.soft[i]) <= 1e-6F + 1e-4F * soft[i]);
    }
    control->must_apply |= differs;
    control->corrections = differs ? control->corrections + 1 : 0;
    if (control->corrections > MAX_CORRECTIONS) {
        set_volumes(control, 0);
        begin_round_trip(control);
        stream->ignores_level = true;
        streams_report(control->owner->streams, stream);
    }
}

/// Refuses a level of a stream that turns out to have none.
static void refuse_level(control_t *control, int64_t now) {
    if (!control->is_hold && control->ramp.to != 0 && stream_is_hold_only(control->stream)) {
        control->is_reported = false;
        report(control, "refused", CONTROL_NO_VOLUME);
        control->ramp = ramp_make(0, 0, 0, now);
    }
}

/// Sends what a new attenuation or the end of a hold needs. Returns false if there is nothing to
/// send.
static bool send_step(control_t *control, double attenuation) {
    const bool sets = (attenuation != control->applied || control->must_apply) && stream_has_level(control->stream);
    const bool starts = control->is_paused && !control->is_hold;
    if (sets) {
        set_volumes(control, attenuation);
    } else if (stream_is_hold_only(control->stream)) {
        control->applied = attenuation;
        control->must_apply = false;
    }
    if (starts) {
        start(control);
    }
    return sets || starts;
}

void control_advance(control_t *control) {
    if (!control->is_ready || control->is_waiting || control->is_doomed || control->must_reconnect ||
        control->stream == NULL) {
        return;
    }
    if (control->is_forced) {
        free_forced(control);
        control->is_forced = false;
        return;
    }
    const int64_t now = ramp_now();
    if (settle(control, now)) {
        return;
    }
    control->advanced_at = now;
    refuse_level(control, now);
    const int64_t end = control->ramp.begin_ns + control->ramp.duration_ns;
    if (control->must_compare && now >= end) {
        compare(control);
    }
    if (control->is_waiting) {
        return;
    }
    const double attenuation = ramp_at(&control->ramp, now);
    if (send_step(control, attenuation)) {
        begin_round_trip(control);
    } else if (now >= end && control->applied == attenuation && !control->must_apply) {
        // Without a format, a stream has no volumes yet, and nothing is applied; nor is it heard.
        conclude(control, now);
    }
}

// ---- The connection ---------------------------------------------------------------------------

static void on_ready(void *data) {
    control_t *control = data;
    control->is_ready = true;
    control_advance(control);
    controls_schedule(control->owner);
}

static void on_done(void *data) {
    control_t *control = data;
    if (control->must_reconnect || control->retry_at != 0) {
        return;
    }
    control->is_waiting = false;
    control->has_altered = true;
    if (control->stream != NULL && stream_has_level(control->stream)) {
        detection_set_attenuation(control->stream, control->applied);
    }
    if (isinf(control->applied) && control->silent_since == INT64_MAX) {
        control->silent_since = ramp_now() + control_settling_ns(control);
    }
    control_advance(control);
    controls_schedule(control->owner);
}

/// Refuses the command, once: the stream is to be free.
static void refuse(control_t *control, int error) {
    if (control->is_hold || control->ramp.to != 0) {
        control->is_reported = false;
    }
    report(control, "refused", strerror(error));
    control->is_hold = false;
    control->ramp = ramp_make(0, 0, 0, ramp_now());
}

void control_fail(control_t *control, int error) {
    const bool is_denied = error == EACCES || error == EPERM || error == ENOTSUP;
    if (control->is_doomed || control->must_reconnect || control->retry_at != 0) {
        return;
    }
    control->failures += 1;
    if (is_denied || control->failures >= MAX_FAILURES) {
        refuse(control, error);
    }
    if (is_denied && !control->has_altered) {
        journal_remove(control->owner->journal, control->serial);
        doom(control);
        return;
    }
    if (control->failures < MAX_FAILURES) {
        control->must_reconnect = true;
    } else if (control->owner->is_ending) {
        // The journal keeps the stream.
        control->is_doomed = true;
    } else {
        control->retry_at = ramp_now() + RETRY_SECONDS * (int64_t)1000000000;
    }
    controls_call_worker(control->owner);
    controls_schedule(control->owner);
}

static void on_failed(void *data, int error) { control_fail(data, error); }

static const node_link_events_t link_events = {.ready = on_ready, .done = on_done, .failed = on_failed};

bool control_connect(control_t *control) {
    control->is_ready = false;
    control->is_waiting = false;
    control->must_reconnect = false;
    control->node = node_link_open(control->owner->context, control->owner->remote, control->stream->id,
                                   control->serial, &link_events, control);
    return control->node != NULL;
}
