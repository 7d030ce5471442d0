#define _GNU_SOURCE
#include "lifetime.h"

#include "control.h"
#include "journal.h"
#include "node_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

control_t *lifetime_begin(controls_t *controls, stream_t *stream, const char **reason) {
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
                           .has_altered = is_altered,
                           .is_paused = is_held};
    if (!journal_set(controls->journal, stream->serial, is_held)) {
        *reason = "the journal cannot be written";
    } else if (!control_connect(control) && !is_altered) {
        *reason = strerror(errno);
        journal_remove(controls->journal, stream->serial);
    } else {
        stream->control = control;
        spa_list_append(&controls->list, &control->link);
        if (control->node == NULL) {
            // It may be lowered or held: tries again.
            control_fail(control, ECONNREFUSED);
        }
        return control;
    }
    free(control);
    return NULL;
}

control_t *lifetime_current(stream_t *stream) {
    if (stream->control != NULL && stream->control->is_doomed) {
        stream->control->stream = NULL;
        stream->control = NULL;
    }
    return stream->control;
}

void lifetime_end(control_t *control) {
    if (control->stream != NULL) {
        control->stream->control = NULL;
    }
    if (control->node != NULL) {
        node_link_close(control->node);
    }
    spa_list_remove(&control->link);
    free(control);
}

static void disconnect(control_t *control) {
    if (control->node != NULL) {
        node_link_close(control->node);
    }
    control->node = NULL;
    control->is_ready = false;
    control->is_waiting = false;
}

/// Connects again, and assumes nothing about what the lost connection had sent.
static void reconnect(control_t *control) {
    const journal_t *journal = control->owner->journal;
    disconnect(control);
    control->must_apply = true;
    control->must_pause = control->is_hold;
    control->is_paused |= journal_is_held(journal, control->serial);
    if (control->stream == NULL) {
        control->is_doomed = true;
    } else if (!control_connect(control)) {
        control_fail(control, errno);
    }
}

void lifetime_work(void *data, uint64_t count) {
    (void)count;
    controls_t *controls = data;
    control_t *control;
    control_t *next;
    spa_list_for_each_safe(control, next, &controls->list, link) {
        if (!control->is_doomed && control->must_reconnect) {
            reconnect(control);
        } else if (control->retry_at != 0) {
            disconnect(control);
        }
        if (control->is_doomed) {
            lifetime_end(control);
        }
    }
    controls_schedule(controls);
    if (controls->is_ending && spa_list_is_empty(&controls->list)) {
        controls->all_free(controls->all_free_context);
    }
}
