/// Clients: opening, callbacks, activation, closing, and queries of the server.
#include "fake.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

// ---- The library --------------------------------------------------------------------------------

const char *jack_get_version_string(void) { return fake.is_pipewire ? "3.0.0.0 (using PipeWire 0.3.65)" : "1.9.21"; }
void jack_get_version(int *major, int *minor, int *micro, int *protocol) {
    *major = fake.is_pipewire ? 3 : 1, *minor = fake.is_pipewire ? 0 : 9, *micro = 21, *protocol = 9;
}
void jack_set_error_function(void (*notify)(const char *)) { (void)notify; }
void jack_set_info_function(void (*notify)(const char *)) { (void)notify; }
int jack_client_name_size(void) { return 64; }
int jack_port_name_size(void) { return 320; }
int jack_port_type_size(void) { return 32; }

jack_time_t jack_get_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (jack_time_t)now.tv_sec * 1000000 + (jack_time_t)now.tv_nsec / 1000;
}

/// The creator outlives scripts, as it outlives clients in libjack.
static _Atomic(jack_thread_creator_t) thread_creator;

void jack_set_thread_creator(jack_thread_creator_t creator) { thread_creator = creator; }

int fake_create_thread(pthread_t *thread, void *(*run)(void *), jack_client_t *client) {
    jack_thread_creator_t creator = thread_creator;
    return creator != NULL ? creator(thread, NULL, run, client) : pthread_create(thread, NULL, run, client);
}

/// Frees a list that jack_get_ports or a similar function returned. NULL does nothing.
void jack_free(void *memory) {
    if (memory == NULL) {
        return;
    }
    fake_lock();
    fake.lists--;
    fake_unlock();
    free(memory);
}

static void forget_callbacks(jack_client_t *client);

// ---- Opening and closing ------------------------------------------------------------------------

