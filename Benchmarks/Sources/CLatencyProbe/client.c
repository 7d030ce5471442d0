#define _GNU_SOURCE
#include "client.h"

#include "latency_probe.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

static void stay_silent(const char *text) { (void)text; }

jack_client_t *client_open(const char *server, const char *name) {
    jack_set_error_function(stay_silent);
    jack_set_info_function(stay_silent);
    jack_status_t status = 0;
    if (server != NULL) {
        return jack_client_open(name, JackNoStartServer | JackServerName, &status, server);
    }
    return jack_client_open(name, JackNoStartServer, &status);
}

void client_close(jack_client_t *client) {
    if (client != NULL) {
        jack_client_close(client);
    }
}

jack_port_t *client_port(jack_client_t *client, const char *name, unsigned long flags) {
    return jack_port_register(client, name, JACK_DEFAULT_AUDIO_TYPE, flags, 0);
}

bool client_connect(jack_client_t *client, const char *source, const char *destination) {
    int result = jack_connect(client, source, destination);
    return result == 0 || result == EEXIST;
}

uint64_t latency_time_us(void) { return jack_get_time(); }

void latency_rest_us(double time_us) {
    struct timespec time = {.tv_sec = (time_t)(time_us / 1e6),
                            .tv_nsec = (long)((int64_t)(time_us * 1e3) % 1000000000)};
    (void)ppoll(NULL, 0, &time, NULL);
}
