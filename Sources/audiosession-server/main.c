#define _GNU_SOURCE
/// Runs a JACK server in a separate process: its crash affects no other process.
#include "control.h"
#include "detach.h"
#include "host.h"
#include "options.h"
#include "platform_program.h"
#include "platform_text.h"
#include "platform_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

/// Notifies the process that waits at `--ready-fd`, once.
static void announce(const server_options_t *options, const char *text) {
    if (options->ready_fd == -1) {
        return;
    }
    dprintf(options->ready_fd, "%s\n", text);
    close(options->ready_fd);
}

/// Announces and prints the reason for a failure, and returns the exit status.
static int fail(const server_options_t *options, const char *error, int status) {
    announce(options, error);
    platform_print_error("audiosession-server", error);
    return status;
}

/// Blocks SIGTERM, SIGINT, SIGPIPE and SIGHUP for this thread and all threads created later: a
/// client that has gone (SIGPIPE) and a closed terminal (SIGHUP) do not end the server. Returns a
/// descriptor that receives SIGTERM and SIGINT, which end it; -1 on failure.
static int receive_signals(void) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigset_t blocked = ending;
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, &ending, SFD_CLOEXEC);
}

/// Returns whether the server may exit: no client is connected or about to connect. If so, it holds
/// the lock until the process ends. If there is no lock file, only the connected clients count.
static bool may_exit(const server_options_t *options, const host_t *host) {
    int lock = options->lock_path != NULL ? open(options->lock_path, O_RDWR | O_CLOEXEC) : -1;
    bool alone = lock == -1 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (alone && host_client_count(host) == 0) {
        return true;
    }
    if (lock != -1) {
        close(lock);
    }
    return false;
}

/// Time without notifications that must pass before the next change of rate, in milliseconds. After
/// a change, the clients restore their connections, and JACK reports this on a thread that uses the
/// driver, which the next change would remove.
#define QUIET_MS 300

static int64_t now_ms(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Returns the milliseconds until the server may exit if no client connects; -1 if it has clients
/// or is to run without a limit.
static int time_left(const server_options_t *options, const host_t *host, int64_t idle_since) {
    if (options->idle_exit == 0 || host_client_count(host) > 0) {
        return -1;
    }
    int64_t left = idle_since + (int64_t)options->idle_exit * 1000 - now_ms();
    return left > 0 ? (int)left : 0;
}

/// Serves until a signal arrives, no driver works, or nothing has changed for `idle_exit` seconds
/// and there is no client. Serves control requests only after QUIET_MS without notifications.
/// `control` may be NULL.
static void serve(const server_options_t *options, host_t *host, control_t *control, int signals) {
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN},
                               {.fd = host_change_fd(host), .events = POLLIN},
                               {.fd = control != NULL ? control_fd(control) : -1, .events = POLLIN}};
    int64_t idle_since = now_ms(), quiet_until = 0;
    while (!host_is_dead(host)) {
        int timeout = time_left(options, host, idle_since);
        int quiet = quiet_until > now_ms() ? (int)(quiet_until - now_ms()) : 0;
        watched[2].fd = control != NULL && quiet == 0 ? control_fd(control) : -1;
        int ready = poll(watched, 3, quiet > 0 && (timeout == -1 || quiet < timeout) ? quiet : timeout);
        if (ready == 0 && quiet > 0) {
            continue;
        }
        uint32_t rate = host_sample_rate(host);
        if (ready > 0 && watched[0].revents != 0) {
            return;
        }
        if (ready == 0 && may_exit(options, host)) {
            return;
        }
        if (ready == 0 || (ready > 0 && watched[1].revents != 0)) {
            host_take_change(host);
            idle_since = now_ms();
            quiet_until = idle_since + (ready > 0 ? QUIET_MS : 0);
        }
        if (ready > 0 && watched[2].revents != 0) {
            control_serve(control, host);
        }
        if (host_sample_rate(host) != rate) {
            quiet_until = now_ms() + QUIET_MS;
        }
    }
}

int main(int argc, char **argv) {
    platform_begin_program();
    server_options_t options;
    char error[400] = "";
    switch (options_parse(argc, argv, &options, error, sizeof error)) {
    case OPTIONS_HELP:
        options_print_help();
        return EX_OK;
    case OPTIONS_VERSION:
        platform_print_version("audiosession-server");
        return EX_OK;
    case OPTIONS_BAD:
        return fail(&options, error, EX_USAGE);
    case OPTIONS_RUN:
        break;
    }
    if (options.detach && !detach(options.ready_fd)) {
        snprintf(error, sizeof error, "Cannot continue in the background: %s.", strerror(errno));
        return fail(&options, error, EX_OSERR);
    }
    int signals = receive_signals();
    if (signals == -1) {
        snprintf(error, sizeof error, "Cannot receive signals: %s.", strerror(errno));
        return fail(&options, error, EX_OSERR);
    }
    host_t *host = host_start(&options, error, sizeof error);
    control_t *control =
        host != NULL && options.control_path != NULL ? control_open(options.control_path, error, sizeof error) : NULL;
    if (host == NULL || (options.control_path != NULL && control == NULL)) {
        int status = fail(&options, error, EX_UNAVAILABLE);
        host_stop(host);
        return status;
    }
    announce(&options, "ready");
    serve(&options, host, control, signals);
    int status = host_is_dead(host) ? EX_SOFTWARE : EX_OK;
    // Close the socket first: a process that can no longer connect starts another server, whose
    // socket has the same path.
    control_close(control);
    host_stop(host);
    return status;
}
