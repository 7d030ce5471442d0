#define _GNU_SOURCE
#include "bus_connection.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

uint64_t bus_connection_now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/// Processes one message, if there is one. Returns whether there was, or a negative errno if the
/// connection has ended.
static int process(bus_connection_t *connection) {
    const int result = sd_bus_process(connection->bus, NULL);
    return result >= 0 && sd_bus_is_open(connection->bus) <= 0 ? -ECONNRESET : result;
}

/// Waits for a message, a wake-up or the time in µs at which sd-bus or the caller has something to
/// do.
static int wait_for_event(bus_connection_t *connection, uint64_t deadline) {
    const int fd = sd_bus_get_fd(connection->bus);
    const int events = fd < 0 ? fd : sd_bus_get_events(connection->bus);
    if (events < 0) {
        return events;
    }
    uint64_t due = UINT64_MAX;
    const int result = sd_bus_get_timeout(connection->bus, &due);
    if (result < 0) {
        return result;
    }
    due = due < deadline ? due : deadline;
    int timeout_ms = -1;
    if (due != UINT64_MAX) {
        const uint64_t now = bus_connection_now_us();
        const uint64_t rest = due > now ? (due - now + 999) / 1000 : 0;
        timeout_ms = rest < 60000 ? (int)rest : 60000;
    }
    struct pollfd watched[] = {{.fd = fd, .events = (short)events}, {.fd = connection->wake, .events = POLLIN}};
    return poll(watched, 2, timeout_ms) < 0 && errno != EINTR ? -errno : 0;
}

/// Connects, and waits until the bus has sent the connection's name.
static int connect_to(bus_connection_t *connection, const char *address, bool descriptors, uint64_t deadline) {
    int result = sd_bus_new(&connection->bus);
    result = result < 0 ? result : sd_bus_set_address(connection->bus, address);
    result = result < 0 ? result : sd_bus_set_bus_client(connection->bus, 1);
    // Every program of the user may control the player, as on every session bus.
    result = result < 0 ? result : sd_bus_set_trusted(connection->bus, 1);
    result = result < 0 ? result : sd_bus_negotiate_fds(connection->bus, descriptors);
    result = result < 0 ? result : sd_bus_start(connection->bus);
    while (result >= 0) {
        result = process(connection);
        if (result < 0 || sd_bus_is_ready(connection->bus) > 0) {
            break;
        }
        if (bus_connection_now_us() >= deadline) {
            return -ETIMEDOUT;
        }
        result = result > 0 ? result : wait_for_event(connection, deadline);
    }
    return result < 0 ? result : 0;
}

int bus_connection_open(bus_connection_t *connection, const char *address, bool descriptors, int timeout_ms) {
    const uint64_t deadline = bus_connection_now_us() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000;
    connection->bus = NULL;
    connection->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return connection->wake < 0 ? -errno : connect_to(connection, address, descriptors, deadline);
}

void bus_connection_close(bus_connection_t *connection) { connection->bus = sd_bus_close_unref(connection->bus); }

void bus_connection_destroy(bus_connection_t *connection) {
    bus_connection_close(connection);
    if (connection->wake >= 0) {
        close(connection->wake);
        connection->wake = -1;
    }
}

int bus_connection_wait(bus_connection_t *connection, bool until_sent, const uint64_t *deadline_us) {
    while (true) {
        // First, so that a flood of messages does not delay it.
        uint64_t count;
        if (read(connection->wake, &count, sizeof count) == sizeof count ||
            (until_sent && bus_connection_has_sent(connection))) {
            return 0;
        }
        const uint64_t deadline = deadline_us ? *deadline_us : UINT64_MAX;
        if (deadline != UINT64_MAX && bus_connection_now_us() >= deadline) {
            return 1;
        }
        int result = process(connection);
        if (result == 0) {
            result = wait_for_event(connection, deadline);
        }
        if (result < 0) {
            return result;
        }
    }
}

void bus_connection_wake(bus_connection_t *connection) {
    const uint64_t one = 1;
    // Fails only if the counter is at its maximum; then the descriptor is readable already.
    const ssize_t written = write(connection->wake, &one, sizeof one);
    (void)written;
}

bool bus_connection_has_sent(bus_connection_t *connection) {
    uint64_t count = 0;
    return sd_bus_get_n_queued_write(connection->bus, &count) < 0 || count == 0;
}

// ---- Messages -----------------------------------------------------------------------------------

int new_method_call(bus_connection_t *connection, const char *destination, const char *path, const char *interface,
                    const char *member, sd_bus_message **message) {
    const int result = sd_bus_message_new_method_call(connection->bus, message, destination, path, interface, member);
    return result < 0 ? result : sd_bus_message_set_auto_start(*message, false);
}

bool is_from(sd_bus_message *message, const char *owner) {
    const char *sender = sd_bus_message_get_sender(message);
    return sender && strcmp(sender, owner) == 0;
}
