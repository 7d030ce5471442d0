#define _GNU_SOURCE
#include "detection.h"

#include "controls.h"
#include "ramp.h"
#include "tap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// A shorter hold would end between two cycles.
    MIN_HOLD_MS = 50,
    /// A tap of a running stream must have had samples after this time.
    CHECK_MS = 2000,
    /// A timer this late means that this process did not run, nor did the tap.
    LATE_MS = 200,
    /// A tap often fails because its stream is about to be gone, which is no failure.
    FAILURE_MS = 200,
    /// How long a new volume needs at most until it is heard.
    SETTLING_MS = 50,
    /// How often to look whether a tap has begun to receive.
    BEGINNING_MS = 50,
    /// Each tap needs ten descriptors.
    MAX_DETECTIONS = 32,
};
static const int64_t millisecond = 1000000;

typedef enum audibility { AUDIBILITY_UNKNOWN, AUDIBILITY_HEARD, AUDIBILITY_SILENT } audibility_t;

struct detection {
    struct spa_list link;
    detections_t *owner;
    /// NULL once the stream is gone.
    stream_t *stream;
    uint64_t serial;
    /// Decibels below full scale.
    double threshold;
    int64_t hold_ns;
    /// Our own attenuation as the tap hears it at most, the one that was set last, and when that
    /// one applies; 0: it does.
    double attenuation;
    double next_attenuation;
    int64_t settles_at;
    audibility_t reported;
    int64_t begun_at;
    /// When the tap must have had more cycles than these; 0: never.
    int64_t check_at;
    uint64_t cycles_before;
    bool was_running;
    meter_t meter;
    tap_t *tap;
    /// When it ends because of a failure; 0: it has not failed.
    int64_t fails_at;
    char reason[128];
    /// It ends, from the loop.
    bool is_over;
};

// ---- States -----------------------------------------------------------------------------------

static void update_level(detection_t *detection) {
    const float gain = ramp_factor(detection->attenuation);
    const float threshold = ramp_factor(detection->threshold);
    atomic_store_explicit(&detection->meter.level, gain > 0 ? threshold * gain : INFINITY, memory_order_relaxed);
}

static void report(detection_t *detection, audibility_t audibility) {
    detection->reported = audibility;
    streams_write(detection->owner->streams, audibility == AUDIBILITY_HEARD ? "audible" : "inaudible",
                  detection->serial, NULL);
}

/// Returns when the stream counts as silent.
static int64_t silent_at(const detection_t *detection) {
    const int64_t heard_at = atomic_load(&detection->meter.heard_at);
    return SPA_MAX(detection->begun_at, heard_at) + detection->hold_ns;
}

static void end(detection_t *detection) {
    detection->is_over = true;
    pw_loop_signal_event(detection->owner->loop, detection->owner->worker);
}

static void on_tap_failed(void *data, const char *reason) {
    detection_t *detection = data;
    if (detection->fails_at == 0) {
        snprintf(detection->reason, sizeof detection->reason, "%s", reason);
        detection->fails_at = ramp_now() + FAILURE_MS * millisecond;
        // The worker sets the timer.
        pw_loop_signal_event(detection->owner->loop, detection->owner->worker);
    }
}

static uint64_t cycles(const detection_t *detection) {
    return atomic_load_explicit(&detection->meter.cycles, memory_order_relaxed);
}

static void begin_check(detection_t *detection, int64_t now) {
    detection->cycles_before = cycles(detection);
    detection->check_at = now + CHECK_MS * millisecond;
}

/// A stream that is held has no cycles.
static bool has_cycles(const detection_t *detection) {
    const stream_t *stream = detection->stream;
    const bool is_held = stream->control != NULL && stream->control->is_paused;
    return stream->state == PW_NODE_STATE_RUNNING && !is_held;
}

static void check(detection_t *detection, int64_t now) {
    const bool is_late = now - detection->check_at > LATE_MS * millisecond;
    detection->check_at = 0;
    if (!has_cycles(detection) || cycles(detection) != detection->cycles_before) {
        return;
    }
    if (is_late) {
        begin_check(detection, now);
    } else {
        on_tap_failed(detection, "its tap receives nothing");
    }
}

