/// Free file descriptors: libjack needs some to open a client, and crashes if there are too few.
///
/// With only about ten free descriptors, libjack 1.9.21 crashes in its metadata database, which all
/// JACK servers of a user share, and can leave it locked: every jackd of that user then hangs until
/// the database is removed. The driver therefore requires RCORE_JACK_MIN_DESCRIPTORS to open a
/// client.
#include "rcore_jack.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/resource.h>

/// Queries each descriptor number below the soft limit with F_GETFD, which needs no free
/// descriptor and does not affect open files. Stops at the `most`-th free number, so that a huge
/// limit is usually not searched to its end. The kernel assigns
/// no number at or above the limit.
uint32_t rcore_jack_free_descriptors(uint32_t most) {
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    const int end = limit.rlim_cur < INT_MAX ? (int)limit.rlim_cur : INT_MAX;
    uint32_t count = 0;
    for (int descriptor = 0; descriptor < end && count < most; descriptor++) {
        count += fcntl(descriptor, F_GETFD) == -1;
    }
    return count;
}
