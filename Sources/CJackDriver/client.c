/// Opening, activating and closing a client.
#include "client.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *rcore_jack_status_text(rcore_jack_status_t status) {
    switch (status) {
    case RCORE_JACK_OK:
        return "fine";
    case RCORE_JACK_BAD_ARGUMENT:
        return "a value is out of range";
    case RCORE_JACK_NO_MEMORY:
        return "memory or file descriptors are short";
    case RCORE_JACK_NO_SERVER:
        return "no JACK server of that name runs";
    case RCORE_JACK_REFUSED:
        return "the server said no";
    case RCORE_JACK_LOST:
        return "the server died";
    case RCORE_JACK_NO_DESCRIPTORS:
        return "too few file descriptors are free; close files or raise the limit (ulimit -n)";
    }
    return "unknown status";
}

static void stay_silent(const char *text) { (void)text; }

/// libjack prints on standard error by itself; what went wrong is told by statuses here.
static void silence_libjack(void) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
}

/// libjack copies a server's name, the default one's too, into buffers of its own without a look at its length.
static bool is_server_name(const char *name) {
    const char *used = name ? name : getenv("JACK_DEFAULT_SERVER");
    size_t length = used ? strlen(used) : 0;
    return (length > 0 || !name) && length <= RCORE_JACK_MAX_SERVER_NAME;
}

/// A server that is just dying still takes the call and then does not answer it, as one that refuses does: asked again, it is gone.
static jack_client_t *open_client(const char *server_name, const char *client_name, jack_status_t *code) {
    enum { attempts = 5 };
    jack_client_t *client = NULL;
    int slack = rcore_jack_raise_timer_slack();
    for (int i = 0; i < attempts; i++) {
        *code = 0;
        client = server_name ? jack_client_open(client_name, JackNoStartServer | JackServerName, code, server_name)
                             : jack_client_open(client_name, JackNoStartServer, code);
        if (client || (*code & JackServerFailed) || !(*code & JackServerError))
            break;
    }
    rcore_jack_restore_timer_slack(slack);
    return client;
}

/// jackd2 keeps a client's socket under the path at which a server of that name listens, and removes it with the client: a client that
/// bears its server's name would leave the server unreachable for all to come. It gets another last letter, or one more.
static void name_apart(const char *server_name, const char *client_name, char *name, size_t capacity) {
    const char *given = getenv("JACK_DEFAULT_SERVER");
    const char *server = server_name ? server_name : given && given[0] ? given : "default";
    bool is_same = strcmp(server, client_name) == 0;
    snprintf(name, capacity, "%.*s%s", (int)(capacity - 1 - is_same), client_name, is_same ? "_" : "");
}

static rcore_jack_status_t connect_to_server(rcore_jack_t *jack, const char *server_name, const char *client_name) {
    jack_status_t code = 0;
    char name[256];
    size_t limit = (size_t)jack_client_name_size();
    name_apart(server_name, client_name, name, limit < sizeof name ? limit : sizeof name);
    jack->client = open_client(server_name, name, &code);
    if (!jack->client)
        return code & JackServerFailed ? RCORE_JACK_NO_SERVER : RCORE_JACK_REFUSED;
    uint32_t sample_rate = jack_get_sample_rate(jack->client), period = jack_get_buffer_size(jack->client);
    // A server that is just dying may say so: no rate and no period are none.
    if (sample_rate == 0 || period == 0)
        return RCORE_JACK_REFUSED;
    rcore_jack_forget_loss(jack->news, sample_rate, period);
    return rcore_jack_register_callbacks(jack) ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

rcore_jack_t *rcore_jack_open(const char *server_name, const char *client_name, rcore_jack_news_t *news,
                              rcore_jack_status_t *status) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    rcore_jack_status_t ignored = RCORE_JACK_OK;
    status = status ? status : &ignored;
    *status = RCORE_JACK_BAD_ARGUMENT;
    size_t length = client_name ? strlen(client_name) : 0;
    if (!news || length == 0 || length >= (size_t)jack_client_name_size() || !is_server_name(server_name))
        return NULL;
    *status = RCORE_JACK_NO_DESCRIPTORS;
    if (rcore_jack_free_descriptors(RCORE_JACK_MIN_DESCRIPTORS) < RCORE_JACK_MIN_DESCRIPTORS)
        return NULL;
    pthread_once(&once, silence_libjack);
    *status = RCORE_JACK_NO_MEMORY;
    rcore_jack_t *jack = calloc(1, sizeof *jack);
    if (!jack)
        return NULL;
    jack->news = news;
    sem_init(&jack->core_departure.left, 0, 0);
    sem_init(&jack->table_departure.left, 0, 0);
    pthread_mutex_init(&jack->table_use, NULL);
    struct port_table *no_ports = calloc(1, sizeof *no_ports);
    atomic_store(&jack->table, no_ports);
    if (no_ports)
        *status = connect_to_server(jack, server_name, client_name);
    if (*status == RCORE_JACK_OK)
        return jack;
    rcore_jack_close(jack);
    return NULL;
}

void rcore_jack_close(rcore_jack_t *jack) {
    if (!jack)
        return;
    if (jack->client) {
        rcore_jack_await_farewell(jack);
        jack_client_close(jack->client);
    }
    sem_destroy(&jack->core_departure.left);
    sem_destroy(&jack->table_departure.left);
    pthread_mutex_destroy(&jack->table_use);
    free((void *)rcore_jack_table(jack));
    free(jack);
}

rcore_jack_status_t rcore_jack_activate(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack))
        return RCORE_JACK_LOST;
    int slack = rcore_jack_raise_timer_slack();
    int result = jack_activate(jack->client);
    rcore_jack_restore_timer_slack(slack);
    return result == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

rcore_jack_status_t rcore_jack_deactivate(rcore_jack_t *jack) {
    if (rcore_jack_is_lost(jack))
        return RCORE_JACK_LOST;
    if (jack_deactivate(jack->client) != 0)
        return RCORE_JACK_REFUSED;
    rcore_jack_leave_cycle(jack); // libjack may have ended its thread within the cycle
    return RCORE_JACK_OK;
}

void rcore_jack_attach_core(rcore_jack_t *jack, rcore_t *core) { atomic_store(&jack->core, core); }

void rcore_jack_detach_core(rcore_jack_t *jack) {
    atomic_store(&jack->core, NULL);
    rcore_jack_await_departure(jack, &jack->core_departure);
}

void rcore_jack_await_departure(rcore_jack_t *jack, struct departure *departure) {
    atomic_store(&departure->is_awaited, true);
    if (!atomic_load(&jack->in_cycle) && atomic_exchange(&departure->is_awaited, false))
        return; // nobody is inside, and nobody promised to post
    while (sem_wait(&departure->left) == -1 && errno == EINTR)
        continue;
}

const char *rcore_jack_client_name(const rcore_jack_t *jack) { return jack_get_client_name(jack->client); }

const char *rcore_jack_version(void) { return jack_get_version_string(); }
