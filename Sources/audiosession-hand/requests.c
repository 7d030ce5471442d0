#define _GNU_SOURCE
#include "requests.h"

#include "control.h"
#include "journal.h"
#include "lifetime.h"
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

// ---- Time -------------------------------------------------------------------------------------

/// Ends the pause after too many failures.
static void connect_again(control_t *control) {
    control->retry_at = 0;
    control->must_reconnect = true;
    controls_call_worker(control->owner);
}

static void tick(control_t *control, int64_t now) {
    const controls_t *controls = control->owner;
    if (control->is_hold && control->is_paused && now - control->paused_at >= CONTROL_RETRY_MS * millisecond) {
        control->must_pause = true;
    }
    if (control->retry_at != 0 && now >= control->retry_at) {
        connect_again(control);
    }
    control_advance(control);
    if (!controls->is_ending || control->is_doomed) {
        return;
    }
    if (now - controls->ending_since >= ENDING_LIMIT_MS * millisecond) {
        control->is_doomed = true;
    } else if (control->is_waiting && !control->was_forced &&
               now - control->waiting_since >= ENDING_PATIENCE_MS * millisecond) {
        control->is_forced = true;
        control->was_forced = true;
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
    controls->worker = pw_loop_add_event(loop, lifetime_work, controls);
    return controls->timer != NULL && controls->worker != NULL;
}

void requests_end(controls_t *controls) {
    control_t *control;
    spa_list_consume(control, &controls->list, link) { lifetime_end(control); }
    if (controls->timer != NULL) {
        pw_loop_destroy_source(controls->loop, controls->timer);
    }
    if (controls->worker != NULL) {
        pw_loop_destroy_source(controls->loop, controls->worker);
    }
}

// ---- Requests ---------------------------------------------------------------------------------

static void begin_ramp(control_t *control, double attenuation, unsigned milliseconds) {
    control->ramp = ramp_make(control->applied, attenuation, milliseconds, ramp_now());
}

static void request(control_t *control, bool is_hold, double attenuation, unsigned milliseconds) {
    control->is_hold = is_hold;
    control->is_reported = false;
    control->failures = 0;
    control->corrections = 0;
    control->was_forced = false;
    begin_ramp(control, attenuation, milliseconds);
    control->advanced_at = control->ramp.begin_ns;
    if (control->retry_at != 0) {
        connect_again(control);
    }
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
    control_t *control = lifetime_current(stream);
    if (!is_hold && attenuation > 0 && stream_is_hold_only(stream)) {
        streams_write(controls->streams, "refused", command->id, CONTROL_NO_VOLUME);
        attenuation = 0;
        if (control == NULL) {
            return;
        }
    }
    if (control == NULL && !is_hold && attenuation == 0 && !journal_contains(controls->journal, command->id)) {
        streams_write(controls->streams, "reached", command->id, NULL);
        return;
    }
    if (control == NULL) {
        control = lifetime_begin(controls, stream, &reason);
    }
    if (control == NULL) {
        streams_write(controls->streams, "refused", command->id, reason);
        return;
    }
    request(control, is_hold, attenuation, command->milliseconds);
}

/// Frees a stream whose entry is in the journal, unless a control does.
static void repair(controls_t *controls, uint64_t serial) {
    const char *reason = NULL;
    stream_t *stream = streams_find(controls->streams, serial);
    if (stream == NULL) {
        journal_remove(controls->journal, serial);
    } else if (stream->properties != NULL && lifetime_current(stream) == NULL) {
        control_t *control = lifetime_begin(controls, stream, &reason);
        if (control != NULL) {
            request(control, false, 0, 0);
        }
    }
}

static void repair_all(controls_t *controls) {
    // Entries are removed, by exchange with the last one.
    for (size_t i = controls->journal->count; i > 0; i--) {
        repair(controls, controls->journal->entries[i - 1].serial);
    }
}

static void begin_ending(controls_t *controls) {
    controls->is_ending = true;
    controls->ending_since = ramp_now();
    controls_schedule(controls);
    controls_call_worker(controls);
}

void requests_repair(controls_t *controls) {
    repair_all(controls);
    begin_ending(controls);
}

void requests_resume(controls_t *controls) {
    controls->is_ending = false;
    repair_all(controls);
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
    repair_all(controls);
    begin_ending(controls);
}

void requests_stream_changed(stream_t *stream) {
    control_t *control = stream->control;
    if (control == NULL) {
        return;
    }
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
