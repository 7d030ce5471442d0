#define _GNU_SOURCE
/// Stands for a device on a JACK server, in a process of its own: its end is a cable that is pulled.
#include "options.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

/// Set for the program that begins anew after a server's end: whom it was to tell that it is ready was told by then. Its value is how
/// often in a row the server has refused the device since.
static const char *const again_variable = "AUDIOSESSION_DEVICE_AGAIN";

/// How often it looks whether there is a server again. libjack has nothing that tells.
enum { LOOK_MS = 100 };

/// How often it tries again where a server refuses the device on its return, 100 ms apart: one that only begins, or is about to end,
/// refuses clients and ports for a moment.
enum { MAX_REFUSALS = 100 };

/// Tells whoever waits at `--ready-fd`, once.
static void announce(device_options_t *options, const char *text) {
    if (options->ready_fd == -1)
        return;
    dprintf(options->ready_fd, "%s\n", text);
    close(options->ready_fd);
    options->ready_fd = -1;
}

static int fail(device_options_t *options, const char *error, int status) {
    announce(options, error);
    fprintf(stderr, "audiosession-device: %s\n", error);
    return status;
}

/// Blocks the signals that end the program, for every thread to come, and returns a descriptor that receives them.
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

/// Leaves the caller's process, session and descriptors behind, but for the standard ones and `kept` (-1: none). Its folder stays: paths are within it.
static bool detach(int kept) {
    pid_t child = fork();
    if (child > 0)
        _exit(EX_OK);
    if (child == -1 || setsid() == -1)
        return false;
    unsigned first = STDERR_FILENO + 1;
    if (kept < (int)first)
        return close_range(first, ~0U, 0) == 0;
    return ((unsigned)kept == first || close_range(first, (unsigned)kept - 1, 0) == 0) &&
           close_range((unsigned)kept + 1, ~0U, 0) == 0;
}

/// Waits for a signal that ends the program, or for the server's end; true for the latter.
static bool outlives(int signals, int lost) {
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN}, {.fd = lost, .events = POLLIN}};
    while (poll(watched, 2, -1) == -1 && errno == EINTR)
        continue;
    return watched[0].revents == 0;
}

/// Waits a moment; false when a signal came that ends the program.
static bool may_look_again(int signals) {
    struct pollfd watched = {.fd = signals, .events = POLLIN};
    return poll(&watched, 1, LOOK_MS) <= 0;
}

/// Begins anew in the same process: of a libjack whose server died nothing is to be kept.
static int begin_anew(char **argv, int refusals) {
    char count[16];
    snprintf(count, sizeof count, "%d", refusals);
    setenv(again_variable, count, 1);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    execv("/proc/self/exe", argv);
    fprintf(stderr, "audiosession-device: It cannot begin anew: %s.\n", strerror(errno));
    return EX_OSERR;
}

/// `refusals`: in a row, since the server ended; -1: the device was never there.
static int serve(device_options_t *options, char **argv, int refusals) {
    char error[400] = "";
    stand_in_fault_t fault;
    int signals = receive_signals();
    stand_in_t *device;
    while (!(device = stand_in_plug(&options->device, error, sizeof error, &fault))) {
        if (refusals == -1 || fault == STAND_IN_BAD_OPTIONS || refusals >= MAX_REFUSALS)
            return fail(options, error, fault == STAND_IN_BAD_OPTIONS ? EX_USAGE : EX_UNAVAILABLE);
        if (!may_look_again(signals))
            return EX_OK;
        if (fault == STAND_IN_REFUSED)
            return begin_anew(argv, refusals + 1);
    }
    announce(options, "ready");
    bool is_lost = outlives(signals, stand_in_lost_fd(device));
    if (!stand_in_unplug(device, error, sizeof error))
        return fail(options, error, EX_IOERR);
    if (is_lost && options->comes_back)
        return begin_anew(argv, 0);
    return is_lost ? fail(options, "The JACK server ended.", EX_UNAVAILABLE) : EX_OK;
}

int main(int argc, char **argv) {
    device_options_t options;
    char error[400] = "";
    switch (options_parse(argc, argv, &options, error, sizeof error)) {
    case OPTIONS_HELP:
        options_print_help();
        return EX_OK;
    case OPTIONS_BAD:
        return fail(&options, error, EX_USAGE);
    case OPTIONS_RUN:
        break;
    }
    const char *again = getenv(again_variable);
    int refusals = again ? atoi(again) : -1;
    if (again) {
        options.ready_fd = -1;
        options.detach = false;
    }
    if (options.detach && !detach(options.ready_fd))
        return fail(&options, "It cannot go on in the background.", EX_OSERR);
    int status = serve(&options, argv, refusals);
    fflush(NULL);
    _exit(status); // libjack's threads may be about still, and its server be gone
}
