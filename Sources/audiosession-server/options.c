#include "options.h"

#include <fcntl.h>
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
    "  --version             print the version\n"
    "\n"
    "Defaults are in parentheses. Uses real-time scheduling if the system permits it. SIGTERM and SIGINT end\n"
    "the server.\n"
    "Exit status: 0 success, 64 usage error, 71 cannot continue in the background; without --detach also:\n"
    "69 the server cannot run, 70 no driver works any longer, 71 cannot receive signals.\n";

void options_print_help(void) { fputs(help, stdout); }

static bool parse_name(const char *text, const char **name, platform_error_t error) {
    size_t length = strlen(text);
    size_t valid = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
    *name = text;
    if (length > 0 && length <= NAME_LIMIT && valid == length) {
        return true;
    }
    snprintf(error.text, error.size, "--name takes 1 to %d letters, digits, '-', '_' or '.', not '%s'.", NAME_LIMIT,
             text);
    return false;
}

static bool parse_driver(const char *text, server_driver_t *driver, platform_error_t error) {
    if (strcmp(text, "auto") == 0) {
        *driver = SERVER_DRIVER_AUTO;
    } else if (strcmp(text, "alsa") == 0) {
        *driver = SERVER_DRIVER_ALSA;
    } else if (strcmp(text, "dummy") == 0) {
        *driver = SERVER_DRIVER_DUMMY;
    } else {
        snprintf(error.text, error.size, "--driver takes auto, alsa or dummy, not '%s'.", text);
        return false;
    }
    return true;
}

static bool parse_device(const char *text, const char **device, platform_error_t error) {
    *device = text;
    if (text[0] != '\0' && strlen(text) <= DEVICE_LIMIT) {
        return true;
    }
    snprintf(error.text, error.size, "--device takes the name of an ALSA device, such as hw:0, not '%.40s'.", text);
    return false;
}

static bool parse_socket(const char *text, const char **path, platform_error_t error) {
    *path = text;
    if (text[0] != '\0' && strlen(text) <= SOCKET_LIMIT) {
        return true;
    }
    snprintf(error.text, error.size, "--control takes a path of 1 to %d bytes, not '%.40s'.", SOCKET_LIMIT, text);
    return false;
}

static bool parse_descriptor(const char *text, int *descriptor, platform_error_t error) {
    unsigned long number = 0;
    if (!platform_parse_number("--ready-fd", text, 0, 1048576, &number, error)) {
        return false;
    }
    if (fcntl((int)number, F_GETFD) != -1) {
        *descriptor = (int)number;
        return true;
    }
    snprintf(error.text, error.size, "--ready-fd names descriptor %s, which is not open.", text);
    return false;
}

// Values of `getopt_long` for the options.
enum {
    OPTION_NAME = PLATFORM_OPTION_VERSION + 1,
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
    {"help", no_argument, NULL, PLATFORM_OPTION_HELP},  {"version", no_argument, NULL, PLATFORM_OPTION_VERSION},
    {"name", required_argument, NULL, OPTION_NAME},     {"driver", required_argument, NULL, OPTION_DRIVER},
    {"device", required_argument, NULL, OPTION_DEVICE}, {"rate", required_argument, NULL, OPTION_RATE},
    {"period", required_argument, NULL, OPTION_PERIOD}, {"idle-exit", required_argument, NULL, OPTION_IDLE_EXIT},
    {"sync", no_argument, NULL, OPTION_SYNC},           {"ready-fd", required_argument, NULL, OPTION_READY_FD},
    {"lock", required_argument, NULL, OPTION_LOCK},     {"control", required_argument, NULL, OPTION_CONTROL},
    {"detach", no_argument, NULL, OPTION_DETACH},       {NULL, 0, NULL, 0},
};

/// Stores an option with a number as its value.
static bool parse_count(int option, const char *text, server_options_t *options, platform_error_t error) {
    unsigned long number = 0;
    bool valid = false;
    switch (option) {
    case OPTION_RATE:
        valid = platform_parse_number("--rate", text, SERVER_RATE_MIN, SERVER_RATE_MAX, &number, error);
        options->sample_rate = (uint32_t)number;
        break;
    case OPTION_PERIOD:
        valid = platform_parse_number("--period", text, 16, 8192, &number, error);
        options->period = (uint32_t)number;
        break;
    default:
        valid = platform_parse_number("--idle-exit", text, 0, 86400, &number, error);
        options->idle_exit = (uint32_t)number;
        break;
    }
    return valid;
}

/// Stores an option other than --help and --version. `text`: its value; NULL for an option without
/// one.
static bool store(void *context, int option, const char *text, platform_error_t error) {
    server_options_t *options = context;
    switch (option) {
    case OPTION_NAME:
        return parse_name(text, &options->name, error);
    case OPTION_DRIVER:
        return parse_driver(text, &options->driver, error);
    case OPTION_DEVICE:
        return parse_device(text, &options->device, error);
    case OPTION_READY_FD:
        return parse_descriptor(text, &options->ready_fd, error);
    case OPTION_CONTROL:
        return parse_socket(text, &options->control_path, error);
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
        return parse_count(option, text, options, error);
    }
}

platform_options_result_t options_parse(int argc, char **argv, server_options_t *options, char *error,
                                        unsigned long error_size) {
    *options = (server_options_t){.name = "audiosession",
                                  .driver = SERVER_DRIVER_AUTO,
                                  .sample_rate = 48000,
                                  .period = 1024,
                                  .idle_exit = 10,
                                  .ready_fd = -1};
    return platform_parse_options(argc, argv, table, store, options, (platform_error_t){error, error_size});
}
