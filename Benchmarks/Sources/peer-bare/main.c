/// The lower bound: a JACK client directly on libjack.
#include "peer_protocol.h"
#include "probe.h"

#include <jack/jack.h>
#include <stdio.h>

enum { CHANNELS = 2 };

static probe_t *client;
static probe_detector_t *emitter;

static void close_stream(void) {
    probe_close(client);
    client = NULL;
}

static bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    bool is_through = options->task == PEER_THROUGH;
    client = probe_open(NULL, options->name, CHANNELS, is_through ? CHANNELS : 0, false);
    if (client == NULL) {
        peer_fail("cannot open a JACK client");
        return false;
    }
    emitter = probe_plug_emitter(client);
    bool is_whole = emitter != NULL;
    for (uint32_t i = 0; is_through && i < CHANNELS; i++) {
        is_whole = is_whole && probe_plug_path(client, i) != NULL;
    }
    if (!is_whole || !probe_activate(client)) {
        peer_fail("%s", is_whole ? "jack_activate was refused" : "out of memory");
        close_stream();
        return false;
    }
    if (options->task == PEER_COUNT) {
        probe_emit_count(emitter);
    }
    probe_connect_device(client);
    char name[64];
    snprintf(name, sizeof name, "bare client, libjack %s", jack_get_version_string());
    peer_describe(opened, name, "JACK");
    opened->rate = probe_sample_rate(client);
    opened->period = probe_period(client);
    return true;
}

static void play(void) { probe_emit(emitter, PEER_SOUND_LEVEL, 0, PEER_SOUND_FRAMES); }

static bool is_running(void) { return client != NULL && probe_await_loss(client, 0) == 0; }

int main(int argc, char **argv) {
    return peer_run(argc, argv,
                    &(peer_t){.open = open_stream, .play = play, .is_running = is_running, .close = close_stream});
}
