/// Free file descriptors: libjack needs some to open a client, and does not survive where there are few.
///
/// With about ten free descriptors libjack 1.9.21 crashes in its metadata database, which all JACK
/// servers of a user share, and can leave it locked: every jackd of that user then hangs until the
/// database is removed. The driver therefore opens no client without a margin.
#include "rcore_jack.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>

/// Queries each number below the soft limit, which needs no descriptor and has no effect on open
/// files, and stops at the `most`-th free one: a huge limit costs nothing. The kernel gives out no
/// number at or above the limit.
uint32_t rcore_jack_free_descriptors(uint32_t most) {
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 0;
    const int end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
    uint32_t count = 0;
    for (int descriptor = 0; descriptor < end && count < most; descriptor++)
        count += fcntl(descriptor, F_GETFD) == -1;
    return count;
}
