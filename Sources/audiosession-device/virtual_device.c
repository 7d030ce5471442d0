#define _GNU_SOURCE
#include "rcore_jack.h"
#include "recording.h"
#include "signal_source.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

// Does not block: it reads shared memory.
void *jack_port_get_buffer(jack_port_t *port, jack_nframes_t nframes) RCORE_RT;

/// Maximum number of bytes in a server's name: libjack does not check the length.
#define MAX_SERVER_NAME 127u

struct virtual_device {
    jack_client_t *client;
    jack_port_t *playback[VIRTUAL_DEVICE_MAX_PORTS];
    jack_port_t *capture[VIRTUAL_DEVICE_MAX_PORTS];
    uint32_t nplayback, ncapture;
    uint32_t latency;
    signal_source_t source;
    recording_t *recording;
    atomic_bool freewheels;
    atomic_bool is_lost;
    /// The device is being unplugged after its server was lost: no cycle may use the recording.
    atomic_bool is_leaving;
    atomic_bool in_cycle;
    /// An event counter: see virtual_device_fd.
    int event_fd;
};

const char *const *virtual_device_kinds(void) {
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

// ---- The process callback -----------------------------------------------------------------------

/// Fills the capture ports with the signal, and records what arrived at the playback ports.
static void render(virtual_device_t *device, uint32_t nframes) RCORE_RT {
    float *outputs[VIRTUAL_DEVICE_MAX_PORTS];
    const float *arrived[VIRTUAL_DEVICE_MAX_PORTS];
    for (uint32_t i = 0; i < device->ncapture; i++) {
        outputs[i] = jack_port_get_buffer(device->capture[i], nframes);
    }
    for (uint32_t i = 0; i < device->nplayback; i++) {
        arrived[i] = jack_port_get_buffer(device->playback[i], nframes);
    }
    signal_source_render(&device->source, outputs, device->ncapture, nframes);
    if (device->recording != NULL) {
        recording_write(device->recording, arrived, nframes,
                        atomic_load_explicit(&device->freewheels, memory_order_relaxed));
    }
}

/// Sequentially consistent with `leave_lost_server`: either the cycle sees that the device is
/// leaving, or `leave_lost_server` sees that the cycle is running.
static int cycle(jack_nframes_t nframes, void *argument) RCORE_RT {
    virtual_device_t *device = argument;
    atomic_store(&device->in_cycle, true);
    if (!atomic_load(&device->is_leaving)) {
        render(device, nframes);
    }
    atomic_store(&device->in_cycle, false);
    return 0;
}

// ---- Notifications of the server ----------------------------------------------------------------

static void on_freewheel(int freewheels, void *argument) {
    virtual_device_t *device = argument;
    atomic_store(&device->freewheels, freewheels != 0);
}

static void signal_event(virtual_device_t *device) {
    uint64_t one = 1;
    ssize_t written = write(device->event_fd, &one, sizeof one);
    (void)written; // the descriptor is readable even if its counter is full
}

static void on_server_lost(void *argument) {
    virtual_device_t *device = argument;
    atomic_store(&device->is_lost, true);
    signal_event(device);
}

static void on_server_lost_with_reason(jack_status_t code, const char *reason, void *argument) {
    (void)code;
    (void)reason;
    on_server_lost(argument);
}

static void set_latencies(virtual_device_t *device, jack_latency_callback_mode_t mode) {
    jack_latency_range_t range = {.min = device->latency, .max = device->latency};
    jack_port_t **ports = mode == JackPlaybackLatency ? device->playback : device->capture;
    uint32_t nports = mode == JackPlaybackLatency ? device->nplayback : device->ncapture;
    for (uint32_t i = 0; i < nports; i++) {
        jack_port_set_latency_range(ports[i], mode, &range);
    }
}

/// With PipeWire, the control thread sets the latencies: see rcore_jack_on_latency in CJackDriver.
static void on_latency(jack_latency_callback_mode_t mode, void *argument) {
    virtual_device_t *device = argument;
    if (rcore_jack_is_pipewire()) {
        signal_event(device);
    } else {
        set_latencies(device, mode);
    }
}

// ---- Plugging -----------------------------------------------------------------------------------

static void stay_silent(const char *text) { (void)text; }

static const char *server_name(const virtual_device_options_t *options) {
    const char *given = getenv("JACK_DEFAULT_SERVER");
    return options->server != NULL ? options->server : given != NULL && given[0] ? given : "default";
}

static bool is_kind(const char *text) {
    for (const char *const *kind = virtual_device_kinds(); *kind != NULL; kind++) {
        if (strcmp(*kind, text) == 0) {
            return true;
        }
    }
    return false;
}

/// Checks what can be checked without a server: names, type and numbers, and that there is
/// something to record. Returns false, with a sentence in `error`, if something is invalid.
/// `signal_source_open` checks the signal.
static bool check(const virtual_device_options_t *options, char *error, unsigned long error_size) {
    size_t length = strlen(options->name), limit = (size_t)jack_client_name_size() - 1;
    const char *server = server_name(options);
    if (length == 0 || length > limit || strpbrk(options->name, ":/\"\\") != NULL) {
        snprintf(error, error_size,
                 "A device's name must have 1 to %zu bytes and none of : / \" \\; this one is '%.80s'.", limit,
                 options->name);
    } else if (!is_kind(options->kind)) {
        snprintf(error, error_size, "Unknown device type '%.40s'; --help lists the types.", options->kind);
    } else if (server[0] == '\0' || strlen(server) > MAX_SERVER_NAME) {
        snprintf(error, error_size, "A JACK server's name must have 1 to %u bytes.", MAX_SERVER_NAME);
    } else if (strcmp(server, options->name) == 0) {
        // The client would take over jackd2's socket: see make_name_distinct in CJackDriver.
        snprintf(error, error_size, "A device cannot have its server's name, '%s'; choose another one.", server);
    } else if (options->outputs + options->inputs == 0) {
        snprintf(error, error_size, "A device needs at least one output or input channel.");
    } else if (options->outputs > VIRTUAL_DEVICE_MAX_PORTS || options->inputs > VIRTUAL_DEVICE_MAX_PORTS) {
        snprintf(error, error_size, "A device can have at most %u channels in each direction.",
                 VIRTUAL_DEVICE_MAX_PORTS);
    } else if (options->latency > VIRTUAL_DEVICE_MAX_LATENCY) {
        snprintf(error, error_size, "A device's latency can be at most %u frames.", VIRTUAL_DEVICE_MAX_LATENCY);
    } else if (options->capture_path != NULL && options->outputs == 0) {
        snprintf(error, error_size, "A device without output channels has nothing to record.");
    } else {
        return true;
    }
    return false;
}

/// On PipeWire, sets the node's nick, from which PipeWire derives the alias that other clients see:
/// `virtual-device:<type>:<device name>:<port>`. An alias that a client sets on its port is visible
/// only to that client's libjack there.
static void configure_pipewire(const virtual_device_options_t *options) {
    char properties[512];
    if (!rcore_jack_is_pipewire()) {
        return;
    }
    snprintf(properties, sizeof properties, "{ node.nick = \"virtual-device:%s:%s\" }", options->kind, options->name);
    setenv("PIPEWIRE_PROPS", properties, 1);
}

/// Returns whether another client has the name. On PipeWire, several clients can have the same
/// name, so this also looks for the other client's ports; the device has none yet.
static bool is_taken(jack_client_t *client, const char *name) {
    char output[512], input[512];
    snprintf(output, sizeof output, "%s:playback_1", name);
    snprintf(input, sizeof input, "%s:capture_1", name);
    return strcmp(jack_get_client_name(client), name) != 0 || jack_port_by_name(client, output) != NULL ||
           jack_port_by_name(client, input) != NULL;
}

/// Opens the client. On failure, returns false with a sentence in `error`, and sets `fault` to
/// VIRTUAL_DEVICE_NO_SERVER if no server is running; otherwise `fault` is VIRTUAL_DEVICE_REFUSED,
/// as the caller set it.
static bool open_client(virtual_device_t *device, const virtual_device_options_t *options, char *error,
                        unsigned long error_size, virtual_device_fault_t *fault) {
    jack_status_t status = 0;
    if (rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS) {
        snprintf(error, error_size,
                 "The device '%s' needs %u free file descriptors, but fewer are free; close files, or raise the limit "
                 "(ulimit -n).",
                 options->name, RCORE_JACK_MIN_DESCRIPTORS);
        return false;
    }
    configure_pipewire(options);
    jack_options_t flags = JackNoStartServer | JackUseExactName;
    rcore_jack_set_thread_creator();
    device->client = options->server != NULL
                         ? jack_client_open(options->name, flags | JackServerName, &status, options->server)
                         : jack_client_open(options->name, flags, &status);
    *fault = device->client == NULL && (status & JackServerFailed) ? VIRTUAL_DEVICE_NO_SERVER : VIRTUAL_DEVICE_REFUSED;
    if (device->client != NULL && !is_taken(device->client, options->name)) {
        return true;
    }
    if (*fault == VIRTUAL_DEVICE_NO_SERVER) {
        snprintf(error, error_size, "JACK server '%s' is not running; cannot add device '%s'.", server_name(options),
                 options->name);
    } else { // jackd2 reports both causes alike
        snprintf(error, error_size,
                 "JACK server '%s' refused device '%s': it already has a client of that name, or is shutting down.",
                 server_name(options), options->name);
    }
    return false;
}

/// Registers a physical, terminal port and sets its alias. Returns false if the server refuses
/// either, or if the alias is too long.
static bool register_port(virtual_device_t *device, jack_port_t **port, const virtual_device_options_t *options,
                          unsigned long direction, uint32_t index) {
    char name[32], alias[512];
    snprintf(name, sizeof name, "%s_%u", direction == JackPortIsInput ? "playback" : "capture", index + 1);
    snprintf(alias, sizeof alias, "virtual-device:%s:%s:%u", options->kind, options->name, index + 1);
    *port = jack_port_register(device->client, name, JACK_DEFAULT_AUDIO_TYPE,
                               direction | JackPortIsPhysical | JackPortIsTerminal, 0);
    return *port != NULL && strlen(alias) < (size_t)jack_port_name_size() && jack_port_set_alias(*port, alias) == 0;
}

static bool register_ports(virtual_device_t *device, const virtual_device_options_t *options) {
    for (; device->nplayback < options->outputs; device->nplayback++) {
        if (!register_port(device, &device->playback[device->nplayback], options, JackPortIsInput, device->nplayback)) {
            return false;
        }
    }
    for (; device->ncapture < options->inputs; device->ncapture++) {
        if (!register_port(device, &device->capture[device->ncapture], options, JackPortIsOutput, device->ncapture)) {
            return false;
        }
    }
    return true;
}

static bool register_callbacks(virtual_device_t *device) {
    jack_on_shutdown(device->client, on_server_lost, device);
    jack_on_info_shutdown(device->client, on_server_lost_with_reason, device);
    return jack_set_process_callback(device->client, cycle, device) == 0 &&
           jack_set_freewheel_callback(device->client, on_freewheel, device) == 0 &&
           jack_set_latency_callback(device->client, on_latency, device) == 0;
}

/// Opens the client, prepares signal and recording, registers the ports, and activates the client.
/// On failure, the caller frees with `virtual_device_unplug` what was created.
static bool open_and_activate(virtual_device_t *device, const virtual_device_options_t *options, char *error,
                              unsigned long error_size, virtual_device_fault_t *fault) {
    device->latency = options->latency;
    device->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (device->event_fd == -1) {
        snprintf(error, error_size, "No file descriptor is free for device '%s'; close files.", options->name);
        return false;
    }
    if (!open_client(device, options, error, error_size, fault)) {
        return false;
    }
    jack_nframes_t sample_rate = jack_get_sample_rate(device->client);
    if (!signal_source_open(&device->source, options, sample_rate, error, error_size)) {
        return false;
    }
    if (options->capture_path != NULL) {
        device->recording = recording_start(options->capture_path, options->outputs, sample_rate, error, error_size);
        if (device->recording == NULL) {
            return false;
        }
    }
    if (register_callbacks(device) && register_ports(device, options) && jack_activate(device->client) == 0) {
        // PipeWire requests latencies only once the ports are connected.
        set_latencies(device, JackPlaybackLatency);
        set_latencies(device, JackCaptureLatency);
        return true;
    }
    if (atomic_load(&device->is_lost)) {
        *fault = VIRTUAL_DEVICE_NO_SERVER;
    }
    snprintf(error, error_size, "JACK server '%s' refused the ports of device '%s'.", server_name(options),
             options->name);
    return false;
}

virtual_device_t *virtual_device_plug(const virtual_device_options_t *options, char *error, unsigned long error_size,
                                      virtual_device_fault_t *fault) {
    virtual_device_fault_t ignored;
    fault = fault != NULL ? fault : &ignored;
    *fault = VIRTUAL_DEVICE_BAD_OPTIONS;
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    if (!check(options, error, error_size)) {
        return NULL;
    }
    *fault = VIRTUAL_DEVICE_REFUSED;
    virtual_device_t *device = calloc(1, sizeof *device);
    if (device == NULL) {
        snprintf(error, error_size, "Not enough memory for device '%s'.", options->name);
        return NULL;
    }
    if (open_and_activate(device, options, error, error_size, fault)) {
        return device;
    }
    char ignored_error[200]; // the caller gets the first error
    virtual_device_unplug(device, ignored_error, sizeof ignored_error);
    return NULL;
}

int virtual_device_fd(const virtual_device_t *device) { return device->event_fd; }

bool virtual_device_handle_event(virtual_device_t *device) {
    uint64_t count;
    ssize_t nread = read(device->event_fd, &count, sizeof count);
    (void)nread; // without an event, what follows changes nothing
    if (atomic_load(&device->is_lost)) {
        return false;
    }
    set_latencies(device, JackPlaybackLatency);
    set_latencies(device, JackCaptureLatency);
    return true;
}

// ---- Unplugging ---------------------------------------------------------------------------------

/// Makes the process callback do nothing from now on, and waits for a callback that is running:
/// libjack's threads may still be running.
static void leave_lost_server(virtual_device_t *device) {
    atomic_store(&device->is_leaving, true);
    while (atomic_load(&device->in_cycle)) {
    }
}

bool virtual_device_unplug(virtual_device_t *device, char *error, unsigned long error_size) {
    if (device == NULL) {
        return true;
    }
    bool is_lost = atomic_load(&device->is_lost);
    if (is_lost) {
        leave_lost_server(device);
    } else if (device->client != NULL) {
        jack_client_close(device->client);
    }
    bool is_complete = recording_finish(device->recording, error, error_size);
    if (is_lost) {
        return is_complete; // libjack may use the rest until the process ends
    }
    signal_source_close(&device->source);
    if (device->event_fd != -1) {
        close(device->event_fd);
    }
    free(device);
    return is_complete;
}
