/// Whether libjack's notification thread is idle, that is, waits for the next notification.
///
/// libjack cannot be asked. The kernel shows the system call that a thread is blocked in: an idle
/// thread reads from its socket, and one that handles a notification runs or waits for a mutex.
#define _GNU_SOURCE
#include "driver_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    LONGEST_WAIT_MS = 2000,
    /// How long to wait if the kernel does not show what the thread does.
    PAUSE_MS = 10,
};

enum activity { IDLE, BUSY, ENDED, UNKNOWN };

/// Returns what a thread of the process does.
static enum activity activity(pid_t thread) {
    char path[64], text[32];
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)thread);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file == -1) {
        snprintf(path, sizeof path, "/proc/self/task/%d", (int)thread);
        return access("/proc/self/task", F_OK) == 0 && access(path, F_OK) != 0 ? ENDED : UNKNOWN;
    }
    ssize_t length = read(file, text, sizeof text - 1);
    bool has_ended = length == -1 && errno == ESRCH;
    close(file);
    if (length <= 0) {
        return has_ended ? ENDED : UNKNOWN;
    }
    text[length] = 0;
    // "running", or the number of the system call and its arguments.
    char *end = text;
    long call = strtol(text, &end, 10);
    return end != text && call == SYS_read ? IDLE : BUSY;
}

void rcore_jack_await_idle(pid_t thread) {
    enum activity seen = thread != 0 ? activity(thread) : UNKNOWN;
    for (int waited = 0; seen == BUSY && waited < LONGEST_WAIT_MS; waited++) {
        poll(NULL, 0, 1);
        seen = activity(thread);
    }
    if (seen == UNKNOWN) {
        poll(NULL, 0, PAUSE_MS);
    }
}