static bool is_taken(const char *name) {
    for (uint32_t i = 0; i < fake.nclients; i++) {
        if (fake.clients[i]->is_open && !fake.clients[i]->is_dead && strcmp(fake.clients[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/// libjack sleeps while its threads start, for as long as the timer slack lets it.
static void check_timer_slack(const char *where) {
    if (prctl(PR_GET_TIMERSLACK) > 1000 * 1000) {
        fake_lock();
        fake_note_misuse("the timer slack is above 1 ms", where);
        fake_unlock();
    }
}

static jack_client_t *make_client(const char *name, jack_status_t *status) {
    if (fake.nclients == MAX_CLIENTS) {
        return NULL;
    }
    jack_client_t *client = calloc(1, sizeof *client);
    if (client == NULL) {
        return NULL;
    }
    snprintf(client->name, sizeof client->name, "%.63s", name);
    for (int i = 1; is_taken(client->name); i++) {
        snprintf(client->name, sizeof client->name, "%.60s-%02d", name, i);
        *status |= JackNameNotUnique;
    }
    client->is_open = true;
    fake.clients[fake.nclients++] = client;
    return client;
}

jack_client_t *jack_client_open(const char *name, jack_options_t options, jack_status_t *status, ...) {
    static const int failures[OPENS] = {JackFailure | JackServerFailed, JackFailure | JackServerError, JackFailure};
    (void)options;
    jack_status_t ignored = 0;
    status = status != NULL ? status : &ignored;
    *status = 0;
    VISIT(client_open, NULL);
    check_timer_slack("client_open");
    fake_lock();
    jack_client_t *client = NULL;
    if (visit.way >= 0) {
        *status = failures[visit.way];
    } else if (!fake.runs) {
        *status = JackFailure | JackServerFailed;
    } else if ((client = make_client(name, status)) == NULL) {
        *status |= JackFailure;
    } else {
        fake_notify_all((notice_t){.kind = NOTICE_CLIENT, .flag = 1});
    }
    fake_unlock();
    if (client != NULL && !fake_start_notifier(client)) {
        client->is_open = false;
        client = NULL;
        *status = JackFailure;
    }
    return client;
}

static void remove_ports(jack_client_t *client) {
    for (uint32_t i = 0; i < fake.nports; i++) {
        if (fake.ports[i]->owner == client && fake.ports[i]->exists) {
            fake_remove_port(fake.ports[i]);
        }
    }
}

/// Closes the client even when it returns a failure, as libjack does.
int jack_client_close(jack_client_t *client) {
    VISIT(client_close, client);
    fake_lock();
    bool was_open = client->is_open, was_heard = fake_is_served(client);
    client->is_open = false;
    client->is_active = false;
    fake_unlock();
    if (!was_open) {
        return -1;
    }
    fake_end_cycle(client);
    fake_end_notifier(client);
    fake_lock();
    remove_ports(client);
    fake_drop_notices(client);
    forget_callbacks(client);
    if (was_heard) {
        fake_notify_all((notice_t){.kind = NOTICE_CLIENT, .flag = 0});
    }
    fake_unlock();
    return visit.way >= 0 ? fake_failure(&visit) : was_heard ? 0 : -1;
}

int jack_activate(jack_client_t *client) {
    VISIT(activate, client);
    check_timer_slack("activate");
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    bool heard = fake_is_served(client), was_active = client->is_active;
    client->is_active = client->is_active || heard;
    fake_unlock();
    if (!heard) {
        return -1;
    }
    if (!was_active && !fake_start_cycle(client)) {
        client->is_active = false;
        return -1;
    }
    fake_lock();
    fake_notify(client, (notice_t){.kind = NOTICE_LATENCY, .a = JackCaptureLatency});
    fake_notify(client, (notice_t){.kind = NOTICE_LATENCY, .a = JackPlaybackLatency});
    fake_unlock();
    return 0;
}

int jack_deactivate(jack_client_t *client) {
    VISIT(deactivate, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_end_cycle(client);
    fake_lock();
    for (uint32_t i = 0; i < fake.nports; i++) {
        if (fake.ports[i]->owner == client) {
            fake_unlink_port(fake.ports[i]);
        }
    }
    client->is_active = false;
    bool heard = fake_is_served(client);
    fake_unlock();
    return heard ? 0 : -1;
}

char *jack_get_client_name(jack_client_t *client) {
    VISIT(get_client_name, client);
    return client->name;
}

jack_native_thread_t jack_client_thread_id(jack_client_t *client) {
    VISIT(client_thread_id, client);
    return client->cycle;
}

// ---- Callbacks ----------------------------------------------------------------------------------

/// Clears the callbacks and arguments of a closed client, so that a leak checker does not count
/// what they refer to as reachable.
static void forget_callbacks(jack_client_t *client) {
    size_t begin = offsetof(jack_client_t, process);
    memset((char *)client + begin, 0, sizeof *client - begin);
}

static int may_set(const visit_t *visit, const jack_client_t *client) {
    if (visit->way >= 0) {
        return fake_failure(visit);
    }
    if (client->is_active) {
        fake_note_misuse("the client is active", fake_call_name(visit->call));
    }
    return client->is_active ? -1 : 0;
}

#define SETS(function, type, field)                                                                                    \
    int jack_##function(jack_client_t *client, type callback, void *argument) {                                        \
        VISIT(function, client);                                                                                       \
        fake_lock();                                                                                                   \
        int result = may_set(&visit, client);                                                                          \
        if (result == 0)                                                                                               \
            client->field = callback, client->field##_arg = argument;                                                  \
        fake_unlock();                                                                                                 \
        return result;                                                                                                 \
    }

SETS(set_process_callback, JackProcessCallback, process)
SETS(set_thread_init_callback, JackThreadInitCallback, thread_init)
SETS(set_sample_rate_callback, JackSampleRateCallback, rate)
SETS(set_buffer_size_callback, JackBufferSizeCallback, period)
SETS(set_xrun_callback, JackXRunCallback, xrun)
SETS(set_freewheel_callback, JackFreewheelCallback, freewheel)
SETS(set_port_connect_callback, JackPortConnectCallback, link)
SETS(set_port_registration_callback, JackPortRegistrationCallback, port)
SETS(set_port_rename_callback, JackPortRenameCallback, renamed)
SETS(set_client_registration_callback, JackClientRegistrationCallback, registration)
SETS(set_graph_order_callback, JackGraphOrderCallback, order)
SETS(set_latency_callback, JackLatencyCallback, latency)
SETS(set_property_change_callback, JackPropertyChangeCallback, property)
SETS(set_sync_callback, JackSyncCallback, sync)

void jack_on_shutdown(jack_client_t *client, JackShutdownCallback callback, void *argument) {
    VISIT(on_shutdown, client);
    fake_lock();
    client->plain_end = callback, client->plain_end_arg = argument;
    fake_unlock();
}

void jack_on_info_shutdown(jack_client_t *client, JackInfoShutdownCallback callback, void *argument) {
    VISIT(on_info_shutdown, client);
    fake_lock();
    client->info_end = callback, client->info_end_arg = argument;
    fake_unlock();
}

// ---- Queries ------------------------------------------------------------------------------------

jack_nframes_t jack_get_sample_rate(jack_client_t *client) {
    VISIT(get_sample_rate, client);
    return visit.way >= 0 ? (visit.way ? UINT32_MAX : 0) : fake.rate;
}

jack_nframes_t jack_get_buffer_size(jack_client_t *client) {
    VISIT(get_buffer_size, client);
    return visit.way >= 0 ? (visit.way ? UINT32_MAX : 0) : fake.period;
}

static uint32_t rounded_down(uint32_t nframes) {
    uint32_t power = 1;
    while (power * 2 <= nframes && power < 8192) {
        power *= 2;
    }
    return power;
}

int jack_set_buffer_size(jack_client_t *client, jack_nframes_t nframes) {
    VISIT(set_buffer_size, client);
    if (visit.way >= 0) {
        return fake.is_pipewire ? 0 : fake_failure(&visit);
    }
    fake_lock();
    bool takes = fake_is_served(client) && nframes > 0 && nframes <= 8192;
    if (takes) {
        fake.period = fake.is_pipewire ? rounded_down(nframes) : nframes;
        fake_notify_all((notice_t){.kind = NOTICE_PERIOD, .a = fake.period});
        if (!fake.is_pipewire) {
            fake_await_notified(client);
        }
    }
    fake_unlock();
    return takes || fake.is_pipewire ? 0 : -1;
}

int jack_set_freewheel(jack_client_t *client, int on) {
    VISIT(set_freewheel, client);
    if (visit.way >= 0) {
        return fake_failure(&visit);
    }
    fake_lock();
    bool heard = fake_is_served(client);
    if (heard) {
        fake.freewheels = on != 0;
        fake_notify_all((notice_t){.kind = NOTICE_FREEWHEEL, .flag = on});
    }
    fake_unlock();
    return heard ? 0 : -1;
}

float jack_cpu_load(jack_client_t *client) {
    VISIT(cpu_load, client);
    return visit.way >= 0 ? (visit.way ? -100 : NAN) : 12.5F;
}

jack_nframes_t jack_frame_time(const jack_client_t *client) {
    VISIT(frame_time, client);
    return (jack_nframes_t)(client->cycles * fake.period);
}

int jack_get_cycle_times(const jack_client_t *client, jack_nframes_t *frames, jack_time_t *now, jack_time_t *next,
                         float *period_usecs) {
    VISIT(get_cycle_times, client);
    *frames = 0;
    *now = *next = 0;
    *period_usecs = 1e6F * (float)fake.period / (float)fake.rate;
    return visit.way >= 0 ? fake_failure(&visit) : 0;
}

jack_nframes_t jack_last_frame_time(const jack_client_t *client) { return jack_frame_time(client); }

jack_nframes_t jack_frames_since_cycle_start(const jack_client_t *client) {
    (void)client;
    return 0;
}
