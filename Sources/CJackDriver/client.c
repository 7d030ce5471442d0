/// Opening, activating and closing a client.
#include "driver_state.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *rcore_jack_status_text(rcore_jack_status_t status) {
    switch (status) {
    case RCORE_JACK_OK:
        return "no error";
    case RCORE_JACK_BAD_ARGUMENT:
        return "a value is out of range";
    case RCORE_JACK_NO_MEMORY:
        return "out of memory or file descriptors";
    case RCORE_JACK_NO_SERVER:
        return "no JACK server of that name is running";
    case RCORE_JACK_REFUSED:
        return "the server refused the request";
    case RCORE_JACK_LOST:
        return "the server was lost";
    case RCORE_JACK_NO_DESCRIPTORS:
        return "too few file descriptors are free; close files or raise the limit (ulimit -n)";
    }
    return "unknown status";
}

static void stay_silent(const char *text) { (void)text; }

/// Keeps libjack from printing to standard error: the driver reports errors through its statuses.
static void silence_libjack(void) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
}

/// Returns whether `name` is short enough and not empty (NULL: whether the name of the default
/// server is short enough). libjack copies it into fixed-size buffers without checking its length.
static bool is_server_name(const char *name) {
    const char *used = name != NULL ? name : getenv("JACK_DEFAULT_SERVER");
    size_t length = used != NULL ? strlen(used) : 0;
    return (length > 0 || name == NULL) && length <= RCORE_JACK_MAX_SERVER_NAME;
}

/// Opens a client, with up to five attempts. A server that is exiting still accepts the call but
/// does not answer it, which looks like a refusal; after an attempt or more the server has exited.
static jack_client_t *open_client(const char *server_name, const char *client_name, jack_status_t *code) {
    enum { attempts = 5 };
    jack_client_t *client = NULL;
    for (int i = 0; i < attempts; i++) {
        if (!rcore_jack_may_be_running(server_name)) {
            *code = JackServerFailed;
            break;
        }
        *code = 0;
        client = server_name != NULL
                     ? jack_client_open(client_name, JackNoStartServer | JackServerName, code, server_name)
                     : jack_client_open(client_name, JackNoStartServer, code);
        if (client != NULL || (*code & JackServerFailed) || !(*code & JackServerError)) {
            break;
        }
    }
    return client;
}

/// Writes a client name that differs from the server's name. jackd2 keeps a client's socket under
/// the path at which a server of that name listens, and removes it with the client: a client with
/// its server's name would leave the server unreachable for all later clients. Appends an
/// underscore, in place of the last character if the name is too long.
static void make_name_distinct(const char *server_name, const char *client_name, char *name, size_t capacity) {
    bool is_same = strcmp(rcore_jack_server_name(server_name), client_name) == 0;
    snprintf(name, capacity, "%.*s%s", (int)(capacity - 1 - is_same), client_name, is_same ? "_" : "");
}

