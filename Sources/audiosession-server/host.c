#include "host.h"
#include "parameters.h"
#include "realtime.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

struct host {
    jackctl_server_t *server;
    /// The running driver.
    jackctl_driver_t *driver;
    /// An internal client, which the server notifies of all clients that are added or removed,
    /// including those that are killed.
    jack_client_t *observer;
    int change_fd;
    atomic_int clients;
    bool open;
    bool running;
    /// A driver could not be opened during a change of rate.
    bool has_failed;
    /// No driver could be opened.
    bool is_dead;
};

/// The last error that JACK reported: the reason if a device does not open.
static char last_error[200];

static void store_error(const char *text) { snprintf(last_error, sizeof last_error, "%s", text); }

static void ignore_message(const char *text) { (void)text; }

/// Called by JACK on a thread of the server when a client was added or removed.
static void client_changed(const char *name, int registered, void *argument) {
    host_t *host = argument;
    if (strcmp(name, "system") == 0) { // the device's client, which is replaced on a change of rate
        return;
    }
    atomic_fetch_add(&host->clients, registered ? 1 : -1);
    uint64_t one = 1;
    ssize_t written = write(host->change_fd, &one, sizeof one);
    (void)written; // the descriptor is readable even if its counter is full
}

/// Makes the change descriptor readable.
static void signal_change(const host_t *host) {
    uint64_t one = 1;
    ssize_t written = write(host->change_fd, &one, sizeof one);
    (void)written;
}

/// Called by JACK on the thread that must be idle during a change of rate: see QUIET_MS in main.c.
static void port_changed(jack_port_id_t port, int registered, void *argument) {
    (void)port, (void)registered;
    signal_change(argument);
}

static void connection_changed(jack_port_id_t a, jack_port_id_t b, int connected, void *argument) {
    (void)a, (void)b, (void)connected;
    signal_change(argument);
}

static void configure_server(jackctl_server_t *server, const server_options_t *options) {
    const JSList *parameters = jackctl_server_get_parameters(server);
    int priority = realtime_priority();
    parameter_set_string(parameters, "name", options->name);
    parameter_set_bool(parameters, "sync", options->sync);
    parameter_set_bool(parameters, "realtime", priority > 0);
    if (priority > 0) {
        parameter_set_int(parameters, "realtime-priority", priority);
    }
}

static jackctl_driver_t *find_driver(jackctl_server_t *server, const char *name) {
    for (const JSList *node = jackctl_server_get_drivers_list(server); node != NULL; node = node->next) {
        if (strcmp(jackctl_driver_get_name(node->data), name) == 0) {
            return node->data;
        }
    }
    return NULL;
}

/// Sets the driver's rate and period, and returns its parameters.
static const JSList *set_format(jackctl_driver_t *driver, uint32_t rate, uint32_t period) {
    const JSList *parameters = jackctl_driver_get_parameters(driver);
    parameter_set_uint(parameters, "rate", rate);
    parameter_set_uint(parameters, "period", period);
    return parameters;
}

/// Sets `device` to the first card that ALSA lists. Returns false if there is none.
static bool first_card(char *device, size_t size) {
    FILE *cards = fopen("/proc/asound/cards", "r");
    if (cards == NULL) {
        return false;
    }
    int number = 0;
    bool found = fscanf(cards, " %d [", &number) == 1;
    fclose(cards);
    if (found) {
        snprintf(device, size, "hw:%d", number);
    }
    return found;
}

/// Opens the server with a driver. `device` is an ALSA device; NULL: none.
static bool open_driver(host_t *host, const server_options_t *options, const char *driver_name, const char *device) {
    jackctl_driver_t *driver = find_driver(host->server, driver_name);
    if (driver == NULL) {
        snprintf(last_error, sizeof last_error, "JACK has no driver '%s'", driver_name);
        return false;
    }
    const JSList *parameters = set_format(driver, options->sample_rate, options->period);
    if (device != NULL) {
        parameter_set_string(parameters, "device", device);
    }
    host->driver = driver;
    host->open = jackctl_server_open(host->server, driver);
    return host->open;
}

/// Opens the driver that the options select; for `auto`, ALSA if a card can be opened, else dummy.
static bool open_any_driver(host_t *host, const server_options_t *options) {
    char device[16];
    const char *card = options->device;
    if (card == NULL && options->driver != SERVER_DRIVER_DUMMY && first_card(device, sizeof device)) {
        card = device;
    }
    if (options->driver == SERVER_DRIVER_ALSA && card == NULL) {
        store_error("no sound card was found");
        return false;
    }
    if (card != NULL && options->driver != SERVER_DRIVER_DUMMY && open_driver(host, options, "alsa", card)) {
        return true;
    }
    return options->driver != SERVER_DRIVER_ALSA && open_driver(host, options, "dummy", NULL);
}

