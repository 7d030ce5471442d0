#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LIMIT 31
#define DEVICE_LIMIT 127
#define SOCKET_LIMIT 107

static const char *const help =
    "audiosession-server: runs a JACK server for apps that use audio sessions, and exits when no client uses it.\n"
    "\n"
    "usage: audiosession-server [options]\n"
    "\n"
    "  --name NAME           name of the server: 1 to 31 letters, digits, '-', '_' or '.' (audiosession)\n"
    "  --driver KIND         auto, alsa or dummy (auto)\n"
    "                        auto: ALSA if --device can be opened, otherwise dummy\n"
    "  --device DEVICE       ALSA device, such as hw:0 (that of the first sound card)\n"
    "  --rate HZ             sample rate, 8000 to 384000 (48000)\n"
    "  --period FRAMES       frames per period, 16 to 8192 (1024)\n"
    "  --idle-exit SECONDS   exit after this long without clients, 1 to 86400; 0: never (10)\n"
    "  --sync                synchronous mode (jackd -S): one period less latency, but a client that is late\n"
    "                        causes a dropout\n"
    "  --ready-fd N          write 'ready' to this descriptor once clients can connect, or one sentence with\n"
    "                        the reason if the server cannot run\n"
    "  --lock PATH           an existing file that clients lock (flock) while they connect: the server takes\n"
    "                        the lock before an idle exit, and keeps running if a client holds it\n"
    "  --control PATH        create this socket, for requests to change the rate and for the status\n"
    "  --detach              continue in the background, in the folder / (give absolute paths); the command exits\n"
    "                        with 0 before the server runs (see --ready-fd)\n"
    "  --help                print this help\n"
    "\n"
    "Defaults are in parentheses. Uses real-time scheduling if the system permits it. SIGTERM and SIGINT end\n"
    "the server.\n"
    "Exit status: 0 success, 64 usage error, 71 cannot continue in the background; without --detach also:\n"
    "69 the server cannot run, 70 no driver works any longer, 71 cannot receive signals.\n";

/// The buffer for an error message.
typedef struct error_buffer {
    char *text;
    unsigned long size;
} error_buffer_t;

void options_print_help(void) { fputs(help, stdout); }

static bool parse_number(const char *option, const char *text, unsigned long low, unsigned long high,
                         unsigned long *value, error_buffer_t error_buffer) {
    char *end = NULL;
    errno = 0;
    *value = strtoul(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (digits && errno == 0 && *value >= low && *value <= high) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "%s takes a whole number from %lu to %lu, not '%s'.", option, low,
             high, text);
    return false;
}

static bool parse_name(const char *text, const char **name, error_buffer_t error_buffer) {
    size_t length = strlen(text);
    size_t valid = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
    *name = text;
    if (length > 0 && length <= NAME_LIMIT && valid == length) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "--name takes 1 to %d letters, digits, '-', '_' or '.', not '%s'.",
             NAME_LIMIT, text);
    return false;
}

static bool parse_driver(const char *text, server_driver_t *driver, error_buffer_t error_buffer) {
    if (strcmp(text, "auto") == 0) {
        *driver = SERVER_DRIVER_AUTO;
    } else if (strcmp(text, "alsa") == 0) {
        *driver = SERVER_DRIVER_ALSA;
    } else if (strcmp(text, "dummy") == 0) {
        *driver = SERVER_DRIVER_DUMMY;
    } else {
        snprintf(error_buffer.text, error_buffer.size, "--driver takes auto, alsa or dummy, not '%s'.", text);
        return false;
    }
    return true;
}

static bool parse_device(const char *text, const char **device, error_buffer_t error_buffer) {
    *device = text;
    if (text[0] != '\0' && strlen(text) <= DEVICE_LIMIT) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size,
             "--device takes the name of an ALSA device, such as hw:0, not '%.40s'.", text);
    return false;
}

static bool parse_socket(const char *text, const char **path, error_buffer_t error_buffer) {
    *path = text;
    if (text[0] != '\0' && strlen(text) <= SOCKET_LIMIT) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "--control takes a path of 1 to %d bytes, not '%.40s'.",
             SOCKET_LIMIT, text);
    return false;
}

