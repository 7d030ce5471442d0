#define _GNU_SOURCE
/// Lowers, holds and frees the streams of programs that know nothing of sessions. It decides
/// nothing: its parent does.
#include "inspect.h"
#include "journal.h"
#include "options.h"
#include "pipewire_headers.h"
#include "platform_program.h"
#include "platform_text.h"
#include "platform_version.h"
#include "service.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

static int fail(const char *error, int status) {
    platform_print_error("audiosession-hand", error);
    return status;
}

/// Another process has the journal.
static int yield(const char *path, bool is_repair) {
    char text[512];
    if (is_repair) {
        snprintf(text, sizeof text, "Another audiosession-hand serves with '%.300s': nothing to repair.", path);
        return fail(text, EX_OK);
    }
    snprintf(text, sizeof text, "Another audiosession-hand serves with '%.300s'; use another --journal, or end it.",
             path);
    return fail(text, EX_TEMPFAIL);
}

static int run(const hand_options_t *options) {
    char path[PATH_MAX];
    char error[PATH_MAX + 128];
    journal_t journal;
    if (options->journal == NULL && !journal_default_path(path, error, sizeof error)) {
        return fail(error, EX_CANTCREAT);
    }
    const char *chosen = options->journal != NULL ? options->journal : path;
    const int locked = journal_lock(&journal, chosen);
    if (locked == -EWOULDBLOCK) {
        return yield(chosen, options->is_repair);
    }
    if (locked != 0) {
        snprintf(error, sizeof error, "Cannot lock the journal '%s': %s.", chosen, strerror(-locked));
        return fail(error, EX_CANTCREAT);
    }
    journal_read(&journal);
    int status = EX_OK;
    if (!options->is_repair || journal.count > 0) {
        pw_init(NULL, NULL);
        status = service_run(&journal, options);
        pw_deinit();
    }
    journal_close(&journal);
    return status;
}

int main(int argc, char **argv) {
    platform_begin_program();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    hand_options_t options;
    char error[400] = "";
    switch (options_parse(argc, argv, &options, error, sizeof error)) {
    case OPTIONS_HELP:
        options_print_help();
        return EX_OK;
    case OPTIONS_VERSION:
        platform_print_version("audiosession-hand");
        return EX_OK;
    case OPTIONS_BAD:
        return fail(error, EX_USAGE);
    case OPTIONS_RUN:
        break;
    }
    if (options.is_inspection) {
        pw_init(NULL, NULL);
        const int status = inspect_run(&options);
        pw_deinit();
        return status;
    }
    return run(&options);
}
