#define _GNU_SOURCE
#include "service.h"

#include "detection.h"
#include "input.h"
#include "lines.h"
#include "output.h"
#include "platform_text.h"
#include "requests.h"
#include "streams.h"
#include "watch.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

/// PipeWire must have reported its streams within this time.
enum { START_LIMIT_SECONDS = 10 };

typedef enum phase { PHASE_GLOBALS, PHASE_INFOS, PHASE_REPAIRS, PHASE_SERVING } phase_t;

typedef struct service {
    const hand_options_t *options;
    journal_t *journal;
    struct pw_main_loop *main_loop;
    struct pw_loop *loop;
    struct pw_context *context;
    struct pw_core *core;
    struct spa_hook core_listener;
    struct spa_source *deadline;
    uint32_t cookie;
    char name[128];
    char version[32];
    phase_t phase;
    int round_trip;
    streams_t streams;
    controls_t controls;
    detections_t detections;
    watch_t watch;
    output_t output;
    input_t input;
    /// The end was requested before commands were served.
    bool must_end;
    int status;
} service_t;

static void quit(service_t *service, int status) {
    service->status = status;
    pw_main_loop_quit(service->main_loop);
}

/// Frees all streams, then exits.
static void end(service_t *service, int status) {
    service->must_end = true;
    service->status = status;
    detections_stop(&service->detections);
    if (service->phase == PHASE_SERVING) {
        requests_free_all(&service->controls);
    } else if (service->phase != PHASE_REPAIRS) {
        quit(service, status);
    }
}

// ---- Input and output -------------------------------------------------------------------------

static void execute(service_t *service, const command_t *command) {
    const bool detects = command->kind == COMMAND_DETECT || command->kind == COMMAND_DETECT_OFF;
    if (!detects) {
        requests_execute(&service->controls, command);
    } else if (!service->must_end) {
        detections_execute(&service->detections, command);
    }
}

static void on_line(void *context, const char *text, const char *problem) {
    service_t *service = context;
    command_t command;
    if (problem == NULL) {
        problem = command_parse(text, &command);
    }
    if (problem == NULL) {
        execute(service, &command);
        return;
    }
    line_t line;
    line_begin(&line, "malformed");
    line_add(&line, "reason", problem);
    output_write(&service->output, &line);
}

static void on_input_end(void *context) { end(context, EX_OK); }

static void on_signal(void *context, int number) {
    (void)number;
    end(context, EX_OK);
}

static void on_output_failed(void *context, output_failure_t failure) {
    end(context, failure == OUTPUT_CLOSED ? EX_IOERR : EX_TEMPFAIL);
}

// ---- Phases -----------------------------------------------------------------------------------

static void serve(service_t *service) {
    line_t line;
    char cookie[16];
    service->phase = PHASE_SERVING;
    if (service->options->is_repair || service->must_end) {
        quit(service, service->status);
        return;
    }
    requests_resume(&service->controls);
    snprintf(cookie, sizeof cookie, "%" PRIu32, service->cookie);
    line_begin(&line, "ready");
    line_add(&line, "version", "1");
    line_add(&line, "pipewire", service->version);
    line_add(&line, "core", service->name);
    line_add(&line, "cookie", cookie);
    output_write(&service->output, &line);
    streams_begin_reporting(&service->streams);
    line_begin(&line, "synced");
    output_write(&service->output, &line);
    if (!input_begin(&service->input, service->loop, STDIN_FILENO, on_line, on_input_end, service)) {
        end(service, EX_OSERR);
    }
}

/// No stream is altered any longer: the end of the repairs, or of everything.
static void on_all_free(void *context) {
    service_t *service = context;
    if (service->phase == PHASE_REPAIRS) {
        serve(service);
    } else {
        quit(service, service->status);
    }
}

static void repair(service_t *service) {
    service->phase = PHASE_REPAIRS;
    pw_loop_update_timer(service->loop, service->deadline, NULL, NULL, false);
    if (service->journal->count == 0 || service->journal->cookie != service->cookie) {
        journal_restart(service->journal, service->cookie);
    }
    requests_repair(&service->controls);
}

// ---- PipeWire ---------------------------------------------------------------------------------

static void on_core_info(void *data, const struct pw_core_info *info) {
    service_t *service = data;
    service->cookie = info->cookie;
    snprintf(service->name, sizeof service->name, "%s", info->name != NULL ? info->name : "");
    snprintf(service->version, sizeof service->version, "%s", info->version != NULL ? info->version : "");
}

static void on_core_done(void *data, uint32_t id, int sequence) {
    service_t *service = data;
    if (id != PW_ID_CORE || sequence != service->round_trip) {
        return;
    }
    if (service->phase == PHASE_GLOBALS) {
        service->phase = PHASE_INFOS;
        service->round_trip = pw_core_sync(service->core, PW_ID_CORE, 0);
    } else if (service->phase == PHASE_INFOS) {
        repair(service);
    }
}