static bool parse_descriptor(const char *text, int *descriptor, error_buffer_t error_buffer) {
    unsigned long number = 0;
    if (!parse_number("--ready-fd", text, 0, 1048576, &number, error_buffer)) {
        return false;
    }
    if (fcntl((int)number, F_GETFD) != -1) {
        *descriptor = (int)number;
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "--ready-fd names descriptor %s, which is not open.", text);
    return false;
}

// Values of `getopt_long` for the options.
enum {
    OPTION_HELP = 1,
    OPTION_NAME,
    OPTION_DRIVER,
    OPTION_DEVICE,
    OPTION_RATE,
    OPTION_PERIOD,
    OPTION_IDLE_EXIT,
    OPTION_SYNC,
    OPTION_READY_FD,
    OPTION_LOCK,
    OPTION_CONTROL,
    OPTION_DETACH,
};

static const struct option table[] = {
    {"help", no_argument, NULL, OPTION_HELP},
    {"name", required_argument, NULL, OPTION_NAME},
    {"driver", required_argument, NULL, OPTION_DRIVER},
    {"device", required_argument, NULL, OPTION_DEVICE},
    {"rate", required_argument, NULL, OPTION_RATE},
    {"period", required_argument, NULL, OPTION_PERIOD},
    {"idle-exit", required_argument, NULL, OPTION_IDLE_EXIT},
    {"sync", no_argument, NULL, OPTION_SYNC},
    {"ready-fd", required_argument, NULL, OPTION_READY_FD},
    {"lock", required_argument, NULL, OPTION_LOCK},
    {"control", required_argument, NULL, OPTION_CONTROL},
    {"detach", no_argument, NULL, OPTION_DETACH},
    {NULL, 0, NULL, 0},
};

/// Stores an option with a number as its value.
static bool parse_count(int option, const char *text, server_options_t *options, error_buffer_t error_buffer) {
    unsigned long number = 0;
    bool valid = false;
    switch (option) {
    case OPTION_RATE:
        valid = parse_number("--rate", text, SERVER_RATE_MIN, SERVER_RATE_MAX, &number, error_buffer);
        options->sample_rate = (uint32_t)number;
        break;
    case OPTION_PERIOD:
        valid = parse_number("--period", text, 16, 8192, &number, error_buffer);
        options->period = (uint32_t)number;
        break;
    default:
        valid = parse_number("--idle-exit", text, 0, 86400, &number, error_buffer);
        options->idle_exit = (uint32_t)number;
        break;
    }
    return valid;
}

/// Stores an option other than --help. `text`: its value; NULL for an option without one.
static bool store(int option, const char *text, server_options_t *options, error_buffer_t error_buffer) {
    switch (option) {
    case OPTION_NAME:
        return parse_name(text, &options->name, error_buffer);
    case OPTION_DRIVER:
        return parse_driver(text, &options->driver, error_buffer);
    case OPTION_DEVICE:
        return parse_device(text, &options->device, error_buffer);
    case OPTION_READY_FD:
        return parse_descriptor(text, &options->ready_fd, error_buffer);
    case OPTION_CONTROL:
        return parse_socket(text, &options->control_path, error_buffer);
    case OPTION_LOCK:
        options->lock_path = text;
        return true;
    case OPTION_SYNC:
        options->sync = true;
        return true;
    case OPTION_DETACH:
        options->detach = true;
        return true;
    default:
        return parse_count(option, text, options, error_buffer);
    }
}

options_result_t options_parse(int argc, char **argv, server_options_t *options, char *error,
                               unsigned long error_size) {
    *options = (server_options_t){.name = "audiosession",
                                  .driver = SERVER_DRIVER_AUTO,
                                  .sample_rate = 48000,
                                  .period = 1024,
                                  .idle_exit = 10,
                                  .ready_fd = -1};
    while (optind < argc) {
        const char *argument = argv[optind];
        // "+": stops at the first argument that is no option. ":": reports a missing value as ':'.
        const int option = getopt_long(argc, argv, "+:", table, NULL);
        if (option == OPTION_HELP) {
            return OPTIONS_HELP;
        }
        if (option == -1 || option == '?') {
            snprintf(error, error_size, "Unknown option '%.60s'; --help lists the options.", argument);
            return OPTIONS_BAD;
        }
        if (option == ':') {
            snprintf(error, error_size, "%s needs a value; see --help.", argument);
            return OPTIONS_BAD;
        }
        if (!store(option, optarg, options, (error_buffer_t){error, error_size})) {
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_RUN;
}
