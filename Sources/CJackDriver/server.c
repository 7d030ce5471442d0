/// Requests to the server: period, load, connections.
#include "driver_state.h"

#include <errno.h>
#include <poll.h>

rcore_jack_status_t rcore_jack_set_period(rcore_jack_t *jack, uint32_t nframes) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    if (nframes == 0 || nframes > RCORE_MAX_PERIOD) {
        return RCORE_JACK_BAD_ARGUMENT;
    }
    // jackd2 also reports failure if it has changed the period but its driver's thread has not
    // restarted within a second.
    bool has_changed =
        jack_set_buffer_size(jack->client, nframes) == 0 || jack_get_buffer_size(jack->client) == nframes;
    return has_changed ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

float rcore_jack_cpu_load(rcore_jack_t *jack) {
    return rcore_jack_is_lost(jack) ? 0 : jack_cpu_load(jack->client) / 100;
}

/// Returns the names of the devices' ports in a direction, terminated by NULL; NULL if there are
/// none, and when the server is lost. For JACK, the ports that a device plays are input ports.
static const char **device_ports(rcore_jack_t *jack, rcore_jack_direction_t direction) {
    unsigned long side = direction == RCORE_JACK_PLAYBACK ? JackPortIsInput : JackPortIsOutput;
    if (rcore_jack_is_lost(jack)) {
        return NULL;
    }
    return rcore_jack_device_ports(jack, side);
}

uint32_t rcore_jack_device_port_count(rcore_jack_t *jack, rcore_jack_direction_t direction) {
    const char **names = device_ports(jack, direction);
    uint32_t count = 0;
    while (names != NULL && names[count] != NULL) {
        count++;
    }
    rcore_jack_free_names(names);
    return count;
}

rcore_jack_status_t rcore_jack_connect(rcore_jack_t *jack, const char *source, const char *destination) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    int result = jack_connect(jack->client, source, destination);
    return result == 0 || result == EEXIST ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

bool rcore_jack_await_connection(rcore_jack_t *jack, const char *own, const char *far, uint32_t milliseconds) {
    const uint64_t end = rcore_jack_clock() + milliseconds * UINT64_C(1000000);
    while (!rcore_jack_is_lost(jack)) {
        const jack_port_t *port = jack_port_by_name(jack->client, own);
        if (port == NULL) {
            return false;
        }
        // jackd's library first waits for about a period if a new graph has not been adopted.
        if (jack_port_connected_to(port, far) > 0) {
            return true;
        }
        if (rcore_jack_clock() >= end) {
            return false;
        }
        poll(NULL, 0, 1);
    }
    return false;
}

rcore_jack_status_t rcore_jack_disconnect(rcore_jack_t *jack, const char *source, const char *destination) {
    if (rcore_jack_is_lost(jack)) {
        return RCORE_JACK_LOST;
    }
    return jack_disconnect(jack->client, source, destination) == 0 ? RCORE_JACK_OK : RCORE_JACK_REFUSED;
}

uint32_t rcore_jack_connect_device(rcore_jack_t *jack, rcore_jack_direction_t direction) {
    const char **names = device_ports(jack, direction);
    uint32_t connected = 0;
    for (uint32_t i = 0; names != NULL && names[i] != NULL && i < RCORE_JACK_MAX_PORTS; i++) {
        const char *own = rcore_jack_port_name(jack, direction, i);
        bool plays = direction == RCORE_JACK_PLAYBACK;
        if (own != NULL) {
            connected += rcore_jack_connect(jack, plays ? own : names[i], plays ? names[i] : own) == RCORE_JACK_OK;
        }
    }
    rcore_jack_free_names(names);
    return connected;
}

bool rcore_jack_port_exists(rcore_jack_t *jack, const char *name) {
    return !rcore_jack_is_lost(jack) && jack_port_by_name(jack->client, name) != NULL;
}

void rcore_jack_free_names(const char **names) {
    if (names != NULL) {
        jack_free(names);
    }
}
