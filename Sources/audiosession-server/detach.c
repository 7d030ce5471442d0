#define _GNU_SOURCE
#include "detach.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

static void close_inherited(int kept) {
    if (kept > STDERR_FILENO) {
        close_range(STDERR_FILENO + 1, (unsigned)kept - 1, 0);
        close_range((unsigned)kept + 1, ~0U, 0);
    } else {
        close_range(STDERR_FILENO + 1, ~0U, 0);
    }
}

/// Forwards signals to the server, waits until it exits, and exits with its status; with
/// EX_SOFTWARE if a signal ended it.
static _Noreturn void forward_signals(pid_t server, const sigset_t *signals) {
    for (;;) {
        int signal = 0;
        if (sigwait(signals, &signal) != 0) {
            continue;
        }
        if (signal != SIGCHLD) {
            kill(server, signal);
        }
        int status = 0;
        if (waitpid(server, &status, WNOHANG) == server) {
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : EX_SOFTWARE);
        }
    }
}

bool detach(int kept) {
    pid_t child = fork();
    if (child > 0) {
        _exit(EX_OK);
    }
    if (child == -1 || setsid() == -1 || chdir("/") != 0) {
        return false;
    }
    close_inherited(kept);
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    if (sigprocmask(SIG_BLOCK, &signals, &before) != 0) {
        return false;
    }
    // A second fork: the parent stays, forwards signals and reaps the server.
    pid_t server = fork();
    if (server == 0) {
        return sigprocmask(SIG_SETMASK, &before, NULL) == 0;
    }
    if (server == -1) {
        return false;
    }
    close_inherited(-1); // only the server announces itself
    forward_signals(server, &signals);
}