/// Opens the client, initialises the monitor with the server's format, and registers the callbacks.
static rcore_jack_status_t connect_to_server(rcore_jack_t *jack, const char *server_name, const char *client_name) {
    jack_status_t code = 0;
    char name[256];
    size_t limit = (size_t)jack_client_name_size();
    make_name_distinct(server_name, client_name, name, limit < sizeof name ? limit : sizeof name);
    if (!rcore_jack_await_dead_clients()) {
        return RCORE_JACK_REFUSED;
    }
    rcore_jack_begin_opening();
    (void)rcore_jack_take_created_thread();
    jack->client = open_client(server_name, name, &code);
    // libjack starts the notification thread last, after one that it has for the whole process.
    jack->notification_thread = rcore_jack_take_created_thread();
    rcore_jack_end_opening();
    if (jack->client == NULL) {
        return code & JackServerFailed ? RCORE_JACK_NO_SERVER : RCORE_JACK_REFUSED;
    }
    rcore_jack_learn_location(server_name);
    if (rcore_jack_is_pipewire()) {
        jack->server_fd = rcore_jack_connect_to_pipewire(server_name);
    }
    uint32_t sample_rate = jack_get_sample_rate(jack->client), period = jack_get_buffer_size(jack->client);
    // A server that is exiting may report a rate and a period of 0, which are invalid.
    if (sample_rate == 0 || period == 0) {
        return RCORE_JACK_REFUSED;
    }
    rcore_jack_monitor_reset(jack->monitor, sample_rate, period);
    rcore_jack_enlist(jack);
    rcore_jack_watch_server(jack->monitor, jack->server_fd);
    return rcore_jack_register_callbacks(jack) ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

rcore_jack_t *rcore_jack_open(const char *server_name, const char *client_name, rcore_jack_monitor_t *monitor,
                              rcore_jack_status_t *status) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    rcore_jack_status_t ignored = RCORE_JACK_OK;
    status = status != NULL ? status : &ignored;
    *status = RCORE_JACK_BAD_ARGUMENT;
    size_t length = client_name != NULL ? strlen(client_name) : 0;
    if (monitor == NULL || length == 0 || length >= (size_t)jack_client_name_size() || !is_server_name(server_name)) {
        return NULL;
    }
    *status = RCORE_JACK_NO_DESCRIPTORS;
    if (rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS) {
        return NULL;
    }
    pthread_once(&once, silence_libjack);
    rcore_jack_set_thread_creator();
    *status = RCORE_JACK_NO_MEMORY;
    rcore_jack_t *jack = calloc(1, sizeof *jack);
    if (jack == NULL) {
        return NULL;
    }
    jack->monitor = monitor;
    jack->server_fd = -1;
    sem_init(&jack->core_grace.left, 0, 0);
    sem_init(&jack->table_grace.left, 0, 0);
    sem_init(&jack->transport.called, 0, 0);
    pthread_mutex_init(&jack->table_lock, NULL);
    struct port_table *no_ports = calloc(1, sizeof *no_ports);
    atomic_store(&jack->table, no_ports);
    if (no_ports != NULL) {
        *status = connect_to_server(jack, server_name, client_name);
    }
    if (*status == RCORE_JACK_OK) {
        return jack;
    }
    rcore_jack_close(jack);
    return NULL;
}

void rcore_jack_close(rcore_jack_t *jack) {
    if (jack == NULL) {
        return;
    }
    if (jack->client != NULL) {
        rcore_jack_watch_server(jack->monitor, -1);
        rcore_jack_await_shutdown(jack);
        rcore_jack_close_client(jack);
        rcore_jack_delist(jack);
    }
    if (jack->server_fd != -1) {
        close(jack->server_fd);
    }
    sem_destroy(&jack->core_grace.left);
    sem_destroy(&jack->table_grace.left);
    sem_destroy(&jack->transport.called);
    pthread_mutex_destroy(&jack->table_lock);
    free((void *)rcore_jack_table(jack));
    free(jack);
}

rcore_jack_status_t rcore_jack_activate(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    atomic_store(&jack->is_restarted, true);
    atomic_store(&jack->transport.is_restarted, true);
    int result = jack_activate(jack->client);
    // PipeWire has ended, which it does not report to a client that is not active.
    if (result == -EPIPE) {
        rcore_jack_record_loss(jack->monitor, NULL);
        return RCORE_JACK_LOST;
    }
    if (result != 0) {
        return RCORE_JACK_REFUSED;
    }
    jack->is_active = true;
    return RCORE_JACK_OK;
}

rcore_jack_status_t rcore_jack_deactivate(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    if (jack_deactivate(jack->client) != 0) {
        // libjack has ended its thread nevertheless, or the client is neither active nor inactive.
        // If the server is exiting, libjack is about to report that, and `rcore_jack_close` must
        // wait for its thread (see shutdown.c).
        if (!rcore_jack_await_loss(jack->monitor, RCORE_JACK_LOSS_REPORT_MS)) {
            rcore_jack_record_loss(jack->monitor, "the server did not deactivate the client");
        }
        return RCORE_JACK_LOST;
    }
    rcore_jack_leave_cycle(jack); // libjack may have ended its thread inside the cycle
    jack->is_active = false;
    jack->active_rate = atomic_load(&jack->monitor->sample_rate);
    // Neither ends while there are no notifications and no cycles.
    atomic_store(&jack->freewheeling, false);
    atomic_store(&jack->monitor->cycle_load, 0);
    jack->polled_ports = 0;
    return RCORE_JACK_OK;
}

void rcore_jack_attach_core(rcore_jack_t *jack, rcore_t *core) { atomic_store(&jack->core, core); }

void rcore_jack_detach_core(rcore_jack_t *jack) {
    atomic_store(&jack->core, NULL);
    rcore_jack_synchronize(jack, &jack->core_grace);
}

const char *rcore_jack_client_name(const rcore_jack_t *jack) { return jack_get_client_name(jack->client); }
