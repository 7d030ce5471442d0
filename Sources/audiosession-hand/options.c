#define _GNU_SOURCE
#include "options.h"

#include <stdio.h>

static const char *const help =
    "audiosession-hand: lowers, holds and frees the PipeWire streams of other programs, as its parent commands.\n"
    "\n"
    "usage: audiosession-hand [--repair | --inspect] [options]\n"
    "\n"
    "  --repair           free the streams that an earlier process, which was killed, has left altered, and exit\n"
    "  --inspect          print what there is on PipeWire that concerns adoption, as KEY=VALUE lines, and exit\n"
    "  --journal FILE     file that names the altered streams (audiosession/streams.journal in XDG_RUNTIME_DIR)\n"
    "  --remote NAME      PipeWire to connect to (the default one: PIPEWIRE_REMOTE, else 'pipewire-0')\n"
    "  --help             print this help\n"
    "  --version          print the version\n"
    "\n"
    "Reads commands from standard input, a line each, and writes events to standard output:\n"
    "\n"
    "  level ID DB MS     let the stream run, DB decibels below its volume, or 'silence', within MS milliseconds;\n"
    "                     0 removes everything that was set\n"
    "  hold ID MS         silence the stream within MS milliseconds, and pause it at its frame\n"
    "  detect ID DB MS    report when the stream is audible: DB decibels below full scale, until MS milliseconds of\n"
    "                     silence; 'detect ID off' ends that\n"
    "\n"
    "At the end of the input, at SIGTERM and at SIGINT it frees all streams and exits. The page ForeignPrograms.md\n"
    "of the documentation describes the events.\n"
    "\n"
    "exit status: 0 success, 64 usage error, 69 PipeWire is not running, or has ended, 71 internal error,\n"
    "73 the journal cannot be created, 74 the reader of the events is gone, 75 another process has the journal, the\n"
    "reader of the events does not read them, or --repair could not free all streams\n";

void options_print_help(void) { fputs(help, stdout); }

// Values of `getopt_long` for the options.
enum { OPTION_REPAIR = PLATFORM_OPTION_VERSION + 1, OPTION_INSPECT, OPTION_JOURNAL, OPTION_REMOTE };

static const struct option table[] = {
    {"help", no_argument, NULL, PLATFORM_OPTION_HELP},
    {"version", no_argument, NULL, PLATFORM_OPTION_VERSION},
    {"repair", no_argument, NULL, OPTION_REPAIR},
    {"inspect", no_argument, NULL, OPTION_INSPECT},
    {"journal", required_argument, NULL, OPTION_JOURNAL},
    {"remote", required_argument, NULL, OPTION_REMOTE},
    {NULL, 0, NULL, 0},
};

/// Stores an option other than --help and --version.
static bool store(void *context, int option, const char *text, platform_error_t error) {
    hand_options_t *options = context;
    if (option == OPTION_REPAIR) {
        options->is_repair = true;
        return true;
    }
    if (option == OPTION_INSPECT) {
        options->is_inspection = true;
        return true;
    }
    if (text[0] == '\0') {
        snprintf(error.text, error.size, "--%s needs a value.", option == OPTION_JOURNAL ? "journal" : "remote");
        return false;
    }
    if (option == OPTION_JOURNAL) {
        options->journal = text;
    } else {
        options->remote = text;
    }
    return true;
}

platform_options_result_t options_parse(int argc, char **argv, hand_options_t *options, char *error,
                                        unsigned long error_size) {
    *options = (hand_options_t){.journal = NULL};
    const platform_options_result_t result =
        platform_parse_options(argc, argv, table, store, options, (platform_error_t){error, error_size});
    if (result == OPTIONS_RUN && options->is_repair && options->is_inspection) {
        snprintf(error, error_size, "--inspect and --repair cannot be combined; give one of them.");
        return OPTIONS_BAD;
    }
    return result;
}
