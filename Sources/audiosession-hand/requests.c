#define _GNU_SOURCE
#include "requests.h"

#include "control.h"
#include "journal.h"
#include "node_link.h"
#include "ramp.h"
#include "streams.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Duration of the ramp with which all streams are freed.
    ENDING_RAMP_MS = 30,
    /// A program that has not answered for this long then is treated as stopped.
    ENDING_PATIENCE_MS = 50,
    /// After this, the process ends; the journal keeps the streams that are not confirmed as free.
    ENDING_LIMIT_MS = 1000,
};
static const int64_t millisecond = 1000000;

// ---- Controls ---------------------------------------------------------------------------------

/// Begins to alter a stream, after the journal names it. If the journal named it before, assumes
/// that it is altered. Returns NULL with the reason on failure.
static control_t *begin_control(controls_t *controls, stream_t *stream, const char **reason) {
    const bool is_altered = journal_contains(controls->journal, stream->serial);
    const bool is_held = journal_is_held(controls->journal, stream->serial);
    control_t *control = calloc(1, sizeof *control);
    *reason = "out of memory";
    if (control == NULL) {
        return NULL;
    }
    *control = (control_t){.owner = controls,
                           .stream = stream,
                           .serial = stream->serial,
                           .is_reported = true,
                           .must_apply = is_altered,
                           .is_paused = is_held};
    if (!journal_set(controls->journal, stream->serial, is_held)) {
        *reason = "the journal cannot be written";
    } else if (!control_connect(control)) {
        *reason = strerror(errno);
        if (!is_altered) {
            journal_remove(controls->journal, stream->serial);
        }
    } else {
        stream->control = control;
        spa_list_append(&controls->list, &control->link);
        return control;
    }
    free(control);
    return NULL;
}

static void end_control(control_t *control) {
    if (control->stream != NULL) {
        control->stream->control = NULL;
    }
    if (control->node != NULL) {
        node_link_close(control->node);
    }
    spa_list_remove(&control->link);
    free(control);
}

static void begin_ramp(control_t *control, double attenuation, unsigned milliseconds) {
    control->ramp = ramp_make(control->applied, attenuation, milliseconds, ramp_now());
}

/// Connects again, and assumes nothing about what the lost connection had sent.
static void reconnect(control_t *control) {
    const journal_t *journal = control->owner->journal;
    node_link_close(control->node);
    control->node = NULL;
    control->must_apply = true;
    control->must_pause = control->is_hold;
    control->is_paused |= journal_is_held(journal, control->serial);
    if (control->stream == NULL || !control_connect(control)) {
        control->is_doomed = true;
    }
}

static void on_worker(void *data, uint64_t count) {
    (void)count;
    controls_t *controls = data;
    control_t *control;
    control_t *next;
    spa_list_for_each_safe(control, next, &controls->list, link) {
        if (!control->is_doomed && control->must_reconnect) {
            reconnect(control);
        }
        if (control->is_doomed) {
            end_control(control);
        }
    }
    controls_schedule(controls);
    if (controls->is_ending && spa_list_is_empty(&controls->list)) {
        controls->all_free(controls->all_free_context);
    }
}

// ---- Time -------------------------------------------------------------------------------------

static void tick(control_t *control, int64_t now) {
    const controls_t *controls = control->owner;
    if (control->is_hold && control->is_paused && now - control->paused_at >= CONTROL_RETRY_MS * millisecond) {
        control->must_pause = true;
    }
    control_advance(control);
    if (!controls->is_ending || control->is_doomed) {
        return;
    }
    if (now - controls->ending_since >= ENDING_LIMIT_MS * millisecond) {
        control->is_doomed = true;
    } else if (control->is_waiting && now - control->waiting_since >= ENDING_PATIENCE_MS * millisecond) {
        control->is_forced = true;
        control->must_reconnect = true;
    }
    if (control->is_doomed || control->must_reconnect) {
        controls_call_worker(control->owner);
    }
}

static void on_timer(void *data, uint64_t expirations) {
    (void)expirations;
    controls_t *controls = data;
    const int64_t now = ramp_now();
    control_t *control;
    spa_list_for_each(control, &controls->list, link) { tick(control, now); }
    controls_schedule(controls);
}

