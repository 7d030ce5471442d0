/// The lower bound: a JACK client directly on libjack.
#include "peer_protocol.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 2, MAX_PERIOD = 8192 };

static jack_client_t *client;
static jack_port_t *outputs[CHANNELS], *inputs[CHANNELS];
static peer_task_t task;
static atomic_bool runs;

static int process(jack_nframes_t nframes, void *argument) {
    (void)argument;
    static float samples[MAX_PERIOD];
    if (task != PEER_THROUGH) {
        peer_fill(samples, nframes, 1);
    }
    for (int i = 0; i < CHANNELS; i++) {
        const float *source = task == PEER_THROUGH ? jack_port_get_buffer(inputs[i], nframes) : samples;
        memcpy(jack_port_get_buffer(outputs[i], nframes), source, nframes * sizeof *source);
    }
    return 0;
}

static void report_shutdown(jack_status_t code, const char *reason, void *argument) {
    (void)code, (void)argument;
    atomic_store(&runs, false);
    peer_notice(reason);
}

static void connect_ports(jack_port_t **ports, bool plays) {
    unsigned long side = plays ? JackPortIsInput : JackPortIsOutput;
    const char **names = jack_get_ports(client, NULL, JACK_DEFAULT_AUDIO_TYPE, JackPortIsPhysical | side);
    for (int i = 0; names != NULL && i < CHANNELS && names[i] != NULL; i++) {
        const char *own = jack_port_name(ports[i]);
        jack_connect(client, plays ? own : names[i], plays ? names[i] : own);
    }
    if (names != NULL) {
        jack_free(names);
    }
}

static void close_stream(void) {
    if (client != NULL) {
        jack_client_close(client);
    }
    client = NULL;
}

static bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    task = options->task;
    jack_status_t status = 0;
    client = jack_client_open(options->name, JackNoStartServer, &status);
    if (client == NULL) {
        peer_fail("jack_client_open: status 0x%x", (unsigned)status);
        return false;
    }
    char name[64];
    bool is_registered = true;
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(name, sizeof name, "out_%d", i + 1);
        outputs[i] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsOutput, 0);
        snprintf(name, sizeof name, "in_%d", i + 1);
        inputs[i] = jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, JackPortIsInput, 0);
        is_registered = is_registered && outputs[i] != NULL && inputs[i] != NULL;
    }
    jack_set_process_callback(client, process, NULL);
    jack_on_info_shutdown(client, report_shutdown, NULL);
    if (!is_registered || jack_activate(client) != 0) {
        peer_fail("%s", is_registered ? "jack_activate was refused" : "cannot register a port");
        close_stream();
        return false;
    }
    connect_ports(outputs, true);
    if (task == PEER_THROUGH) {
        connect_ports(inputs, false);
    }
    snprintf(name, sizeof name, "bare client, libjack %s", jack_get_version_string());
    peer_describe(opened, name, "JACK");
    atomic_store(&runs, true);
    opened->rate = jack_get_sample_rate(client);
    opened->period = jack_get_buffer_size(client);
    return true;
}

static bool is_running(void) { return atomic_load(&runs); }

int main(int argc, char **argv) {
    return peer_run(argc, argv, &(peer_t){.open = open_stream, .is_running = is_running, .close = close_stream});
}
