/// The callbacks that libjack calls on its own threads. They only store values, record changes and
/// wake waiting threads; with jackd2, the latency callback, in latencies.c, also passes latencies
/// on. None of them may block: a client whose notification thread hangs makes other clients hang.
#define _GNU_SOURCE
#include "driver_state.h"

#include <jack/metadata.h>
#include <stdio.h>

void rcore_jack_name_thread(const char *name) {
    char short_name[16];
    snprintf(short_name, sizeof short_name, "%s", name);
    pthread_setname_np(pthread_self(), short_name);
}

/// Prepares the audio thread: names it, and makes it flush denormals to zero. JACK leaves denormals
/// enabled, even where libjack itself mixes incoming signals.
static void prepare_thread(void *argument) {
    (void)argument;
    rcore_jack_name_thread("audio-jack");
    rcore_flush_denormals();
}

static int on_sample_rate(jack_nframes_t sample_rate, void *argument) {
    const rcore_jack_t *jack = argument;
    rcore_jack_record_format(jack->monitor, sample_rate, 0);
    return 0;
}

static int on_period(jack_nframes_t nframes, void *argument) {
    const rcore_jack_t *jack = argument;
    rcore_jack_record_format(jack->monitor, 0, nframes);
    return 0;
}

static int on_xrun(void *argument) {
    rcore_jack_t *jack = argument;
    atomic_fetch_add(&jack->monitor->xruns, 1);
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_XRUNS);
    return 0;
}

static void on_freewheel(int starting, void *argument) {
    rcore_jack_t *jack = argument;
    atomic_store(&jack->freewheeling, starting != 0);
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_FORMAT);
}

static void on_connection(jack_port_id_t a, jack_port_id_t b, int connected, void *argument) {
    (void)a, (void)b, (void)connected;
    const rcore_jack_t *jack = argument;
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_CONNECTIONS);
}

/// Also records the id of a port that was registered: if a port was unregistered and registered
/// again before the control thread looks, it exists, but its connections are gone.
static void on_port(jack_port_id_t port, int is_registered, void *argument) {
    rcore_jack_t *jack = argument;
    if (is_registered) {
        rcore_jack_record_renewed(jack, port);
    }
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
}

/// Also records the id of the renamed port, as `on_port` does.
static void on_port_name(jack_port_id_t port, const char *old_name, const char *new_name, void *argument) {
    (void)old_name, (void)new_name;
    rcore_jack_t *jack = argument;
    rcore_jack_record_renewed(jack, port);
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
}

/// jackd2 reports the end of a client twice, which is harmless here.
static void on_client(const char *name, int is_registered, void *argument) {
    (void)name, (void)is_registered;
    const rcore_jack_t *jack = argument;
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
}

/// Metadata are only a hint to query the server again: servers share them, and any server deletes
/// them when it exits.
static void on_property(jack_uuid_t subject, const char *key, jack_property_change_t change, void *argument) {
    (void)subject, (void)key, (void)change;
    const rcore_jack_t *jack = argument;
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_DEVICES);
}

static int on_graph(void *argument) {
    const rcore_jack_t *jack = argument;
    rcore_jack_record_change(jack->monitor, RCORE_JACK_CHANGED_GRAPH);
    return 0;
}

/// Called by jackd2's libjack and PipeWire's (1.4), but not by that of PipeWire 0.3.65.
static void on_shutdown_with_reason(jack_status_t code, const char *reason, void *argument) {
    rcore_jack_t *jack = argument;
    (void)code;
    rcore_jack_record_thread(jack);
    atomic_store(&jack->notified_by_info, true);
    rcore_jack_record_loss(jack->monitor, reason);
}

/// Called by the libjack of PipeWire 0.3.65, and by jackd2's when it reports the shutdown a second
/// time.
static void on_shutdown(void *argument) {
    rcore_jack_t *jack = argument;
    if (atomic_load(&jack->notified_by_info)) {
        rcore_jack_record_thread(jack);
    }
    rcore_jack_record_loss(jack->monitor, NULL);
}

bool rcore_jack_register_callbacks(rcore_jack_t *jack) {
    jack_client_t *client = jack->client;
    jack_on_shutdown(client, on_shutdown, jack);
    jack_on_info_shutdown(client, on_shutdown_with_reason, jack);
    // Optional: without metadata, the server reports no changes of properties.
    (void)jack_set_property_change_callback(client, on_property, jack);
    return jack_set_process_callback(client, rcore_jack_cycle, jack) == 0 &&
           jack_set_thread_init_callback(client, prepare_thread, jack) == 0 &&
           jack_set_sample_rate_callback(client, on_sample_rate, jack) == 0 &&
           jack_set_buffer_size_callback(client, on_period, jack) == 0 &&
           jack_set_xrun_callback(client, on_xrun, jack) == 0 &&
           jack_set_freewheel_callback(client, on_freewheel, jack) == 0 &&
           jack_set_client_registration_callback(client, on_client, jack) == 0 &&
           jack_set_port_registration_callback(client, on_port, jack) == 0 &&
           jack_set_port_rename_callback(client, on_port_name, jack) == 0 &&
           jack_set_port_connect_callback(client, on_connection, jack) == 0 &&
           jack_set_graph_order_callback(client, on_graph, jack) == 0 &&
           jack_set_latency_callback(client, rcore_jack_on_latency, jack) == 0 && rcore_jack_register_sync(jack);
}
