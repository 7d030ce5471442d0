#define _GNU_SOURCE
#include "platform_detach.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/// Closes all descriptors except the standard ones and `kept` (-1: none). Returns 0, or -1 and sets
/// errno.
static int close_inherited(int kept) {
    const unsigned first = STDERR_FILENO + 1;
    if (kept < (int)first) {
        return close_range(first, ~0U, 0);
    }
    if ((unsigned)kept > first && close_range(first, (unsigned)kept - 1, 0) != 0) {
        return -1;
    }
    return close_range((unsigned)kept + 1, ~0U, 0);
}

int platform_detach(int kept, const char *folder) {
    const pid_t child = fork();
    if (child < 0) {
        return -errno;
    }
    if (child > 0) {
        _exit(EXIT_SUCCESS);
    }
    sigset_t none;
    sigemptyset(&none);
    if (setsid() == -1 || (folder != NULL && chdir(folder) != 0) || sigprocmask(SIG_SETMASK, &none, NULL) != 0 ||
        close_inherited(kept) != 0) {
        return -errno;
    }
    return 0;
}
