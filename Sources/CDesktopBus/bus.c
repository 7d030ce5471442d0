#define _GNU_SOURCE
#include "bus.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/// Processes one message, if there is one. Returns whether there was, or a negative errno if the
/// connection has ended.
static int process(desktop_bus_t *bus) {
    const int result = sd_bus_process(bus->bus, NULL);
    return result >= 0 && sd_bus_is_open(bus->bus) <= 0 ? -ECONNRESET : result;
}

/// Waits for a message, a wake-up or the time in µs at which sd-bus or the caller has something to
/// do.
static int wait_for_event(desktop_bus_t *bus, uint64_t deadline) {
    const int fd = sd_bus_get_fd(bus->bus);
    const int events = fd < 0 ? fd : sd_bus_get_events(bus->bus);
    if (events < 0) {
        return events;
    }
    uint64_t due = UINT64_MAX;
    const int result = sd_bus_get_timeout(bus->bus, &due);
    if (result < 0) {
        return result;
    }
    due = due < deadline ? due : deadline;
    int timeout_ms = -1;
    if (due != UINT64_MAX) {
        const uint64_t now = now_us();
        const uint64_t rest = due > now ? (due - now + 999) / 1000 : 0;
        timeout_ms = rest < 60000 ? (int)rest : 60000;
    }
    struct pollfd watched[] = {{.fd = fd, .events = (short)events}, {.fd = bus->wake, .events = POLLIN}};
    return poll(watched, 2, timeout_ms) < 0 && errno != EINTR ? -errno : 0;
}

/// Connects, and waits until the bus has sent the connection's name.
static int connect_to(desktop_bus_t *bus, const char *address, uint64_t deadline) {
    int result = sd_bus_new(&bus->bus);
    result = result < 0 ? result : sd_bus_set_address(bus->bus, address);
    result = result < 0 ? result : sd_bus_set_bus_client(bus->bus, 1);
    // Every program of the user may control the player, as on every session bus.
    result = result < 0 ? result : sd_bus_set_trusted(bus->bus, 1);
    result = result < 0 ? result : sd_bus_negotiate_fds(bus->bus, 0);
    result = result < 0 ? result : sd_bus_start(bus->bus);
    while (result >= 0) {
        result = process(bus);
        if (result < 0 || sd_bus_is_ready(bus->bus) > 0) {
            break;
        }
        if (now_us() >= deadline) {
            return -ETIMEDOUT;
        }
        result = result > 0 ? result : wait_for_event(bus, deadline);
    }
    return result;
}

int desktop_bus_open(const char *address, int timeout_ms, const desktop_bus_callbacks_t *callbacks,
                     desktop_bus_t **opened) {
    *opened = NULL;
    const uint64_t deadline = now_us() + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * 1000;
    desktop_bus_t *bus = calloc(1, sizeof *bus);
    if (!bus) {
        return -ENOMEM;
    }
    bus->callbacks = *callbacks;
    bus->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    const int result = bus->wake < 0 ? -errno : connect_to(bus, address, deadline);
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
    bus->bus = sd_bus_close_unref(bus->bus);
}

void desktop_bus_destroy(desktop_bus_t *bus) {
    if (!bus) {
        return;
    }
    desktop_bus_close(bus);
    if (bus->wake >= 0) {
        close(bus->wake);
    }
    free(bus);
}

int desktop_bus_wait(desktop_bus_t *bus, bool until_sent) {
    while (true) {
        // First, so that a flood of messages does not delay it.
        uint64_t count;
        if (read(bus->wake, &count, sizeof count) == sizeof count || (until_sent && desktop_bus_has_sent(bus))) {
            return 0;
        }
        int result = process(bus);
        if (result == 0) {
            result = wait_for_event(bus, UINT64_MAX);
        }
        if (result < 0) {
            return result;
        }
    }
}

void desktop_bus_wake(desktop_bus_t *bus) {
    const uint64_t one = 1;
    // Fails only if the counter is at its maximum; then the descriptor is readable already.
    const ssize_t written = write(bus->wake, &one, sizeof one);
    (void)written;
}

bool desktop_bus_has_sent(desktop_bus_t *bus) {
    uint64_t count = 0;
    return sd_bus_get_n_queued_write(bus->bus, &count) < 0 || count == 0;
}

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
    return sd_bus_request_name_async(bus->bus, &bus->request, name, 0, receive_name_reply, bus);
}

int desktop_bus_release_name(desktop_bus_t *bus, const char *name) {
    bus->request = sd_bus_slot_unref(bus->request);
    return sd_bus_release_name_async(bus->bus, NULL, name, ignore_reply, bus);
}