bool requests_begin(controls_t *controls, struct pw_loop *loop, struct pw_context *context, const char *remote,
                    journal_t *journal, streams_t *streams) {
    *controls =
        (controls_t){.loop = loop, .context = context, .remote = remote, .journal = journal, .streams = streams};
    spa_list_init(&controls->list);
    controls->timer = pw_loop_add_timer(loop, on_timer, controls);
    controls->worker = pw_loop_add_event(loop, on_worker, controls);
    return controls->timer != NULL && controls->worker != NULL;
}

void requests_end(controls_t *controls) {
    control_t *control;
    spa_list_consume(control, &controls->list, link) { end_control(control); }
    if (controls->timer != NULL) {
        pw_loop_destroy_source(controls->loop, controls->timer);
    }
    if (controls->worker != NULL) {
        pw_loop_destroy_source(controls->loop, controls->worker);
    }
}

// ---- Requests ---------------------------------------------------------------------------------

static void request(control_t *control, bool is_hold, double attenuation, unsigned milliseconds) {
    control->is_hold = is_hold;
    control->is_reported = false;
    control->failures = 0;
    begin_ramp(control, attenuation, milliseconds);
    control_advance(control);
    controls_schedule(control->owner);
}

void requests_execute(controls_t *controls, const command_t *command) {
    stream_t *stream = streams_find(controls->streams, command->id);
    const bool is_hold = command->kind == COMMAND_HOLD;
    double attenuation = command->attenuation;
    const char *reason = NULL;
    if (controls->is_ending) {
        return;
    }
    if (stream == NULL || stream->properties == NULL) {
        streams_write(controls->streams, "refused", command->id, "no such stream");
        return;
    }
    control_t *control = stream->control;
    if (!is_hold && attenuation > 0 && !stream->has_props) {
        streams_write(controls->streams, "refused", command->id, "the stream has no volume, it can only be held");
        attenuation = 0;
        if (control == NULL) {
            return;
        }
    }
    if (control != NULL && control->is_doomed) {
        // It is about to end. Takes its place.
        control->stream = NULL;
        stream->control = NULL;
        control = NULL;
    }
    if (control == NULL && !is_hold && attenuation == 0 && !journal_contains(controls->journal, command->id)) {
        streams_write(controls->streams, "reached", command->id, NULL);
        return;
    }
    if (control == NULL) {
        control = begin_control(controls, stream, &reason);
    }
    if (control == NULL) {
        streams_write(controls->streams, "refused", command->id, reason);
        return;
    }
    request(control, is_hold, attenuation, command->milliseconds);
}

/// Frees a stream whose entry is in the journal.
static void repair(controls_t *controls, uint64_t serial) {
    const char *reason = NULL;
    stream_t *stream = streams_find(controls->streams, serial);
    if (stream == NULL || stream->properties == NULL) {
        journal_remove(controls->journal, serial);
        return;
    }
    control_t *control = begin_control(controls, stream, &reason);
    if (control != NULL) {
        request(control, false, 0, 0);
    }
}

static void begin_ending(controls_t *controls) {
    controls->is_ending = true;
    controls->ending_since = ramp_now();
    controls_schedule(controls);
    controls_call_worker(controls);
}

void requests_repair(controls_t *controls) {
    // Entries are removed, by exchange with the last one.
    for (size_t i = controls->journal->count; i > 0; i--) {
        repair(controls, controls->journal->entries[i - 1].serial);
    }
    begin_ending(controls);
}

void requests_resume(controls_t *controls) {
    controls->is_ending = false;
    controls_schedule(controls);
}

void requests_free_all(controls_t *controls) {
    if (controls->is_ending) {
        return;
    }
    control_t *control;
    spa_list_for_each(control, &controls->list, link) {
        if (!control->is_doomed) {
            request(control, false, 0, stream_has_level(control->stream) ? ENDING_RAMP_MS : 0);
        }
    }
    begin_ending(controls);
}

void requests_stream_changed(stream_t *stream) {
    control_t *control = stream->control;
    if (control == NULL) {
        return;
    }
    control_compare(control);
    control_advance(control);
    controls_schedule(control->owner);
}

void requests_stream_gone(stream_t *stream) {
    control_t *control = stream->control;
    if (control != NULL) {
        stream->control = NULL;
        control->stream = NULL;
        control->is_doomed = true;
        controls_call_worker(control->owner);
    }
}
