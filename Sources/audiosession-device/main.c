#define _GNU_SOURCE
/// Runs a virtual device on a JACK server, in a separate process: killing the process has the
/// effect of pulling the cable.
#include "options.h"
#include "platform_detach.h"
#include "platform_program.h"
#include "platform_text.h"
#include "platform_version.h"
#include "virtual_device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sysexits.h>
#include <unistd.h>

/// Environment variable that is set when the program restarts after its server ended. (The process
/// at `--ready-fd` was notified before.) Its value is how often in a row a server has refused the
/// device since then.
static const char *const restart_variable = "AUDIOSESSION_DEVICE_AGAIN";

/// Interval between attempts to plug in again. libjack does not report when a server starts.
enum { RETRY_MS = 100 };

/// How often in a row a server may refuse the device after a restart, 100 ms apart: a server that
/// is starting or shutting down refuses clients and ports for a moment.
enum { MAX_REFUSALS = 100 };

/// Notifies the process that waits at `--ready-fd`, once.
static void announce(device_options_t *options, const char *text) {
    if (options->ready_fd == -1) {
        return;
    }
    dprintf(options->ready_fd, "%s\n", text);
    close(options->ready_fd);
    options->ready_fd = -1;
}

static int fail(device_options_t *options, const char *error, int status) {
    announce(options, error);
    platform_print_error("audiosession-device", error);
    return status;
}

/// Blocks SIGTERM, SIGINT, SIGPIPE and SIGHUP for this thread and all threads created later.
/// Returns a descriptor that receives SIGTERM and SIGINT, which end the program; -1 on failure.
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

/// Waits for a signal that ends the program, or until the server is lost. Returns true if it was
/// lost.
static bool wait_for_end(int signals, virtual_device_t *device) {
    struct pollfd watched[] = {{.fd = signals, .events = POLLIN}, {.fd = virtual_device_fd(device), .events = POLLIN}};
    for (;;) {
        int nready = poll(watched, 2, -1);
        if (nready == -1 && errno == EINTR) {
            continue;
        }
        if (nready == -1 || watched[0].revents != 0) {
            return false;
        }
        if (!virtual_device_handle_event(device)) {
            return true;
        }
    }
}

/// Waits for one interval. Returns false if a signal arrived that ends the program.
static bool wait_before_retry(int signals) {
    struct pollfd watched = {.fd = signals, .events = POLLIN};
    return poll(&watched, 1, RETRY_MS) <= 0;
}

/// Restarts the program in the same process, because libjack cannot be used again after its server
/// ended. Returns only on failure.
static int restart(char **argv, int refusals) {
    char count[16];
    snprintf(count, sizeof count, "%d", refusals);
    setenv(restart_variable, count, 1);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    execv("/proc/self/exe", argv);
    fprintf(stderr, "audiosession-device: Cannot restart: %s.\n", strerror(errno));
    return EX_OSERR;
}

/// Plugs the device in, and waits for a signal or the end of the server. Returns the exit status.
/// After a restart, tries again for as long as no server is running, and up to MAX_REFUSALS times
/// if a server refuses. `refusals`: how often in a row a server has refused the device since its
/// server ended; -1: the program was not restarted.
static int serve(device_options_t *options, char **argv, int refusals) {
    char error[400] = "";
    virtual_device_fault_t fault;
    int signals = receive_signals();
    if (signals == -1) {
        snprintf(error, sizeof error, "Cannot receive signals: %s.", strerror(errno));
        return fail(options, error, EX_OSERR);
    }
    virtual_device_t *device;
    while ((device = virtual_device_plug(&options->device, error, sizeof error, &fault)) == NULL) {
        if (refusals == -1 || fault == VIRTUAL_DEVICE_BAD_OPTIONS || refusals >= MAX_REFUSALS) {
            return fail(options, error, fault == VIRTUAL_DEVICE_BAD_OPTIONS ? EX_USAGE : EX_UNAVAILABLE);
        }
        if (!wait_before_retry(signals)) {
            return EX_OK;
        }
        if (fault == VIRTUAL_DEVICE_REFUSED) {
            return restart(argv, refusals + 1);
        }
    }
    announce(options, "ready");
    bool is_lost = wait_for_end(signals, device);
    if (!virtual_device_unplug(device, error, sizeof error)) {
        return fail(options, error, EX_IOERR);
    }
    if (is_lost && options->replug) {
        return restart(argv, 0);
    }
    return is_lost ? fail(options, "The JACK server ended.", EX_UNAVAILABLE) : EX_OK;
}

int main(int argc, char **argv) {
    platform_begin_program();
    device_options_t options;
    char error[400] = "";
    switch (options_parse(argc, argv, &options, error, sizeof error)) {
    case OPTIONS_HELP:
        options_print_help();
        return EX_OK;
    case OPTIONS_VERSION:
        platform_print_version("audiosession-device");
        return EX_OK;
    case OPTIONS_BAD:
        return fail(&options, error, EX_USAGE);
    case OPTIONS_RUN:
        break;
    }
    const char *restarted = getenv(restart_variable);
    int refusals = restarted != NULL ? atoi(restarted) : -1;
    if (restarted != NULL) {
        options.ready_fd = -1;
        options.detach = false;
    }
    // Paths may be relative to the working directory, so it does not change.
    const int detached = options.detach ? platform_detach(options.ready_fd, NULL) : 0;
    if (detached != 0) {
        snprintf(error, sizeof error, "Cannot continue in the background: %s.", strerror(-detached));
        return fail(&options, error, EX_OSERR);
    }
    int status = serve(&options, argv, refusals);
    fflush(NULL);
    _exit(status); // libjack's threads may still be running, and its server may be gone
}
