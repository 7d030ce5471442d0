#include "bus.h"

#include <errno.h>
#include <stdlib.h>

int desktop_bus_open(const char *address, int timeout_ms, const desktop_bus_callbacks_t *callbacks,
                     desktop_bus_t **opened) {
    *opened = NULL;
    desktop_bus_t *bus = calloc(1, sizeof *bus);
    if (!bus) {
        return -ENOMEM;
    }
    bus->callbacks = *callbacks;
    const int result = bus_connection_open(&bus->connection, address, false, timeout_ms);
    if (result < 0) {
        desktop_bus_destroy(bus);
        return result;
    }
    *opened = bus;
    return 0;
}

void desktop_bus_close(desktop_bus_t *bus) {
    player_remove(bus);
    bus->request = sd_bus_slot_unref(bus->request);
    bus_connection_close(&bus->connection);
}

void desktop_bus_destroy(desktop_bus_t *bus) {
    if (!bus) {
        return;
    }
    desktop_bus_close(bus);
    bus_connection_destroy(&bus->connection);
    free(bus);
}

int desktop_bus_wait(desktop_bus_t *bus, bool until_sent) {
    return bus_connection_wait(&bus->connection, until_sent, NULL);
}

void desktop_bus_wake(desktop_bus_t *bus) { bus_connection_wake(&bus->connection); }

bool desktop_bus_has_sent(desktop_bus_t *bus) { return bus_connection_has_sent(&bus->connection); }

// ---- Names --------------------------------------------------------------------------------------

/// Reports the reply to RequestName: 1 if this connection owns the name now, 4 if it did already.
static int receive_name_reply(sd_bus_message *reply, void *userdata, sd_bus_error *unused) {
    (void)unused;
    desktop_bus_t *bus = userdata;
    bus->request = sd_bus_slot_unref(bus->request);
    const sd_bus_error *error = sd_bus_message_get_error(reply);
    uint32_t code = 0;
    const char *failure = NULL;
    if (error) {
        failure = error->message ? error->message : error->name;
    } else if (sd_bus_message_read(reply, "u", &code) < 0) {
        failure = "the reply to RequestName is malformed";
    }
    bus->callbacks.named(bus->callbacks.context, code == 1 || code == 4, failure);
    return 0;
}

/// A name that was not this connection's is released as well.
static int ignore_reply(sd_bus_message *reply, void *userdata, sd_bus_error *error) {
    (void)reply, (void)userdata, (void)error;
    return 0;
}

int desktop_bus_request_name(desktop_bus_t *bus, const char *name) {
    bus->request = sd_bus_slot_unref(bus->request);
    return sd_bus_request_name_async(bus->connection.bus, &bus->request, name, 0, receive_name_reply, bus);
}

int desktop_bus_release_name(desktop_bus_t *bus, const char *name) {
    bus->request = sd_bus_slot_unref(bus->request);
    return sd_bus_release_name_async(bus->connection.bus, NULL, name, ignore_reply, bus);
}
