#define _GNU_SOURCE
#include "control.h"

#include "session_socket.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define PEER_LIMIT 8
#define REQUEST_LIMIT 63
#define REPLY_SIZE 400

struct control {
    char path[sizeof((struct sockaddr_un){0}).sun_path];
    int listener;
    int epoll;
    /// -1: a free slot.
    int peers[PEER_LIMIT];
    /// The slot that is used next. Its peer, if any, has been connected for longest.
    unsigned next;
};

static bool watch(const control_t *control, int descriptor) {
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    return epoll_ctl(control->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

/// Removes the socket at `path`, but no file of another kind.
static void remove_socket(const char *path) {
    struct stat facts;
    if (lstat(path, &facts) == 0 && S_ISSOCK(facts.st_mode)) {
        unlink(path);
    }
}

/// Creates a socket at `path` that only this user can connect to, and listens. Returns 0 or a
/// negative errno.
static int listen_at(control_t *control, const char *path) {
    remove_socket(path);
    control->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (control->epoll == -1) {
        return -errno;
    }
    control->listener = ssocket_listen(path, PEER_LIMIT);
    if (control->listener < 0) {
        return control->listener;
    }
    snprintf(control->path, sizeof control->path, "%s", path);
    return watch(control, control->listener) ? 0 : -errno;
}

control_t *control_open(const char *path, char *error, unsigned long error_size) {
    control_t *control = calloc(1, sizeof *control);
    int result = -ENOMEM;
    if (control != NULL) {
        control->listener = control->epoll = -1;
        for (unsigned i = 0; i < PEER_LIMIT; i++) {
            control->peers[i] = -1;
        }
        result = listen_at(control, path);
        if (result == 0) {
            return control;
        }
    }
    snprintf(error, error_size, "The control socket '%s' cannot be created: %s.", path, strerror(-result));
    control_close(control);
    return NULL;
}

int control_fd(const control_t *control) { return control->epoll; }

static bool is_this_user(int socket) {
    ssocket_peer_t peer;
    return ssocket_peer(socket, &peer) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static void drop(control_t *control, unsigned slot) {
    if (control->peers[slot] != -1) {
        close(control->peers[slot]); // also removes it from the epoll set
    }
    control->peers[slot] = -1;
}

/// Accepts a connection, in place of the one that has been connected for longest.
static void admit(control_t *control) {
    drop(control, control->next); // first: there may be no spare descriptor
    int peer = ssocket_accept(control->listener);
    if (peer < 0) {
        return;
    }
    if (!is_this_user(peer) || !watch(control, peer)) {
        close(peer);
        return;
    }
    control->peers[control->next] = peer;
    control->next = (control->next + 1) % PEER_LIMIT;
}

/// Changes the sample rate to the number in `text`, and writes the reply.
static void set_rate(host_t *host, const char *text, char *reply) {
    char *end = NULL;
    unsigned long rate = strtoul(text, &end, 10);
    bool is_number = text[0] >= '1' && text[0] <= '9' && *end == '\0' && strlen(text) <= 6;
    if (!is_number || rate < SERVER_RATE_MIN || rate > SERVER_RATE_MAX) {
        snprintf(reply, REPLY_SIZE, "error A rate must be a whole number from %u to %u, not '%.40s'.", SERVER_RATE_MIN,
                 SERVER_RATE_MAX, text);
        return;
    }
    char error[REPLY_SIZE - 16];
    if (host_set_sample_rate(host, (uint32_t)rate, error, sizeof error)) {
        snprintf(reply, REPLY_SIZE, "ok %u", host_sample_rate(host));
    } else {
        snprintf(reply, REPLY_SIZE, "error %s", error);
    }
}

static void handle_request(host_t *host, const char *request, char *reply) {
    if (strncmp(request, "rate ", 5) == 0) {
        set_rate(host, request + 5, reply);
    } else if (strcmp(request, "status") == 0) {
        snprintf(reply, REPLY_SIZE, "ok rate=%u period=%u driver=%s clients=%d", host_sample_rate(host),
                 host_period(host), host_driver_name(host), host_client_count(host));
    } else {
        snprintf(reply, REPLY_SIZE, "error Unknown request '%.40s'; use 'rate' or 'status'.", request);
    }
}

/// Receives one packet, answers it, and closes the peer. A peer that has closed its end gets no
/// answer; one whose packet is not there yet stays open.
static void serve_peer(control_t *control, host_t *host, unsigned slot) {
    char request[REQUEST_LIMIT + 1], reply[REPLY_SIZE];
    ssize_t length = ssocket_receive(control->peers[slot], request, REQUEST_LIMIT, false, NULL);
    if (length == -EAGAIN) {
        return;
    }
    if (length == -EMSGSIZE) {
        snprintf(reply, sizeof reply, "error A request has at most %d bytes.", REQUEST_LIMIT);
    } else if (length > 0) {
        request[length] = '\0';
        handle_request(host, request, reply);
    }
    // A peer without room for one packet gets no reply.
    if (length > 0 || length == -EMSGSIZE) {
        (void)ssocket_send(control->peers[slot], reply, strlen(reply), -1);
    }
    drop(control, slot);
}

void control_serve(control_t *control, host_t *host) {
    struct epoll_event events[PEER_LIMIT + 1];
    int count = epoll_wait(control->epoll, events, PEER_LIMIT + 1, 0);
    bool is_served = false;
    for (int i = 0; i < count; i++) {
        for (unsigned slot = 0; slot < PEER_LIMIT && !is_served; slot++) {
            if (control->peers[slot] == events[i].data.fd) {
                serve_peer(control, host, slot);
                is_served = true;
            }
        }
    }
    // Accept last, so that a slot that is reused is not mistaken for the one that had the event.
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == control->listener) {
            admit(control);
        }
    }
}

void control_close(control_t *control) {
    if (control == NULL) {
        return;
    }
    if (control->path[0] != '\0') {
        remove_socket(control->path);
    }
    for (unsigned slot = 0; slot < PEER_LIMIT; slot++) {
        drop(control, slot);
    }
    if (control->listener >= 0) {
        close(control->listener);
    }
    if (control->epoll != -1) {
        close(control->epoll);
    }
    free(control);
}
