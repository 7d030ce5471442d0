/// What libjack tells on threads of its own: store, note, wake. Nothing here may block: a client whose notification thread hangs
/// makes other clients hang.
#define _GNU_SOURCE
#include "client.h"

#include <pthread.h>
#include <stdio.h>

void rcore_jack_name_thread(const char *name) {
    char short_name[16];
    snprintf(short_name, sizeof short_name, "%s", name);
    pthread_setname_np(pthread_self(), short_name);
}

static void name_thread(void *argument) {
    (void)argument;
    rcore_jack_name_thread("audio-jack");
}

static int note_sample_rate(jack_nframes_t sample_rate, void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_exchange(&jack->news->sample_rate, sample_rate) != sample_rate)
        rcore_jack_note(jack->news, RCORE_JACK_CHANGED_FORMAT);
    return 0;
}

static int note_period(jack_nframes_t nframes, void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_exchange(&jack->news->period_frames, nframes) != nframes)
        rcore_jack_note(jack->news, RCORE_JACK_CHANGED_FORMAT);
    return 0;
}

static int note_xrun(void *argument) {
    rcore_jack_t *jack = argument;
    atomic_fetch_add(&jack->news->xruns, 1);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_XRUNS);
    return 0;
}

static void note_freewheel(int starting, void *argument) {
    rcore_jack_t *jack = argument;
    atomic_store(&jack->freewheeling, starting != 0);
}

static void note_connection(jack_port_id_t a, jack_port_id_t b, int connected, void *argument) {
    (void)a, (void)b, (void)connected;
    const rcore_jack_t *jack = argument;
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_CONNECTIONS);
}

static void note_lost(rcore_jack_t *jack, const char *reason) {
    if (atomic_exchange(&jack->news->loss_claimed, true))
        return;
    snprintf(jack->news->reason, sizeof jack->news->reason, "%s", reason ? reason : "");
    atomic_store(&jack->news->lost, true);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_LOST);
}

/// Told by jackd2's libjack, and not by PipeWire's.
static void note_lost_with_reason(jack_status_t code, const char *reason, void *argument) {
    rcore_jack_t *jack = argument;
    (void)code;
    rcore_jack_note_teller(jack);
    atomic_store(&jack->told_by_info, true);
    note_lost(jack, reason);
}

/// Told by PipeWire's libjack, and by jackd2's when it tells a second time.
static void note_lost_plainly(void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_load(&jack->told_by_info))
        rcore_jack_note_teller(jack);
    note_lost(jack, NULL);
}

/// Latencies go through the client unchanged: it adds no frame. (JACK would do the same by itself, but then would not tell.)
static void pass_latency_on(jack_latency_callback_mode_t mode, void *argument) {
    rcore_jack_t *jack = argument;
    rcore_jack_direction_t from = mode == JackCaptureLatency ? RCORE_JACK_CAPTURE : RCORE_JACK_PLAYBACK;
    rcore_jack_direction_t to = mode == JackCaptureLatency ? RCORE_JACK_PLAYBACK : RCORE_JACK_CAPTURE;
    jack_latency_range_t whole = {.min = jack->nports[from] ? UINT32_MAX : 0, .max = 0};
    for (uint32_t i = 0; i < jack->nports[from]; i++) {
        jack_latency_range_t range = {0};
        jack_port_get_latency_range(jack->ports[from][i], mode, &range);
        whole.min = range.min < whole.min ? range.min : whole.min;
        whole.max = range.max > whole.max ? range.max : whole.max;
    }
    for (uint32_t i = 0; i < jack->nports[to]; i++)
        jack_port_set_latency_range(jack->ports[to][i], mode, &whole);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_LATENCY);
}

bool rcore_jack_register_callbacks(rcore_jack_t *jack) {
    jack_client_t *client = jack->client;
    jack_on_shutdown(client, note_lost_plainly, jack);
    jack_on_info_shutdown(client, note_lost_with_reason, jack);
    return jack_set_process_callback(client, rcore_jack_cycle, jack) == 0 &&
           jack_set_thread_init_callback(client, name_thread, jack) == 0 &&
           jack_set_sample_rate_callback(client, note_sample_rate, jack) == 0 &&
           jack_set_buffer_size_callback(client, note_period, jack) == 0 &&
           jack_set_xrun_callback(client, note_xrun, jack) == 0 &&
           jack_set_freewheel_callback(client, note_freewheel, jack) == 0 &&
           jack_set_port_connect_callback(client, note_connection, jack) == 0 &&
           jack_set_latency_callback(client, pass_latency_on, jack) == 0;
}
