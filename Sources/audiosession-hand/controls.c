#define _GNU_SOURCE
#include "controls.h"

#include "ramp.h"

#include <math.h>
#include <stdlib.h>

int64_t control_settling_ns(const control_t *control) {
    const char *latency =
        control->stream != NULL ? pw_properties_get(control->stream->properties, PW_KEY_NODE_LATENCY) : NULL;
    // PipeWire's default is 1024 frames; it grants a program that asks for more at most 2048.
    const bool is_large = latency != NULL && strtol(latency, NULL, 10) > 1024;
    return (is_large ? 46 : 24) * (int64_t)1000000;
}

bool controls_settles(const control_t *control, int64_t now) {
    enum { SETTLING_MS = 1000 };
    return control->sent_at != 0 && now - control->sent_at < SETTLING_MS * (int64_t)1000000;
}

static bool needs_steps(const control_t *control, int64_t now) {
    const int64_t end = control->ramp.begin_ns + control->ramp.duration_ns;
    const bool is_ramping = now < end || (!control->is_waiting && control->advanced_at < end);
    const bool is_settling = control->is_hold && !control->is_paused && isinf(control->applied);
    return control->is_ready && (is_ramping || is_settling);
}

void controls_schedule(controls_t *controls) {
    const int64_t now = ramp_now();
    int64_t interval_ns = controls->is_ending ? CONTROL_STEP_MS * (int64_t)1000000 : 0;
    const control_t *control;
    spa_list_for_each(control, &controls->list, link) {
        if (needs_steps(control, now)) {
            interval_ns = CONTROL_STEP_MS * (int64_t)1000000;
        } else if ((control->is_paused || control->retry_at != 0 || controls_settles(control, now)) &&
                   interval_ns == 0) {
            interval_ns = CONTROL_RETRY_MS * (int64_t)1000000;
        }
    }
    if (interval_ns != controls->interval_ns) {
        controls->interval_ns = interval_ns;
        struct timespec interval = {.tv_sec = 0, .tv_nsec = interval_ns};
        pw_loop_update_timer(controls->loop, controls->timer, &interval, &interval, false);
    }
}

void controls_call_worker(controls_t *controls) { pw_loop_signal_event(controls->loop, controls->worker); }
