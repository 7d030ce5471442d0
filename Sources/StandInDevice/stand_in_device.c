#define _GNU_SOURCE
#include "air.h"
#include "rcore_jack.h"
#include "recording.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// It reads shared memory.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;

/// Longest name of a server that libjack can take.
#define MAX_SERVER_NAME 127u

struct stand_in {
    jack_client_t *client;
    jack_port_t *playback[STAND_IN_MAX_PORTS];
    jack_port_t *capture[STAND_IN_MAX_PORTS];
    uint32_t nplayback, ncapture;
    uint32_t latency;
    air_t air;
    recording_t *recording;
    atomic_bool freewheels;
    atomic_bool is_lost;
    atomic_bool is_leaving; ///< its server is gone, and it is unplugged: no cycle may touch the recording
    atomic_bool in_cycle;
    int lost_fd;
};

const char *const *stand_in_kinds(void) {
    static const char *const kinds[] = {"lineIn",         "builtInMic",
                                        "headsetMic",     "continuityMicrophone",
                                        "lineOut",        "headphones",
                                        "bluetoothA2DP",  "builtInReceiver",
                                        "builtInSpeaker", "hdmi",
                                        "airPlay",        "displayPort",
                                        "bluetoothLE",    "bluetoothHFP",
                                        "usbAudio",       "carAudio",
                                        "virtual",        "pci",
                                        "fireWire",       "avb",
                                        "thunderbolt",    NULL};
    return kinds;
}

// ---- The cycle ------------------------------------------------------------------------------------------------------------------

static void render(stand_in_t *device, uint32_t nframes) RCORE_RT {
    float *outputs[STAND_IN_MAX_PORTS];
    const float *arrived[STAND_IN_MAX_PORTS];
    for (uint32_t i = 0; i < device->ncapture; i++)
        outputs[i] = jack_port_get_buffer(device->capture[i], nframes);
    for (uint32_t i = 0; i < device->nplayback; i++)
        arrived[i] = jack_port_get_buffer(device->playback[i], nframes);
    air_render(&device->air, outputs, device->ncapture, nframes);
    if (device->recording)
        recording_write(device->recording, arrived, nframes,
                        atomic_load_explicit(&device->freewheels, memory_order_relaxed));
}

/// Sequentially consistent with `leave_lost_server`: either this sees the device leaving, or that sees this within the cycle.
static int cycle(jack_nframes_t nframes, void *argument) RCORE_RT {
    stand_in_t *device = argument;
    atomic_store(&device->in_cycle, true);
    if (!atomic_load(&device->is_leaving))
        render(device, nframes);
    atomic_store(&device->in_cycle, false);
    return 0;
}

// ---- What the server tells ------------------------------------------------------------------------------------------------------

static void note_freewheel(int freewheels, void *argument) {
    stand_in_t *device = argument;
    atomic_store(&device->freewheels, freewheels != 0);
}

static void note_lost(void *argument) {
    stand_in_t *device = argument;
    atomic_store(&device->is_lost, true);
    uint64_t one = 1;
    ssize_t written = write(device->lost_fd, &one, sizeof one);
    (void)written; // a full counter is readable all the same
}

static void note_lost_with_reason(jack_status_t code, const char *reason, void *argument) {
    (void)code;
    (void)reason;
    note_lost(argument);
}

static void tell_latency(jack_latency_callback_mode_t mode, void *argument) {
    stand_in_t *device = argument;
    jack_latency_range_t range = {.min = device->latency, .max = device->latency};
    jack_port_t **ports = mode == JackPlaybackLatency ? device->playback : device->capture;
    uint32_t nports = mode == JackPlaybackLatency ? device->nplayback : device->ncapture;
    for (uint32_t i = 0; i < nports; i++)
        jack_port_set_latency_range(ports[i], mode, &range);
}

// ---- Plugging -------------------------------------------------------------------------------------------------------------------

static void stay_silent(const char *text) { (void)text; }

static const char *server_name(const stand_in_options_t *options) {
    const char *given = getenv("JACK_DEFAULT_SERVER");
    return options->server ? options->server : given && given[0] ? given : "default";
}

static bool is_kind(const char *text) {
    for (const char *const *kind = stand_in_kinds(); *kind; kind++)
        if (strcmp(*kind, text) == 0)
            return true;
    return false;
}

