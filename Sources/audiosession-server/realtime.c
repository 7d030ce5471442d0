#include "realtime.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

#define PREFERRED_PRIORITY 70

/// Checks whether a priority is permitted: sets it on the calling thread and restores the previous
/// one.
static int is_permitted(int priority) {
    int policy = SCHED_OTHER;
    struct sched_param before = {0};
    const struct sched_param parameters = {.sched_priority = priority};
    if (pthread_getschedparam(pthread_self(), &policy, &before) != 0) {
        return 0;
    }
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) != 0) {
        return 0;
    }
    pthread_setschedparam(pthread_self(), policy, &before);
    return 1;
}

int realtime_priority(void) {
    if (is_permitted(PREFERRED_PRIORITY)) {
        return PREFERRED_PRIORITY;
    }
    struct rlimit limit = {0};
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0 || limit.rlim_cur == 0 || limit.rlim_cur > PREFERRED_PRIORITY) {
        return 0;
    }
    return is_permitted((int)limit.rlim_cur) ? (int)limit.rlim_cur : 0;
}