static void on_tap_built(void *data) {
    detection_t *detection = data;
    detection->fails_at = 0;
    begin_check(detection, ramp_now());
    pw_loop_signal_event(detection->owner->loop, detection->owner->worker);
}

/// Whether nothing can be said yet, because the tap of a stream that plays has received nothing. It
/// is looked at again soon.
static bool is_beginning(detection_t *detection, int64_t now) {
    if (detection->reported != AUDIBILITY_UNKNOWN || cycles(detection) > 0 || !has_cycles(detection)) {
        return false;
    }
    detection->begun_at = now + BEGINNING_MS * millisecond - detection->hold_ns;
    return true;
}

/// Reports what has changed by sound or time.
static void advance(detection_t *detection, int64_t now) {
    if (detection->is_over) {
        return;
    }
    if (detection->fails_at != 0) {
        if (now >= detection->fails_at) {
            streams_write(detection->owner->streams, "undetected", detection->serial, detection->reason);
            detection->is_over = true;
        }
        return;
    }
    if (detection->settles_at != 0 && now >= detection->settles_at) {
        detection->settles_at = 0;
        detection->attenuation = detection->next_attenuation;
        update_level(detection);
    }
    if (detection->check_at != 0 && now >= detection->check_at) {
        check(detection, now);
    }
    // The tap signals only while this is so, and clears it.
    const bool is_awaited = atomic_load(&detection->meter.is_awaited);
    if (detection->reported != AUDIBILITY_HEARD && !is_awaited) {
        report(detection, AUDIBILITY_HEARD);
    } else if (detection->reported != AUDIBILITY_SILENT && now >= silent_at(detection) &&
               !is_beginning(detection, now)) {
        report(detection, AUDIBILITY_SILENT);
        atomic_store(&detection->meter.is_awaited, true);
    }
}

static void earliest(int64_t *first, int64_t time) { *first = *first == 0 ? time : SPA_MIN(*first, time); }

/// Sets the timer to what is due next: nothing, while all streams are silent.
static void schedule(detections_t *detections) {
    int64_t due = 0;
    const detection_t *detection;
    spa_list_for_each(detection, &detections->list, link) {
        if (detection->fails_at != 0) {
            earliest(&due, detection->fails_at);
            continue;
        }
        if (detection->reported != AUDIBILITY_SILENT) {
            earliest(&due, silent_at(detection));
        }
        if (detection->check_at != 0) {
            earliest(&due, detection->check_at);
        }
        if (detection->settles_at != 0) {
            earliest(&due, detection->settles_at);
        }
    }
    struct timespec time = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
    pw_loop_update_timer(detections->loop, detections->timer, &time, NULL, true);
}

// ---- Life -------------------------------------------------------------------------------------

static void destroy(detection_t *detection) {
    if (detection->stream != NULL) {
        detection->stream->detection = NULL;
    }
    if (detection->tap != NULL) {
        tap_close(detection->tap);
    }
    spa_list_remove(&detection->link);
    free(detection);
}

static void work(detections_t *detections) {
    const int64_t now = ramp_now();
    detection_t *detection;
    detection_t *next;
    spa_list_for_each_safe(detection, next, &detections->list, link) {
        advance(detection, now);
        if (detection->is_over) {
            destroy(detection);
        }
    }
    schedule(detections);
}

static void on_worker(void *data, uint64_t count) {
    (void)count;
    work(data);
}

static void on_timer(void *data, uint64_t expirations) {
    (void)expirations;
    work(data);
}

bool detections_begin(detections_t *detections, struct pw_loop *loop, struct pw_context *context, const char *remote,
                      streams_t *streams) {
    *detections = (detections_t){.loop = loop, .context = context, .remote = remote, .streams = streams};
    spa_list_init(&detections->list);
    detections->timer = pw_loop_add_timer(loop, on_timer, detections);
    detections->worker = pw_loop_add_event(loop, on_worker, detections);
    return detections->timer != NULL && detections->worker != NULL;
}

void detections_stop(detections_t *detections) {
    if (detections->loop == NULL) {
        return; // PipeWire was not there.
    }
    detection_t *detection;
    spa_list_for_each(detection, &detections->list, link) { end(detection); }
}