static bool check(const stand_in_options_t *options, char *error, unsigned long error_size) {
    size_t length = strlen(options->name), limit = (size_t)jack_client_name_size() - 1;
    const char *server = server_name(options);
    if (length == 0 || length > limit || strpbrk(options->name, ":/\"\\"))
        snprintf(error, error_size, "A device's name has 1 to %zu bytes, and none of :/\"\\, unlike '%.80s'.", limit,
                 options->name);
    else if (!is_kind(options->kind))
        snprintf(error, error_size, "There is no kind of device '%.40s'; --help lists them.", options->kind);
    else if (server[0] == '\0' || strlen(server) > MAX_SERVER_NAME)
        snprintf(error, error_size, "A JACK server's name has 1 to %u bytes.", MAX_SERVER_NAME);
    else if (strcmp(server, options->name) == 0) // jackd2 would lose its socket to the client, and be out of reach
        snprintf(error, error_size, "A device cannot be named as its server, '%s'.", server);
    else if (options->outputs + options->inputs == 0)
        snprintf(error, error_size, "A device has one channel at least, out or in.");
    else if (options->outputs > STAND_IN_MAX_PORTS || options->inputs > STAND_IN_MAX_PORTS)
        snprintf(error, error_size, "A device has at most %u channels out and in each.", STAND_IN_MAX_PORTS);
    else if (options->capture_path && options->outputs == 0)
        snprintf(error, error_size, "A device without channels out has nothing to record.");
    else
        return true;
    return false;
}

/// PipeWire's libjack keeps an alias to itself that is set on a port it has. What others see there is made of the node's nick:
/// `stand-in:<kind>:<device name>:<port>`.
static void tell_pipewire(const stand_in_options_t *options) {
    char properties[512];
    if (!strstr(jack_get_version_string(), "PipeWire"))
        return;
    snprintf(properties, sizeof properties, "{ node.nick = \"stand-in:%s:%s\" }", options->kind, options->name);
    setenv("PIPEWIRE_PROPS", properties, 1);
}

/// PipeWire gives several clients the same name.
static bool is_taken(jack_client_t *client, const char *name) {
    char output[512], input[512];
    snprintf(output, sizeof output, "%s:playback_1", name);
    snprintf(input, sizeof input, "%s:capture_1", name);
    return strcmp(jack_get_client_name(client), name) != 0 || jack_port_by_name(client, output) ||
           jack_port_by_name(client, input);
}

static bool open_client(stand_in_t *device, const stand_in_options_t *options, char *error, unsigned long error_size,
                        stand_in_fault_t *fault) {
    jack_status_t status = 0;
    if (rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS) {
        snprintf(error, error_size,
                 "The device '%s' needs %u free file descriptors, and fewer are free; close files, or raise the limit "
                 "(ulimit -n).",
                 options->name, RCORE_JACK_MIN_DESCRIPTORS);
        return false;
    }
    tell_pipewire(options);
    jack_options_t how = JackNoStartServer | JackUseExactName;
    int slack = rcore_jack_raise_timer_slack();
    device->client = options->server ? jack_client_open(options->name, how | JackServerName, &status, options->server)
                                     : jack_client_open(options->name, how, &status);
    rcore_jack_restore_timer_slack(slack);
    *fault = !device->client && (status & JackServerFailed) ? STAND_IN_NO_SERVER : STAND_IN_REFUSED;
    if (device->client && !is_taken(device->client, options->name))
        return true;
    if (*fault == STAND_IN_NO_SERVER)
        snprintf(error, error_size, "No JACK server '%s' runs that the device '%s' could be plugged into.",
                 server_name(options), options->name);
    else // jackd2 says the same for both
        snprintf(
            error, error_size,
            "The JACK server '%s' does not take the device '%s': it has a client of that name, or is about to end.",
            server_name(options), options->name);
    return false;
}

static bool register_port(stand_in_t *device, jack_port_t **port, const stand_in_options_t *options,
                          unsigned long direction, uint32_t index) {
    char name[32], alias[512];
    snprintf(name, sizeof name, "%s_%u", direction == JackPortIsInput ? "playback" : "capture", index + 1);
    snprintf(alias, sizeof alias, "stand-in:%s:%s:%u", options->kind, options->name, index + 1);
    *port = jack_port_register(device->client, name, JACK_DEFAULT_AUDIO_TYPE,
                               direction | JackPortIsPhysical | JackPortIsTerminal, 0);
    return *port && strlen(alias) < (size_t)jack_port_name_size() && jack_port_set_alias(*port, alias) == 0;
}

