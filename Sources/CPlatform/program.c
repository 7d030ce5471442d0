#define _GNU_SOURCE
#include "platform_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sysexits.h>
#include <unistd.h>

/// Writes what stdout still holds, and reports the first failure.
static void close_output(void) {
    const bool has_failed = ferror(stdout) != 0;
    const bool has_pending = __fpending(stdout) != 0;
    errno = 0;
    // Without output, a closed descriptor is no failure: the servers close the one that --ready-fd
    // names.
    if ((fclose(stdout) == 0 || (!has_pending && errno == EBADF)) && !has_failed) {
        return;
    }
    if (errno == EPIPE) {
        _exit(128 + SIGPIPE);
    }
    // If an earlier write has failed, its reason is not known any longer.
    dprintf(STDERR_FILENO, "%s: Standard output cannot be written%s%s.\n", program_invocation_short_name,
            errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
    _exit(EX_IOERR);
}

/// Opens the standard descriptors that are closed, for the direction that nobody uses.
static void occupy_standard_descriptors(void) {
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
        if (fcntl(descriptor, F_GETFD) == -1 && errno == EBADF) {
            // The lowest free number, and thus this one.
            (void)open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void platform_begin_program(void) {
    occupy_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN);
    atexit(close_output);
}

void platform_reset_limits(unsigned long most_files) {
    static const __rlimit_resource_t resources[] = {RLIMIT_AS,     RLIMIT_CPU,   RLIMIT_DATA,   RLIMIT_FSIZE,
                                                    RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_MEMLOCK};
    for (unsigned i = 0; i < sizeof resources / sizeof resources[0]; i++) {
        struct rlimit limit;
        if (getrlimit(resources[i], &limit) == 0) {
            const bool is_files = resources[i] == RLIMIT_NOFILE;
            limit.rlim_cur = is_files && limit.rlim_max > most_files ? most_files : limit.rlim_max;
            setrlimit(resources[i], &limit);
        }
    }
    if (getpriority(PRIO_PROCESS, 0) > 0) {
        setpriority(PRIO_PROCESS, 0, 0);
    }
}
