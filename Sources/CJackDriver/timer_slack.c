/// Extends the time for which libjack waits for its own threads to start.
///
/// When jackd2's libjack starts a thread, it checks up to a thousand times whether the thread is
/// running, and sleeps for 1 ms in between. If the thread has not started by then, as on an
/// overloaded machine, libjack frees the objects that the thread is about to use: the process
/// crashes when the thread starts. libjack has no setting for this timeout, but the kernel lets a
/// thread's sleeps last longer.
#include "rcore_jack.h"

#include <sys/prctl.h>

/// With this slack, a thousand sleeps take about ten seconds. If the thread starts at once, libjack
/// sleeps only once.
enum { RAISED_NS = 10 * 1000 * 1000 };

int rcore_jack_raise_timer_slack(void) {
    int slack = prctl(PR_GET_TIMERSLACK);
    if (slack > 0 && slack < RAISED_NS) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)RAISED_NS);
    }
    return slack;
}

void rcore_jack_restore_timer_slack(int nanoseconds) {
    if (nanoseconds > 0) {
        prctl(PR_SET_TIMERSLACK, (unsigned long)nanoseconds);
    }
}