static bool register_ports(stand_in_t *device, const stand_in_options_t *options) {
    for (; device->nplayback < options->outputs; device->nplayback++)
        if (!register_port(device, &device->playback[device->nplayback], options, JackPortIsInput, device->nplayback))
            return false;
    for (; device->ncapture < options->inputs; device->ncapture++)
        if (!register_port(device, &device->capture[device->ncapture], options, JackPortIsOutput, device->ncapture))
            return false;
    return true;
}

static bool register_callbacks(stand_in_t *device) {
    jack_on_shutdown(device->client, note_lost, device);
    jack_on_info_shutdown(device->client, note_lost_with_reason, device);
    return jack_set_process_callback(device->client, cycle, device) == 0 &&
           jack_set_freewheel_callback(device->client, note_freewheel, device) == 0 &&
           jack_set_latency_callback(device->client, tell_latency, device) == 0;
}

static bool activate(stand_in_t *device) {
    int slack = rcore_jack_raise_timer_slack();
    int result = jack_activate(device->client);
    rcore_jack_restore_timer_slack(slack);
    return result == 0;
}

static bool plug(stand_in_t *device, const stand_in_options_t *options, char *error, unsigned long error_size,
                 stand_in_fault_t *fault) {
    device->latency = options->latency;
    device->lost_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (device->lost_fd == -1) {
        snprintf(error, error_size, "There is no descriptor to be had for the device '%s'.", options->name);
        return false;
    }
    if (!open_client(device, options, error, error_size, fault))
        return false;
    jack_nframes_t sample_rate = jack_get_sample_rate(device->client);
    if (!air_open(&device->air, options, sample_rate, error, error_size))
        return false;
    if (options->capture_path) {
        device->recording = recording_start(options->capture_path, options->outputs, sample_rate, error, error_size);
        if (!device->recording)
            return false;
    }
    if (register_callbacks(device) && register_ports(device, options) && activate(device)) {
        tell_latency(JackPlaybackLatency, device); // PipeWire asks for it only once the ports are connected
        tell_latency(JackCaptureLatency, device);
        return true;
    }
    if (atomic_load(&device->is_lost))
        *fault = STAND_IN_NO_SERVER;
    snprintf(error, error_size, "The JACK server '%s' does not take the ports of the device '%s'.",
             server_name(options), options->name);
    return false;
}

stand_in_t *stand_in_plug(const stand_in_options_t *options, char *error, unsigned long error_size,
                          stand_in_fault_t *fault) {
    stand_in_fault_t ignored;
    fault = fault ? fault : &ignored;
    *fault = STAND_IN_BAD_OPTIONS;
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    if (!check(options, error, error_size))
        return NULL;
    *fault = STAND_IN_REFUSED;
    stand_in_t *device = calloc(1, sizeof *device);
    if (!device) {
        snprintf(error, error_size, "There is not enough memory for the device '%s'.", options->name);
        return NULL;
    }
    if (plug(device, options, error, error_size, fault))
        return device;
    char unwritten[200];
    stand_in_unplug(device, unwritten, sizeof unwritten);
    return NULL;
}

int stand_in_lost_fd(const stand_in_t *device) { return device->lost_fd; }

// ---- Unplugging -----------------------------------------------------------------------------------------------------------------

/// libjack's threads may still be about: from here on they find nothing to do.
static void leave_lost_server(stand_in_t *device) {
    atomic_store(&device->is_leaving, true);
    while (atomic_load(&device->in_cycle))
        continue;
}

bool stand_in_unplug(stand_in_t *device, char *error, unsigned long error_size) {
    if (!device)
        return true;
    bool is_lost = atomic_load(&device->is_lost);
    if (is_lost)
        leave_lost_server(device);
    else if (device->client)
        jack_client_close(device->client);
    bool is_whole = recording_finish(device->recording, error, error_size);
    if (is_lost)
        return is_whole; // the rest is libjack's to look at until the process ends
    air_close(&device->air);
    if (device->lost_fd != -1)
        close(device->lost_fd);
    free(device);
    return is_whole;
}
