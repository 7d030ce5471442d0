#include "options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const help =
    "audiosession-device: stands for a device on a JACK server, for tests and for trying what a cable does.\n"
    "\n"
    "usage: audiosession-device --name NAME --type KIND [options]\n"
    "\n"
    "  --name NAME        name of the device, none of :/\"\\\n"
    "  --type KIND        what it stands for, of those below\n"
    "  --outputs N        channels towards the air, 0 to 64 (2)\n"
    "  --inputs N         channels from the air, 0 to 64 (0)\n"
    "  --server NAME      JACK server to plug into (the default one: JACK_DEFAULT_SERVER, else 'default')\n"
    "  --latency FRAMES   frames between its ports and the air, as the server is told, 0 to 1048576 (0)\n"
    "  --capture FILE     record all that arrives, from the first frame, as a WAV file of 32-bit floats\n"
    "  --ramp             from the air comes a ramp that counts frames: (n modulo 2^20 + 1) / 2^20\n"
    "  --tone HZ          from the air comes a sine of half the full scale\n"
    "  --source FILE      from the air comes a sound file, over and over\n"
    "  --return           when the server ends, plug in again as soon as there is one; --capture begins anew\n"
    "  --ready-fd N       write 'ready' to this descriptor once the ports are there, or one sentence why not\n"
    "  --detach           go on in the background\n"
    "  --help             print this\n"
    "\n"
    "Its ports are playback_1… and capture_1…. SIGTERM and SIGINT unplug it in order; SIGKILL is a cable that is "
    "pulled.\n"
    "It ends when the server does. Kinds:\n";

static const char *const statuses =
    "\nexit status: 0 fine, 64 usage, 69 the server is not there, went away, or does not take the device,\n"
    "70 internal error, 74 not all that arrived was recorded\n";

/// Where a refusal is written.
typedef struct complaint {
    char *text;
    unsigned long size;
} complaint_t;

void options_print_help(void) {
    fputs(help, stdout);
    const char *separator = "  ";
    for (const char *const *kind = stand_in_kinds(); *kind; kind++) {
        printf("%s%s", separator, *kind);
        separator = (kind - stand_in_kinds()) % 7 == 6 ? "\n  " : ", ";
    }
    fputs(statuses, stdout);
}

static bool parse_number(const char *option, const char *text, unsigned long high, unsigned long *value,
                         complaint_t complaint) {
    char *end = NULL;
    errno = 0;
    *value = strtoul(text, &end, 10);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= high)
        return true;
    snprintf(complaint.text, complaint.size, "%s takes a whole number from 0 to %lu, not '%.40s'.", option, high, text);
    return false;
}

static bool parse_hertz(const char *text, double *value, complaint_t complaint) {
    char *end = NULL;
    *value = strtod(text, &end);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && *value > 0 && *value < 1e6)
        return true;
    snprintf(complaint.text, complaint.size, "--tone takes a frequency in Hz above 0, not '%.40s'.", text);
    return false;
}

static bool parse_descriptor(const char *text, int *descriptor, complaint_t complaint) {
    unsigned long number = 0;
    if (!parse_number("--ready-fd", text, 1048576, &number, complaint))
        return false;
    *descriptor = (int)number;
    return true;
}

/// Where the text of an option goes that is taken as it is; NULL for others.
static const char **text_of(const char *option, stand_in_options_t *device) {
    if (strcmp(option, "--name") == 0)
        return &device->name;
    if (strcmp(option, "--type") == 0)
        return &device->kind;
    if (strcmp(option, "--server") == 0)
        return &device->server;
    if (strcmp(option, "--capture") == 0)
        return &device->capture_path;
    return strcmp(option, "--source") == 0 ? &device->source_path : NULL;
}

/// Reads an option that takes a value.
static bool parse_value(const char *option, const char *text, device_options_t *options, complaint_t complaint) {
    stand_in_options_t *device = &options->device;
    unsigned long number = 0;
    const char **kept = text_of(option, device);
    if (kept) {
        *kept = text;
        if (strcmp(option, "--source") == 0)
            device->sound = STAND_IN_FILE;
        return true;
    }
    if (strcmp(option, "--ready-fd") == 0)
        return parse_descriptor(text, &options->ready_fd, complaint);
    if (strcmp(option, "--tone") == 0) {
        device->sound = STAND_IN_TONE;
        return parse_hertz(text, &device->tone_hz, complaint);
    }
    bool is_latency = strcmp(option, "--latency") == 0;
    unsigned long high = is_latency ? STAND_IN_MAX_LATENCY : STAND_IN_MAX_PORTS;
    bool valid = parse_number(option, text, high, &number, complaint);
    uint32_t *count = is_latency                         ? &device->latency
                      : strcmp(option, "--outputs") == 0 ? &device->outputs
                                                         : &device->inputs;
    *count = (uint32_t)number;
    return valid;
}

static bool takes_value(const char *option) {
    static const char *const names[] = {"--name",    "--type",   "--outputs", "--inputs",   "--server", "--latency",
                                        "--capture", "--source", "--tone",    "--ready-fd", NULL};
    for (const char *const *name = names; *name; name++)
        if (strcmp(option, *name) == 0)
            return true;
    return false;
}

static bool parse_flag(const char *option, device_options_t *options) {
    if (strcmp(option, "--detach") == 0)
        options->detach = true;
    else if (strcmp(option, "--return") == 0)
        options->comes_back = true;
    else if (strcmp(option, "--ramp") == 0)
        options->device.sound = STAND_IN_RAMP;
    else
        return false;
    return true;
}

options_result_t options_parse(int argc, char **argv, device_options_t *options, char *error,
                               unsigned long error_size) {
    complaint_t complaint = {error, error_size};
    *options = (device_options_t){.device = {.outputs = 2}, .ready_fd = -1};
    for (int i = 1; i < argc; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--help") == 0)
            return OPTIONS_HELP;
        if (parse_flag(option, options))
            continue;
        if (!takes_value(option)) {
            snprintf(error, error_size, "There is no option '%.60s'; --help lists them.", option);
            return OPTIONS_BAD;
        }
        if (++i == argc) {
            snprintf(error, error_size, "%s takes a value; --help says which.", option);
            return OPTIONS_BAD;
        }
        if (!parse_value(option, argv[i], options, complaint))
            return OPTIONS_BAD;
    }
    if (options->device.name && options->device.kind)
        return OPTIONS_RUN;
    snprintf(error, error_size, "A device needs --name and --type; --help lists the kinds.");
    return OPTIONS_BAD;
}