void detections_end(detections_t *detections) {
    detection_t *detection;
    spa_list_consume(detection, &detections->list, link) { destroy(detection); }
    if (detections->timer != NULL) {
        pw_loop_destroy_source(detections->loop, detections->timer);
    }
    if (detections->worker != NULL) {
        pw_loop_destroy_source(detections->loop, detections->worker);
    }
}

/// Returns NULL with errno on failure.
static detection_t *begin(detections_t *detections, stream_t *stream) {
    detection_t *detection = calloc(1, sizeof *detection);
    if (detection == NULL) {
        return NULL;
    }
    *detection = (detection_t){.owner = detections, .stream = stream, .serial = stream->serial};
    detection->attenuation = stream->control != NULL && stream_has_level(stream) ? stream->control->applied : 0;
    detection->meter.loop = detections->loop;
    detection->meter.event = detections->worker;
    atomic_store(&detection->meter.is_awaited, true);
    atomic_store(&detection->meter.level, INFINITY);
    static const tap_events_t events = {.built = on_tap_built, .failed = on_tap_failed};
    detection->tap = tap_open(detections->context, detections->remote, stream->id, stream->serial, &detection->meter,
                              &events, detection);
    if (detection->tap == NULL) {
        const int error = errno;
        free(detection);
        errno = error;
        return NULL;
    }
    stream->detection = detection;
    spa_list_append(&detections->list, &detection->link);
    detection->begun_at = ramp_now();
    detection_stream_changed(stream);
    return detection;
}

/// Returns what observes a stream, unless it is about to end: then another may take its place.
static detection_t *current(stream_t *stream) {
    if (stream->detection != NULL && stream->detection->is_over) {
        stream->detection->stream = NULL;
        stream->detection = NULL;
    }
    return stream->detection;
}

static unsigned count(const detections_t *detections) {
    unsigned count = 0;
    const detection_t *detection;
    spa_list_for_each(detection, &detections->list, link) { count += 1; }
    return count;
}

void detections_execute(detections_t *detections, const command_t *command) {
    stream_t *stream = streams_find(detections->streams, command->id);
    detection_t *detection = stream != NULL ? current(stream) : NULL;
    if (command->kind == COMMAND_DETECT_OFF) {
        if (detection != NULL) {
            destroy(detection);
        }
        schedule(detections);
        return;
    }
    const char *reason = NULL;
    if (stream == NULL || stream->properties == NULL) {
        reason = "no such stream";
    } else if (!stream_plays(stream)) {
        reason = "the stream records";
    } else if (detection == NULL && count(detections) >= MAX_DETECTIONS) {
        reason = "too many streams are detected";
    } else if (detection == NULL) {
        detection = begin(detections, stream);
        reason = detection == NULL ? strerror(errno) : NULL;
    }
    if (reason != NULL) {
        streams_write(detections->streams, "undetected", command->id, reason);
        return;
    }
    detection->threshold = command->attenuation;
    detection->hold_ns = SPA_MAX(command->milliseconds, (unsigned)MIN_HOLD_MS) * millisecond;
    update_level(detection);
    schedule(detections);
}

// ---- Streams ----------------------------------------------------------------------------------

void detection_set_attenuation(stream_t *stream, double attenuation) {
    detection_t *detection = stream != NULL ? stream->detection : NULL;
    if (detection == NULL) {
        return;
    }
    // While either may apply, the louder one: otherwise noise would be taken for speech.
    detection->next_attenuation = attenuation;
    detection->settles_at = 0;
    if (attenuation > detection->attenuation) {
        detection->settles_at = ramp_now() + SETTLING_MS * millisecond;
    } else {
        detection->attenuation = attenuation;
        update_level(detection);
    }
    schedule(detection->owner);
}

void detection_stream_changed(stream_t *stream) {
    detection_t *detection = stream->detection;
    const bool is_running = stream->state == PW_NODE_STATE_RUNNING;
    if (detection == NULL) {
        return;
    }
    if (is_running && !detection->was_running) {
        begin_check(detection, ramp_now());
        schedule(detection->owner);
    }
    detection->was_running = is_running;
}

void detection_stream_gone(stream_t *stream) {
    detection_t *detection = stream->detection;
    if (detection != NULL) {
        stream->detection = NULL;
        detection->stream = NULL;
        end(detection);
    }
}
