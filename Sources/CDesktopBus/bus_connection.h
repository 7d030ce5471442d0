/// A connection to a bus, and the loop that serves it: what the two kinds of objects of this target
/// share. Threads as in the public headers: one at a time, except `bus_connection_wake`.
#ifndef BUS_CONNECTION_H
#define BUS_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-bus.h>

#define BUS_NAME "org.freedesktop.DBus"
#define PROPERTIES_INTERFACE "org.freedesktop.DBus.Properties"

typedef struct bus_connection {
    /// NULL: closed.
    sd_bus *bus;
    /// An eventfd: readable after `bus_connection_wake`.
    int wake;
} bus_connection_t;

/// Connects to the bus at `address`, and waits until the bus has sent the connection's name, for at
/// most `timeout_ms`. Messages may contain descriptors if `descriptors`. Returns 0 or a negative
/// errno; the caller destroys the connection in both cases.
int bus_connection_open(bus_connection_t *connection, const char *address, bool descriptors, int timeout_ms);

/// Disconnects. No callback is called any longer. Idempotent.
void bus_connection_close(bus_connection_t *connection);

/// Disconnects, and closes the eventfd.
void bus_connection_destroy(bus_connection_t *connection);

/// Serves the bus until `bus_connection_wake` has been called, or, if `until_sent`, everything has
/// been sent; then returns 0. Returns 1 at `*deadline_us`, which callbacks may change; NULL or
/// UINT64_MAX: none. Returns the negative errno with which the connection ended.
int bus_connection_wait(bus_connection_t *connection, bool until_sent, const uint64_t *deadline_us);

/// The microseconds of the monotonic clock.
uint64_t bus_connection_now_us(void);

/// Makes the current or next `bus_connection_wait` return. Any thread.
void bus_connection_wake(bus_connection_t *connection);

/// Returns whether all messages have been sent to the bus.
bool bus_connection_has_sent(bus_connection_t *connection);

/// Creates a method call that starts no program.
int new_method_call(bus_connection_t *connection, const char *destination, const char *path, const char *interface,
                    const char *member, sd_bus_message **message);

/// Returns whether a message was sent by the connection with this unique name.
bool is_from(sd_bus_message *message, const char *owner);

#endif
