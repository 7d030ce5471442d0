/// What libjack tells on threads of its own: store, note, wake. Nothing here may block: a client whose notification thread hangs
/// makes other clients hang.
#define _GNU_SOURCE
#include "client.h"

#include <jack/metadata.h>
#include <stdio.h>

void rcore_jack_name_thread(const char *name) {
    char short_name[16];
    snprintf(short_name, sizeof short_name, "%s", name);
    pthread_setname_np(pthread_self(), short_name);
}

/// JACK leaves denormal numbers on, also where libjack itself mixes what comes in.
static void prepare_thread(void *argument) {
    (void)argument;
    rcore_jack_name_thread("audio-jack");
    rcore_flush_denormals();
    // The thread was created while the slack was raised (rcore_jack_activate); this is the default of Linux.
    rcore_jack_restore_timer_slack(50 * 1000);
}

static int note_sample_rate(jack_nframes_t sample_rate, void *argument) {
    rcore_jack_t *jack = argument;
    if (sample_rate != 0 && atomic_exchange(&jack->news->sample_rate, sample_rate) != sample_rate)
        rcore_jack_note(jack->news, RCORE_JACK_CHANGED_FORMAT);
    return 0;
}

static int note_period(jack_nframes_t nframes, void *argument) {
    rcore_jack_t *jack = argument;
    if (nframes != 0 && atomic_exchange(&jack->news->period_frames, nframes) != nframes)
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

/// A port that came back may have been away and back before control looks: its connections are gone although it is there.
static void note_port(jack_port_id_t port, int is_registered, void *argument) {
    rcore_jack_t *jack = argument;
    if (is_registered)
        rcore_jack_note_renewed(jack, port);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_DEVICES);
}

static void note_port_name(jack_port_id_t port, const char *old_name, const char *new_name, void *argument) {
    (void)old_name, (void)new_name;
    rcore_jack_t *jack = argument;
    rcore_jack_note_renewed(jack, port);
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_DEVICES);
}

/// jackd2 tells a client's end twice.
static void note_client(const char *name, int is_registered, void *argument) {
    (void)name, (void)is_registered;
    const rcore_jack_t *jack = argument;
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_DEVICES);
}

/// Metadata are a hint to look again, never a fact: servers share them, and any server's end deletes them.
static void note_property(jack_uuid_t subject, const char *key, jack_property_change_t change, void *argument) {
    (void)subject, (void)key, (void)change;
    const rcore_jack_t *jack = argument;
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_DEVICES);
}

static int note_graph(void *argument) {
    const rcore_jack_t *jack = argument;
    rcore_jack_note(jack->news, RCORE_JACK_CHANGED_GRAPH);
    return 0;
}

static void note_lost(rcore_jack_t *jack, const char *reason) {
    if (atomic_exchange(&jack->news->loss_claimed, true))
        return;
    snprintf(jack->news->reason, sizeof jack->news->reason, "%s", reason ? reason : "");
    rcore_jack_note_loss(jack->news);
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

bool rcore_jack_register_callbacks(rcore_jack_t *jack) {
    jack_client_t *client = jack->client;
    jack_on_shutdown(client, note_lost_plainly, jack);
    jack_on_info_shutdown(client, note_lost_with_reason, jack);
    // A server without metadata tells of none.
    (void)jack_set_property_change_callback(client, note_property, jack);
    return jack_set_process_callback(client, rcore_jack_cycle, jack) == 0 &&
           jack_set_thread_init_callback(client, prepare_thread, jack) == 0 &&
           jack_set_sample_rate_callback(client, note_sample_rate, jack) == 0 &&
           jack_set_buffer_size_callback(client, note_period, jack) == 0 &&
           jack_set_xrun_callback(client, note_xrun, jack) == 0 &&
           jack_set_freewheel_callback(client, note_freewheel, jack) == 0 &&
           jack_set_client_registration_callback(client, note_client, jack) == 0 &&
           jack_set_port_registration_callback(client, note_port, jack) == 0 &&
           jack_set_port_rename_callback(client, note_port_name, jack) == 0 &&
           jack_set_port_connect_callback(client, note_connection, jack) == 0 &&
           jack_set_graph_order_callback(client, note_graph, jack) == 0 &&
           jack_set_latency_callback(client, rcore_jack_pass_latency_on, jack) == 0;
}
