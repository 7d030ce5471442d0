/// Measures the share of its period that the client's own cycle takes. The load that libjack
/// reports is that of the entire server.
#define _GNU_SOURCE
#include "driver_state.h"

#include <time.h>

// Does not block: the C library reads the clock without a system call wherever the kernel permits
// it.
int clock_gettime(clockid_t clock, struct timespec *time) RCORE_RT;

uint64_t rcore_jack_clock(void) RCORE_RT {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/// Records the load of a cycle. A load above the published one is published immediately; the
/// published load decreases again after one to two seconds.
void rcore_jack_record_load(rcore_jack_t *jack, uint64_t begin, uint32_t nframes) RCORE_RT {
    rcore_jack_monitor_t *monitor = jack->monitor;
    struct load_window *window = &jack->load;
    const uint32_t rate = atomic_load_explicit(&monitor->sample_rate, memory_order_relaxed);
    if (nframes == 0) {
        return;
    }
    const float load = (float)(rcore_jack_clock() - begin) * 1e-9f * (float)rate / (float)nframes;
    if (load > window->longest) {
        window->longest = load;
    }
    if (load > atomic_load_explicit(&monitor->cycle_load, memory_order_relaxed)) {
        atomic_store_explicit(&monitor->cycle_load, load, memory_order_relaxed);
    }
    window->nframes += nframes;
    if (window->nframes < rate) {
        return;
    }
    atomic_store_explicit(&monitor->cycle_load, window->longest, memory_order_relaxed);
    *window = (struct load_window){0};
}
