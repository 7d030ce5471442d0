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
    jackctl_driver_t *driver; ///< the one that runs
    jack_client_t *witness;   ///< an internal client: the server tells it who comes and goes, also who is killed
    int change_fd;
    atomic_int clients;
    bool open;
    bool running;
    bool has_failed; ///< a driver did not open at a change of rate
    bool is_dead;
};

/// The last thing JACK complained about; its own sentence helps when a device does not open.
static char last_complaint[200];

static void keep_complaint(const char *text) { snprintf(last_complaint, sizeof last_complaint, "%s", text); }

static void ignore_information(const char *text) { (void)text; }

/// JACK's call, on a thread of the server's: a client came or went.
static void client_changed(const char *name, int registered, void *argument) {
    host_t *host = argument;
    if (strcmp(name, "system") == 0) // the device's, anew after a change of rate
        return;
    atomic_fetch_add(&host->clients, registered ? 1 : -1);
    uint64_t one = 1;
    ssize_t written = write(host->change_fd, &one, sizeof one);
    (void)written; // a full counter is readable all the same
}

static void note_activity(const host_t *host) {
    uint64_t one = 1;
    ssize_t written = write(host->change_fd, &one, sizeof one);
    (void)written;
}

/// JACK's calls, on the thread that a change of rate must not meet: see QUIET_MS.
static void port_changed(jack_port_id_t port, int registered, void *argument) {
    (void)port, (void)registered;
    note_activity(argument);
}

static void link_changed(jack_port_id_t a, jack_port_id_t b, int connected, void *argument) {
    (void)a, (void)b, (void)connected;
    note_activity(argument);
}

static void configure_server(jackctl_server_t *server, const server_options_t *options) {
    const JSList *parameters = jackctl_server_get_parameters(server);
    int priority = realtime_priority();
    parameter_set_string(parameters, "name", options->name);
    parameter_set_bool(parameters, "sync", options->sync);
    parameter_set_bool(parameters, "realtime", priority > 0);
    if (priority > 0)
        parameter_set_int(parameters, "realtime-priority", priority);
}

static jackctl_driver_t *find_driver(jackctl_server_t *server, const char *name) {
    for (const JSList *node = jackctl_server_get_drivers_list(server); node; node = node->next)
        if (strcmp(jackctl_driver_get_name(node->data), name) == 0)
            return node->data;
    return NULL;
}

static const JSList *set_format(jackctl_driver_t *driver, uint32_t rate, uint32_t period) {
    const JSList *parameters = jackctl_driver_get_parameters(driver);
    parameter_set_uint(parameters, "rate", rate);
    parameter_set_uint(parameters, "period", period);
    return parameters;
}

/// The device of the first card that ALSA knows, or false.
static bool first_card(char *device, size_t size) {
    FILE *cards = fopen("/proc/asound/cards", "r");
    if (!cards)
        return false;
    int number = 0;
    bool found = fscanf(cards, " %d [", &number) == 1;
    fclose(cards);
    if (found)
        snprintf(device, size, "hw:%d", number);
    return found;
}

static bool open_driver(host_t *host, const server_options_t *options, const char *driver_name, const char *device) {
    jackctl_driver_t *driver = find_driver(host->server, driver_name);
    if (!driver) {
        snprintf(last_complaint, sizeof last_complaint, "this JACK has no driver '%s'", driver_name);
        return false;
    }
    const JSList *parameters = set_format(driver, options->sample_rate, options->period);
    if (device)
        parameter_set_string(parameters, "device", device);
    host->driver = driver;
    host->open = jackctl_server_open(host->server, driver);
    return host->open;
}

static bool open_any_driver(host_t *host, const server_options_t *options) {
    char device[16];
    const char *card = options->device;
    if (!card && options->driver != SERVER_DRIVER_DUMMY && first_card(device, sizeof device))
        card = device;
    if (options->driver == SERVER_DRIVER_ALSA && !card) {
        keep_complaint("there is no sound card");
        return false;
    }
    if (card && options->driver != SERVER_DRIVER_DUMMY && open_driver(host, options, "alsa", card))
        return true;
    return options->driver != SERVER_DRIVER_ALSA && open_driver(host, options, "dummy", NULL);
}

