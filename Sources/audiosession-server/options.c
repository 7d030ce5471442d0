#include "options.h"

#include <errno.h>
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

/// Parses an option that takes a value.
static bool parse_value(const char *option, const char *text, server_options_t *options, error_buffer_t error_buffer) {
    unsigned long number = 0;
    if (strcmp(option, "--name") == 0) {
        return parse_name(text, &options->name, error_buffer);
    }
    if (strcmp(option, "--driver") == 0) {
        return parse_driver(text, &options->driver, error_buffer);
    }
    if (strcmp(option, "--device") == 0) {
        return parse_device(text, &options->device, error_buffer);
    }
    if (strcmp(option, "--ready-fd") == 0) {
        return parse_descriptor(text, &options->ready_fd, error_buffer);
    }
    if (strcmp(option, "--control") == 0) {
        return parse_socket(text, &options->control_path, error_buffer);
    }
    if (strcmp(option, "--lock") == 0) {
        options->lock_path = text;
        return true;
    }
    bool valid = false;
    if (strcmp(option, "--rate") == 0) {
        valid = parse_number(option, text, SERVER_RATE_MIN, SERVER_RATE_MAX, &number, error_buffer);
        options->sample_rate = (uint32_t)number;
    } else if (strcmp(option, "--period") == 0) {
        valid = parse_number(option, text, 16, 8192, &number, error_buffer);
        options->period = (uint32_t)number;
    } else if (strcmp(option, "--idle-exit") == 0) {
        valid = parse_number(option, text, 0, 86400, &number, error_buffer);
        options->idle_exit = (uint32_t)number;
    }
    return valid;
}

static bool takes_value(const char *option) {
    static const char *const names[] = {"--name",      "--driver",   "--device", "--rate",    "--period",
                                        "--idle-exit", "--ready-fd", "--lock",   "--control", NULL};
    for (const char *const *name = names; *name != NULL; name++) {
        if (strcmp(option, *name) == 0) {
            return true;
        }
    }
    return false;
}

options_result_t options_parse(int argc, char **argv, server_options_t *options, char *error,
                               unsigned long error_size) {
    error_buffer_t error_buffer = {error, error_size};
    *options = (server_options_t){.name = "audiosession",
                                  .driver = SERVER_DRIVER_AUTO,
                                  .sample_rate = 48000,
                                  .period = 1024,
                                  .idle_exit = 10,
                                  .ready_fd = -1};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0) {
            return OPTIONS_HELP;
        }
        if (strcmp(option, "--sync") == 0) {
            options->sync = true;
        } else if (strcmp(option, "--detach") == 0) {
            options->detach = true;
        } else if (!takes_value(option)) {
            snprintf(error, error_size, "Unknown option '%.60s'; --help lists the options.", option);
            return OPTIONS_BAD;
        } else if (++i == argc) {
            snprintf(error, error_size, "%s needs a value; see --help.", option);
            return OPTIONS_BAD;
        } else if (!parse_value(option, argv[i], options, error_buffer)) {
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_RUN;
}
