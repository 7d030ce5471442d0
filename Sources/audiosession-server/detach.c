#define _GNU_SOURCE
#include "detach.h"

#include "platform_detach.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

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
    const int detached = platform_detach(kept, "/");
    if (detached != 0) {
        errno = -detached;
        return false;
    }
    // A caller may have ignored SIGCHLD; then no signal would report the end of the server.
    (void)signal(SIGCHLD, SIG_DFL);
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
    if (kept != -1) {
        close(kept); // only the server announces itself
    }
    forward_signals(server, &signals);
}
