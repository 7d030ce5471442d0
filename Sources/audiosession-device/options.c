#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const help =
    "audiosession-device: adds a virtual device to a JACK server, for tests and to try routes without hardware.\n"
    "\n"
    "usage: audiosession-device --name NAME --type TYPE [options]\n"
    "\n"
    "  --name NAME        name of the device, without :/\"\\\n"
    "  --type TYPE        type of device, one of those below\n"
    "  --outputs N        channels towards the device's terminals, 0 to 64 (2)\n"
    "  --inputs N         channels from the device's terminals, 0 to 64 (0)\n"
    "  --server NAME      JACK server to plug into (the default one: JACK_DEFAULT_SERVER, else 'default')\n"
    "  --latency FRAMES   latency to report between its ports and its terminals, 0 to 1048576 (0)\n"
    "  --capture FILE     record everything that arrives, from the first frame, as a WAV file of 32-bit floats\n"
    "  --ramp             signal from the device's terminals: a ramp that counts frames, (n modulo 2^20 + 1) / 2^20\n"
    "  --tone HZ          signal from the device's terminals: a sine of half the full scale\n"
    "  --source FILE      signal from the device's terminals: a sound file, in a loop\n"
    "  --return           when the server ends, plug in again once one is running; --capture starts over\n"
    "  --ready-fd N       write 'ready' to this descriptor once the ports exist, or one sentence with the reason\n"
    "                     if they cannot be created\n"
    "  --detach           continue in the background\n"
    "  --help             print this help\n"
    "  --version          print the version\n"
    "\n"
    "Its ports are playback_1… and capture_1…. SIGTERM and SIGINT unplug it in an orderly way; SIGKILL has the effect\n"
    "of pulling the cable. It exits when the server does. Types:\n";

static const char *const statuses =
    "\nexit status: 0 success, 64 usage error, 69 the server is not running, has ended, or refused the device,\n"
    "70 internal error, 71 cannot continue in the background or receive signals, 74 the recording is incomplete\n";

void options_print_help(void) {
    fputs(help, stdout);
    const char *separator = "  ";
    for (const char *const *kind = virtual_device_kinds(); *kind != NULL; kind++) {
        printf("%s%s", separator, *kind);
        separator = (kind - virtual_device_kinds()) % 7 == 6 ? "\n  " : ", ";
    }
    fputs(statuses, stdout);
}

static bool parse_hertz(const char *text, double *value, platform_error_t error) {
    char *end = NULL;
    *value = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *value > 0 && *value < 1e6) {
        return true;
    }
    snprintf(error.text, error.size, "--tone takes a frequency in Hz above 0, not '%.40s'.", text);
    return false;
}

// Values of `getopt_long` for the options.
enum {
    OPTION_NAME = PLATFORM_OPTION_VERSION + 1,
    OPTION_TYPE,
    OPTION_OUTPUTS,
    OPTION_INPUTS,
    OPTION_SERVER,
    OPTION_LATENCY,
    OPTION_CAPTURE,
    OPTION_RAMP,
    OPTION_TONE,
    OPTION_SOURCE,
    OPTION_RETURN,
    OPTION_READY_FD,
    OPTION_DETACH,
};

static const struct option table[] = {
    {"help", no_argument, NULL, PLATFORM_OPTION_HELP},    {"version", no_argument, NULL, PLATFORM_OPTION_VERSION},
    {"name", required_argument, NULL, OPTION_NAME},       {"type", required_argument, NULL, OPTION_TYPE},
    {"outputs", required_argument, NULL, OPTION_OUTPUTS}, {"inputs", required_argument, NULL, OPTION_INPUTS},
    {"server", required_argument, NULL, OPTION_SERVER},   {"latency", required_argument, NULL, OPTION_LATENCY},
    {"capture", required_argument, NULL, OPTION_CAPTURE}, {"ramp", no_argument, NULL, OPTION_RAMP},
    {"tone", required_argument, NULL, OPTION_TONE},       {"source", required_argument, NULL, OPTION_SOURCE},
    {"return", no_argument, NULL, OPTION_RETURN},         {"ready-fd", required_argument, NULL, OPTION_READY_FD},
    {"detach", no_argument, NULL, OPTION_DETACH},         {NULL, 0, NULL, 0},
};

/// Stores an option with a number as its value.
static bool parse_count(int option, const char *text, device_options_t *options, platform_error_t error) {
    unsigned long number = 0;
    bool valid = false;
    switch (option) {
    case OPTION_LATENCY:
        valid = platform_parse_number("--latency", text, 0, VIRTUAL_DEVICE_MAX_LATENCY, &number, error);
        options->device.latency = (uint32_t)number;
        break;
    case OPTION_OUTPUTS:
        valid = platform_parse_number("--outputs", text, 0, VIRTUAL_DEVICE_MAX_PORTS, &number, error);
        options->device.outputs = (uint32_t)number;
        break;
    case OPTION_INPUTS:
        valid = platform_parse_number("--inputs", text, 0, VIRTUAL_DEVICE_MAX_PORTS, &number, error);
        options->device.inputs = (uint32_t)number;
        break;
    default:
        valid = platform_parse_number("--ready-fd", text, 0, 1048576, &number, error);
        options->ready_fd = (int)number;
        break;
    }
    return valid;
}

/// Stores an option other than --help and --version. `text`: its value; NULL for an option without
/// one.
static bool store(void *context, int option, const char *text, platform_error_t error) {
    device_options_t *options = context;
    virtual_device_options_t *device = &options->device;
    switch (option) {
    case OPTION_NAME:
        device->name = text;
        return true;
    case OPTION_TYPE:
        device->kind = text;
        return true;
    case OPTION_SERVER:
        device->server = text;
        return true;
    case OPTION_CAPTURE:
        device->capture_path = text;
        return true;
    case OPTION_SOURCE:
        device->source_path = text;
        device->sound = VIRTUAL_DEVICE_FILE;
        return true;
    case OPTION_TONE:
        device->sound = VIRTUAL_DEVICE_TONE;
        return parse_hertz(text, &device->tone_hz, error);
    case OPTION_RAMP:
        device->sound = VIRTUAL_DEVICE_RAMP;
        return true;
    case OPTION_RETURN:
        options->replug = true;
        return true;
    case OPTION_DETACH:
        options->detach = true;
        return true;
    default:
        return parse_count(option, text, options, error);
    }
}

platform_options_result_t options_parse(int argc, char **argv, device_options_t *options, char *error,
                                        unsigned long error_size) {
    *options = (device_options_t){.device = {.outputs = 2}, .ready_fd = -1};
    const platform_options_result_t result =
        platform_parse_options(argc, argv, table, store, options, (platform_error_t){error, error_size});
    if (result != OPTIONS_RUN || (options->device.name != NULL && options->device.kind != NULL)) {
        return result;
    }
    snprintf(error, error_size, "A device needs --name and --type; --help lists the types.");
    return OPTIONS_BAD;
}
