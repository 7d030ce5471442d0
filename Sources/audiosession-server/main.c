#define _GNU_SOURCE
/// Hosts a JACK server in a process of its own: its death is nobody else's.
#include "detach.h"
#include "host.h"
#include "options.h"

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
#include <unistd.h>

/// Tells whoever waits at `--ready-fd`, once.
static void announce(const server_options_t *options, const char *text) {
    if (options->ready_fd == -1)
        return;
    dprintf(options->ready_fd, "%s\n", text);
    close(options->ready_fd);
}

/// Blocks the signals that end the server, for every thread to come, and returns a descriptor that receives them.
static int receive_signals(void) {
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigset_t blocked = ending;
    sigaddset(&blocked, SIGPIPE);
    sigaddset(&blocked, SIGHUP);
    if (sigprocmask(SIG_BLOCK, &blocked, NULL) != 0)
        return -1;
    return signalfd(-1, &ending, SFD_CLOEXEC);
}

/// Whether the server may leave: nobody is connected or about to connect. If so, the lock is held until the process ends.
static bool may_leave(const server_options_t *options, host_t *host) {
    int lock = options->lock_path ? open(options->lock_path, O_RDWR | O_CLOEXEC) : -1;
    bool alone = lock == -1 || flock(lock, LOCK_EX | LOCK_NB) == 0;
    if (alone && host_client_count(host) == 0)
        return true;
    if (lock != -1)
        close(lock);
    return false;
}

/// Serves until a signal comes, or until there was no client for the time given.
static void serve(const server_options_t *options, host_t *host, int signals) {
    int idle_ms = options->idle_exit > 0 ? (int)options->idle_exit * 1000 : -1;
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN}, {.fd = host_change_fd(host), .events = POLLIN}};
    for (;;) {
        int timeout = host_client_count(host) == 0 ? idle_ms : -1;
        int happened = poll(watched, 2, timeout);
        if (happened > 0 && watched[0].revents != 0)
            return;
        if (happened == 0 && may_leave(options, host))
            return;
    }
}

int main(int argc, char **argv) {
    server_options_t options;
    char error[400] = "";
    switch (options_parse(argc, argv, &options, error, sizeof error)) {
    case OPTIONS_HELP:
        options_print_help();
        return EX_OK;
    case OPTIONS_BAD:
        announce(&options, error);
        fprintf(stderr, "audiosession-server: %s\n", error);
        return EX_USAGE;
    case OPTIONS_RUN:
        break;
    }
    if (options.detach && !detach(options.ready_fd)) {
        fprintf(stderr, "audiosession-server: It cannot go on in the background: %s.\n", strerror(errno));
        return EX_SOFTWARE;
    }
    int signals = receive_signals();
    host_t *host = host_start(&options, error, sizeof error);
    if (!host) {
        announce(&options, error);
        fprintf(stderr, "audiosession-server: %s\n", error);
        return EX_UNAVAILABLE;
    }
    announce(&options, "ready");
    serve(&options, host, signals);
    host_stop(host);
    return EX_OK;
}
