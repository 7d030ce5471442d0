/// The socket to the arbiter: sending, its end, and when to connect again.
#define _GNU_SOURCE
#include "session_socket.h"
#include "session_state.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
    /// Between two attempts to connect.
    SHORTEST_PAUSE_MS = 10,
    LONGEST_PAUSE_MS = 1000,
    /// How long to wait while the arbiter does not read.
    SEND_LIMIT_MS = 500,
};

void close_descriptor(int *descriptor) {
    if (*descriptor != -1) {
        close(*descriptor);
        *descriptor = -1;
    }
}

void schedule(asession_t *session, uint32_t pause_ms) {
    const struct itimerspec time = {
        .it_value = {.tv_sec = pause_ms / 1000, .tv_nsec = (long)(pause_ms % 1000) * 1000000}};
    (void)timerfd_settime(session->timer, 0, &time, NULL);
}

void schedule_next_attempt(asession_t *session) {
    schedule(session, session->pause_ms);
    session->pause_ms = session->pause_ms * 2 < LONGEST_PAUSE_MS ? session->pause_ms * 2 : LONGEST_PAUSE_MS;
}

void handle_loss(asession_t *session) {
    if (session->phase == LOST) {
        return;
    }
    const bool was_connected = session->phase == CONNECTED;
    const bool was_stable = was_connected && clock_ms() - session->connected_since >= LONGEST_PAUSE_MS;
    close_descriptor(&session->socket); // which also removes it from the epoll instance
    close_descriptor(&session->gate_descriptor);
    session->phase = LOST;
    // One that comes and goes is not connected to every few milliseconds.
    session->pause_ms = was_stable || session->pause_ms == 0 ? SHORTEST_PAUSE_MS : session->pause_ms;
    if (was_connected) {
        post_simple_event(session, ASESSION_EVENT_ARBITER_LOST);
    }
    schedule_next_attempt(session);
}

/// Sets a member that is there and 0.
static void fill_in(json_object *request, const char *key, uint64_t value) {
    json_object *present = member(request, key);
    if (json_object_is_type(present, json_type_int) && json_object_get_uint64(present) == 0) {
        set_unsigned(request, key, value);
    }
}

uint64_t send_request(asession_t *session, json_object *request) {
    set_unsigned(request, "serial", ++session->serial);
    fill_in(request, "session", session->id);
    fill_in(request, "app", unsigned_member(session->application, "id"));
    size_t length = 0;
    const char *text = json_object_to_json_string_length(request, WIRE_FORMAT, &length);
    const uint64_t deadline = clock_ms() + SEND_LIMIT_MS;
    while (text != NULL && ssocket_send(session->socket, text, length, -1) == -EAGAIN) {
        // The arbiter has not read the requests before. If it does not, the connection ends, so
        // that this does not wait for each request.
        struct pollfd watched = {.fd = session->socket, .events = POLLOUT};
        if (clock_ms() >= deadline) {
            (void)shutdown(session->socket, SHUT_RDWR);
        } else {
            (void)poll(&watched, 1, 10);
        }
    }
    json_object_put(request);
    return session->serial;
}