/// Opens the internal client that observes clients, ports and connections.
static bool watch_clients(host_t *host) {
    jack_status_t status = 0;
    host->observer = jack_client_open("audiosession-server", JackNoStartServer, &status);
    return host->observer != NULL && jack_set_client_registration_callback(host->observer, client_changed, host) == 0 &&
           jack_set_port_registration_callback(host->observer, port_changed, host) == 0 &&
           jack_set_port_connect_callback(host->observer, connection_changed, host) == 0 &&
           jack_activate(host->observer) == 0;
}

/// Creates the server, opens a driver, starts the server and observes it. Returns false at the
/// first failure; `host_stop` then frees what was created.
static bool start(host_t *host, const server_options_t *options) {
    host->change_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    host->server = jackctl_server_create(NULL, NULL);
    if (host->change_fd == -1 || host->server == NULL) {
        return false;
    }
    configure_server(host->server, options);
    if (!open_any_driver(host, options)) {
        return false;
    }
    host->running = jackctl_server_start(host->server);
    return host->running && watch_clients(host);
}

/// Checks the limit of file descriptors. With few descriptors libjack crashes in its metadata
/// database and leaves it locked for all servers of the user. The server also needs some for each
/// client.
static bool has_descriptors(const server_options_t *options, char *error, unsigned long error_size) {
    enum { LEAST = 64 };
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= LEAST) {
        return true;
    }
    snprintf(error, error_size,
             "The JACK server '%s' needs %d file descriptors, but the limit is %d; raise it (ulimit -n).",
             options->name, LEAST, (int)limit.rlim_cur);
    return false;
}

host_t *host_start(const server_options_t *options, char *error, unsigned long error_size) {
    jack_set_error_function(store_error);
    jack_set_info_function(ignore_message);
    store_error("no reason was given");
    if (!has_descriptors(options, error, error_size)) {
        return NULL;
    }
    host_t *host = calloc(1, sizeof *host);
    if (host == NULL) {
        snprintf(error, error_size, "Not enough memory for a JACK server.");
        return NULL;
    }
    host->change_fd = -1;
    if (start(host, options)) {
        return host;
    }
    snprintf(error, error_size, "The JACK server '%s' cannot run: JACK reports '%s'.", options->name, last_error);
    host_stop(host);
    return NULL;
}

int host_change_fd(const host_t *host) { return host->change_fd; }

void host_take_change(host_t *host) {
    uint64_t changes = 0;
    ssize_t taken = read(host->change_fd, &changes, sizeof changes);
    (void)taken; // an empty counter is not an error
}

int host_client_count(const host_t *host) { return atomic_load(&host->clients); }

uint32_t host_sample_rate(const host_t *host) { return jack_get_sample_rate(host->observer); }

uint32_t host_period(const host_t *host) { return jack_get_buffer_size(host->observer); }

const char *host_driver_name(const host_t *host) { return jackctl_driver_get_name(host->driver); }

bool host_is_dead(const host_t *host) { return host->is_dead; }

/// Switches drivers. JACK closes the running driver before it opens the next one, so that after a
/// failure none is running.
static bool switch_driver(host_t *host, jackctl_driver_t *driver, uint32_t rate, uint32_t period) {
    if (driver == NULL) {
        return false;
    }
    set_format(driver, rate, period);
    if (!jackctl_server_switch_master(host->server, driver)) {
        return false;
    }
    host->driver = driver;
    return true;
}

bool host_set_sample_rate(host_t *host, uint32_t rate, char *error, unsigned long error_size) {
    uint32_t before = host_sample_rate(host), period = host_period(host);
    if (rate == before) {
        return true;
    }
    store_error("no reason was given");
    if (switch_driver(host, host->driver, rate, period)) {
        return true;
    }
    host->has_failed = true;
    char reason[sizeof last_error];
    memcpy(reason, last_error, sizeof reason);
    const char *outcome = "the previous rate remains in use";
    if (!switch_driver(host, host->driver, before, period)) {
        outcome = "it does not accept the previous rate either, so the server now runs without a device";
        host->is_dead = !switch_driver(host, find_driver(host->server, "dummy"), before, period);
    }
    if (host->is_dead) {
        outcome = "no other driver works either, so the server exits";
    }
    snprintf(error, error_size, "The device does not accept %u Hz (JACK reports '%s'); %s.", rate, reason, outcome);
    return false;
}

void host_stop(host_t *host) {
    if (host == NULL) {
        return;
    }
    // After a failed change of rate, jackctl_server_close would close a driver that is no longer
    // open. The end of the process closes everything else.
    if (host->has_failed) {
        jackctl_server_stop(host->server);
        return;
    }
    if (host->observer != NULL) {
        jack_client_close(host->observer);
    }
    if (host->running) {
        jackctl_server_stop(host->server);
    }
    if (host->open) {
        jackctl_server_close(host->server);
    }
    if (host->server != NULL) {
        jackctl_server_destroy(host->server);
    }
    if (host->change_fd != -1) {
        close(host->change_fd);
    }
    free(host);
}
