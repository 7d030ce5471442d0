#include "options.h"

#include <errno.h>
#include <fcntl.h>
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
    "\n"
    "Its ports are playback_1… and capture_1…. SIGTERM and SIGINT unplug it in an orderly way; SIGKILL has the effect\n"
    "of pulling the cable. It exits when the server does. Types:\n";

static const char *const statuses =
    "\nexit status: 0 success, 64 usage error, 69 the server is not running, has ended, or refused the device,\n"
    "70 internal error, 71 cannot continue in the background or receive signals, 74 the recording is incomplete\n";

/// The buffer for an error message.
typedef struct error_buffer {
    char *text;
    unsigned long size;
} error_buffer_t;

void options_print_help(void) {
    fputs(help, stdout);
    const char *separator = "  ";
    for (const char *const *kind = virtual_device_kinds(); *kind != NULL; kind++) {
        printf("%s%s", separator, *kind);
        separator = (kind - virtual_device_kinds()) % 7 == 6 ? "\n  " : ", ";
    }
    fputs(statuses, stdout);
}

static bool parse_number(const char *option, const char *text, unsigned long high, unsigned long *value,
                         error_buffer_t error_buffer) {
    char *end = NULL;
    errno = 0;
    *value = strtoul(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= high) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "%s takes a whole number from 0 to %lu, not '%.40s'.", option, high,
             text);
    return false;
}

static bool parse_hertz(const char *text, double *value, error_buffer_t error_buffer) {
    char *end = NULL;
    *value = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *value > 0 && *value < 1e6) {
        return true;
    }
    snprintf(error_buffer.text, error_buffer.size, "--tone takes a frequency in Hz above 0, not '%.40s'.", text);
    return false;
}

static bool parse_descriptor(const char *text, int *descriptor, error_buffer_t error_buffer) {
    unsigned long number = 0;
    if (!parse_number("--ready-fd", text, 1048576, &number, error_buffer)) {
        return false;
    }
    *descriptor = (int)number;
    return true;
}

/// Returns where the text of an option is stored; NULL for options whose value is parsed.
static const char **text_of(const char *option, virtual_device_options_t *device) {
    if (strcmp(option, "--name") == 0) {
        return &device->name;
    }
    if (strcmp(option, "--type") == 0) {
        return &device->kind;
    }
    if (strcmp(option, "--server") == 0) {
        return &device->server;
    }
    if (strcmp(option, "--capture") == 0) {
        return &device->capture_path;
    }
    return strcmp(option, "--source") == 0 ? &device->source_path : NULL;
}

/// Parses an option that takes a value.
static bool parse_value(const char *option, const char *text, device_options_t *options, error_buffer_t error_buffer) {
    virtual_device_options_t *device = &options->device;
    unsigned long number = 0;
    const char **kept = text_of(option, device);
    if (kept != NULL) {
        *kept = text;
        if (strcmp(option, "--source") == 0) {
            device->sound = VIRTUAL_DEVICE_FILE;
        }
        return true;
    }
    if (strcmp(option, "--ready-fd") == 0) {
        return parse_descriptor(text, &options->ready_fd, error_buffer);
    }
    if (strcmp(option, "--tone") == 0) {
        device->sound = VIRTUAL_DEVICE_TONE;
        return parse_hertz(text, &device->tone_hz, error_buffer);
    }
    bool is_latency = strcmp(option, "--latency") == 0;
    unsigned long high = is_latency ? VIRTUAL_DEVICE_MAX_LATENCY : VIRTUAL_DEVICE_MAX_PORTS;
    bool valid = parse_number(option, text, high, &number, error_buffer);
    uint32_t *count = is_latency                         ? &device->latency
                      : strcmp(option, "--outputs") == 0 ? &device->outputs
                                                         : &device->inputs;
    *count = (uint32_t)number;
    return valid;
}

static bool takes_value(const char *option) {
    static const char *const names[] = {"--name",    "--type",   "--outputs", "--inputs",   "--server", "--latency",
                                        "--capture", "--source", "--tone",    "--ready-fd", NULL};
    for (const char *const *name = names; *name != NULL; name++) {
        if (strcmp(option, *name) == 0) {
            return true;
        }
    }
    return false;
}

static bool parse_flag(const char *option, device_options_t *options) {
    if (strcmp(option, "--detach") == 0) {
        options->detach = true;
    } else if (strcmp(option, "--return") == 0) {
        options->replug = true;
    } else if (strcmp(option, "--ramp") == 0) {
        options->device.sound = VIRTUAL_DEVICE_RAMP;
    } else {
        return false;
    }
    return true;
}

options_result_t options_parse(int argc, char **argv, device_options_t *options, char *error,
                               unsigned long error_size) {
    error_buffer_t error_buffer = {error, error_size};
    *options = (device_options_t){.device = {.outputs = 2}, .ready_fd = -1};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0) {
            return OPTIONS_HELP;
        }
        if (parse_flag(option, options)) {
            continue;
        }
        if (!takes_value(option)) {
            snprintf(error, error_size, "Unknown option '%.60s'; --help lists the options.", option);
            return OPTIONS_BAD;
        }
        if (++i == argc) {
            snprintf(error, error_size, "%s needs a value; see --help.", option);
            return OPTIONS_BAD;
        }
        if (!parse_value(option, argv[i], options, error_buffer)) {
            return OPTIONS_BAD;
        }
    }
    if (options->device.name != NULL && options->device.kind != NULL) {
        return OPTIONS_RUN;
    }
    snprintf(error, error_size, "A device needs --name and --type; --help lists the types.");
    return OPTIONS_BAD;
}