static bool watch_clients(host_t *host) {
    jack_status_t status = 0;
    host->witness = jack_client_open("audiosession-server", JackNoStartServer, &status);
    return host->witness && jack_set_client_registration_callback(host->witness, client_changed, host) == 0 &&
           jack_set_port_registration_callback(host->witness, port_changed, host) == 0 &&
           jack_set_port_connect_callback(host->witness, link_changed, host) == 0 && jack_activate(host->witness) == 0;
}

static bool start(host_t *host, const server_options_t *options) {
    host->change_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    host->server = jackctl_server_create(NULL, NULL);
    if (host->change_fd == -1 || !host->server)
        return false;
    configure_server(host->server, options);
    if (!open_any_driver(host, options))
        return false;
    host->running = jackctl_server_start(host->server);
    return host->running && watch_clients(host);
}

/// With few descriptors libjack crashes in its metadata database and leaves it locked for all servers
/// of the user. The server also needs some for each client.
static bool has_descriptors(const server_options_t *options, char *error, unsigned long error_size) {
    enum { LEAST = 64 };
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur >= LEAST)
        return true;
    snprintf(error, error_size,
             "The JACK server '%s' needs %d file descriptors, and the limit is %d; raise it (ulimit -n).",
             options->name, LEAST, (int)limit.rlim_cur);
    return false;
}

host_t *host_start(const server_options_t *options, char *error, unsigned long error_size) {
    jack_set_error_function(keep_complaint);
    jack_set_info_function(ignore_information);
    keep_complaint("no reason was given");
    if (!has_descriptors(options, error, error_size))
        return NULL;
    host_t *host = calloc(1, sizeof *host);
    if (!host) {
        snprintf(error, error_size, "There is not enough memory for a JACK server.");
        return NULL;
    }
    host->change_fd = -1;
    if (start(host, options))
        return host;
    snprintf(error, error_size, "The JACK server '%s' cannot run: JACK says '%s'.", options->name, last_complaint);
    host_stop(host);
    return NULL;
}

int host_change_fd(const host_t *host) { return host->change_fd; }

void host_take_change(host_t *host) {
    uint64_t changes = 0;
    ssize_t taken = read(host->change_fd, &changes, sizeof changes);
    (void)taken; // nothing to take back is fine
}

int host_client_count(const host_t *host) { return atomic_load(&host->clients); }

uint32_t host_sample_rate(const host_t *host) { return jack_get_sample_rate(host->witness); }

uint32_t host_period(const host_t *host) { return jack_get_buffer_size(host->witness); }

const char *host_driver_name(const host_t *host) { return jackctl_driver_get_name(host->driver); }

bool host_is_dead(const host_t *host) { return host->is_dead; }

/// JACK closes the driver that runs before it opens the next, so that a failure leaves none.
static bool switch_driver(host_t *host, jackctl_driver_t *driver, uint32_t rate, uint32_t period) {
    if (!driver)
        return false;
    set_format(driver, rate, period);
    if (!jackctl_server_switch_master(host->server, driver))
        return false;
    host->driver = driver;
    return true;
}

bool host_set_sample_rate(host_t *host, uint32_t rate, char *error, unsigned long error_size) {
    uint32_t before = host_sample_rate(host), period = host_period(host);
    if (rate == before)
        return true;
    keep_complaint("no reason was given");
    if (switch_driver(host, host->driver, rate, period))
        return true;
    host->has_failed = true;
    char reason[sizeof last_complaint];
    memcpy(reason, last_complaint, sizeof reason);
    const char *then = "the rate before holds";
    if (!switch_driver(host, host->driver, before, period)) {
        then = "neither does it go on with the rate before, so the server runs without a device now";
        host->is_dead = !switch_driver(host, find_driver(host->server, "dummy"), before, period);
    }
    if (host->is_dead)
        then = "nothing else works either, so the server ends";
    snprintf(error, error_size, "The device does not take %u Hz (JACK says '%s'); %s.", rate, reason, then);
    return false;
}

void host_stop(host_t *host) {
    if (!host)
        return;
    // JACK closes the driver that did not open once more, which is gone by then: the end of the process closes all else.
    if (host->has_failed) {
        jackctl_server_stop(host->server);
        return;
    }
    if (host->witness)
        jack_client_close(host->witness);
    if (host->running)
        jackctl_server_stop(host->server);
    if (host->open)
        jackctl_server_close(host->server);
    if (host->server)
        jackctl_server_destroy(host->server);
    if (host->change_fd != -1)
        close(host->change_fd);
    free(host);
}
