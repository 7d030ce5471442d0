#define _GNU_SOURCE
#include "session_socket.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/// Sets the path of a socket's address. Returns 0, -ENAMETOOLONG, or -ENOENT for an empty path,
/// which would mean another kind of address.
static int address_set(struct sockaddr_un *address, const char *path) {
    const size_t length = strlen(path);
    if (length == 0) {
        return -ENOENT;
    }
    if (length >= sizeof address->sun_path) {
        return -ENAMETOOLONG;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length + 1);
    return 0;
}

/// Closes the socket and returns the negative of `error`, an errno from before the close.
static int close_with(int socket, int error) {
    close(socket);
    return -error;
}

int ssocket_listen(const char *path, int backlog) {
    struct sockaddr_un address;
    const int invalid = address_set(&address, path);
    if (invalid < 0) {
        return invalid;
    }
    const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0) {
        return -errno;
    }
    // The file gets the mode of the socket, so there is no moment in which other users could
    // connect.
    if (fchmod(listener, S_IRUSR | S_IWUSR) != 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0) {
        return close_with(listener, errno);
    }
    if (listen(listener, backlog) != 0) {
        const int error = errno;
        unlink(path);
        return close_with(listener, error);
    }
    return listener;
}

int ssocket_accept(int listener) {
    int connection;
    do {
        connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    } while (connection < 0 && errno == EINTR);
    return connection >= 0 ? connection : -errno;
}

static int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static int set_send_timeout(int socket, int64_t us) {
    const struct timeval timeout = {.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    return setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) == 0 ? 0 : -errno;
}

/// Connects before the deadline. poll cannot wait for room in a Unix socket's backlog, but the send
/// timeout also limits connect.
static int connect_until(int socket, const struct sockaddr_un *address, int64_t deadline_us) {
    for (;;) {
        const int64_t left = deadline_us - now_us();
        if (left <= 0) {
            return -ETIMEDOUT;
        }
        const int timeout_error = set_send_timeout(socket, left);
        if (timeout_error < 0) {
            return timeout_error;
        }
        if (connect(socket, (const struct sockaddr *)address, sizeof *address) == 0) {
            return set_send_timeout(socket, 0); // 0: no limit
        }
        if (errno != EINTR && errno != EAGAIN) {
            return -errno;
        }
    }
}

int ssocket_connect(const char *path, int timeout_ms) {
    struct sockaddr_un address;
    const int invalid = address_set(&address, path);
    if (invalid < 0) {
        return invalid;
    }
    const int connection = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (connection < 0) {
        return -errno;
    }
    const int64_t deadline = now_us() + (int64_t)(timeout_ms > 0 ? timeout_ms : 1) * 1000;
    const int error = connect_until(connection, &address, deadline);
    return error == 0 ? connection : close_with(connection, -error);
}

int ssocket_pair(int ends[2]) {
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0 ? 0 : -errno;
}

int ssocket_send_limit(int socket, size_t bytes) {
    int limit = bytes < INT_MAX ? (int)bytes : INT_MAX;
    socklen_t size = sizeof limit;
    if (setsockopt(socket, SOL_SOCKET, SO_SNDBUF, &limit, size) != 0 ||
        getsockopt(socket, SOL_SOCKET, SO_SNDBUF, &limit, &size) != 0) {
        return -errno;
    }
    return limit;
}