static void lose_pipewire(service_t *service, const char *reason) {
    line_t line;
    // Only this connection may be lost: the journal stays. Its cookie says whether streams remain.
    if (service->must_end && service->phase == PHASE_SERVING) {
        quit(service, service->status);
        return;
    }
    if (!service->options->is_repair) {
        line_begin(&line, "ended");
        line_add(&line, "reason", reason);
        output_write(&service->output, &line);
    }
    platform_print_error("audiosession-hand", reason);
    quit(service, EX_UNAVAILABLE);
}

static void on_core_error(void *data, uint32_t id, int sequence, int result, const char *message) {
    (void)sequence;
    (void)message;
    if (id == PW_ID_CORE && result == -EPIPE) {
        lose_pipewire(data, "PipeWire has ended.");
    }
}

static const struct pw_core_events core_events = {
    .version = PW_VERSION_CORE_EVENTS,
    .info = on_core_info,
    .done = on_core_done,
    .error = on_core_error,
};

static void on_deadline(void *data, uint64_t expirations) {
    (void)expirations;
    service_t *service = data;
    lose_pipewire(service, "PipeWire does not answer.");
}

// ---- Life -------------------------------------------------------------------------------------

/// Creates the loop and connects. Returns NULL, or what failed, with errno.
static const char *begin(service_t *service) {
    const hand_options_t *options = service->options;
    service->main_loop = pw_main_loop_new(NULL);
    if (service->main_loop == NULL) {
        return "Cannot create a loop";
    }
    service->loop = pw_main_loop_get_loop(service->main_loop);
    // Before libpipewire starts threads, which then block the signals too.
    if (pw_loop_add_signal(service->loop, SIGTERM, on_signal, service) == NULL ||
        pw_loop_add_signal(service->loop, SIGINT, on_signal, service) == NULL) {
        return "Cannot receive signals";
    }
    service->deadline = pw_loop_add_timer(service->loop, on_deadline, service);
    if (!output_begin(&service->output, service->loop, STDOUT_FILENO) || service->deadline == NULL) {
        return "Cannot write events";
    }
    service->output.failed = on_output_failed;
    service->output.context = service;
    service->context = pw_context_new(service->loop, NULL, 0);
    if (service->context == NULL) {
        return "Cannot use libpipewire";
    }
    service->core =
        pw_context_connect(service->context, pw_properties_new(PW_KEY_REMOTE_NAME, options->remote, NULL), 0);
    if (service->core == NULL) {
        return "Cannot connect to PipeWire";
    }
    pw_core_add_listener(service->core, &service->core_listener, &core_events, service);
    if (!requests_begin(&service->controls, service->loop, service->context, options->remote, service->journal,
                        &service->streams) ||
        !detections_begin(&service->detections, service->loop, service->context, options->remote, &service->streams) ||
        !watch_begin(&service->watch, service->core, &service->streams, service->journal)) {
        return "Cannot watch PipeWire";
    }
    service->controls.all_free = on_all_free;
    service->controls.all_free_context = service;
    return NULL;
}

static void finish(service_t *service) {
    input_end(&service->input);
    output_end(&service->output);
    if (service->detections.loop != NULL) {
        detections_end(&service->detections);
    }
    if (service->controls.loop != NULL) {
        requests_end(&service->controls);
    }
    if (service->watch.core != NULL) {
        watch_end(&service->watch);
    }
    if (service->core != NULL) {
        spa_hook_remove(&service->core_listener);
        pw_core_disconnect(service->core);
    }
    if (service->context != NULL) {
        pw_context_destroy(service->context);
    }
    if (service->main_loop != NULL) {
        pw_main_loop_destroy(service->main_loop);
    }
}

static void run(service_t *service) {
    struct timespec limit = {.tv_sec = START_LIMIT_SECONDS};
    pw_loop_update_timer(service->loop, service->deadline, &limit, NULL, false);
    service->round_trip = pw_core_sync(service->core, PW_ID_CORE, 0);
    pw_main_loop_run(service->main_loop);
}

int service_run(journal_t *journal, const hand_options_t *options) {
    service_t *service = calloc(1, sizeof *service);
    if (service == NULL) {
        return EX_OSERR;
    }
    *service = (service_t){.options = options, .journal = journal};
    spa_list_init(&service->streams.streams);
    spa_list_init(&service->streams.clients);
    service->streams.output = &service->output;
    const char *failure = begin(service);
    if (failure == NULL) {
        run(service);
    } else {
        char text[256];
        snprintf(text, sizeof text, "%s: %s.", failure, strerror(errno));
        platform_print_error("audiosession-hand", text);
        service->status = strstr(failure, "PipeWire") != NULL ? EX_UNAVAILABLE : EX_OSERR;
        if (service->output.queue != NULL && !options->is_repair) {
            line_t line;
            line_begin(&line, "ended");
            line_add(&line, "reason", text);
            output_write(&service->output, &line);
        }
    }
    finish(service);
    // Streams that are not confirmed as free remain in the journal.
    const int status = service->status == EX_OK && journal->count > 0 ? EX_TEMPFAIL : service->status;
    free(service);
    return status;
}
