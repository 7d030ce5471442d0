/// How much of its period the client's own cycle takes: what libjack's load, the whole server's, does not tell.
#define _GNU_SOURCE
#include "client.h"

#include <time.h>

// Does not block: the C library reads the clock without asking the kernel wherever the kernel lets it.
int clock_gettime(clockid_t clock, struct timespec *time) RCORE_RT;

uint64_t rcore_jack_clock(void) RCORE_RT {
    struct timespec time = {0};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * UINT64_C(1000000000) + (uint64_t)time.tv_nsec;
}

/// A cycle that is longer than those before it is told at once; that there was one is forgotten after a second, or two.
void rcore_jack_note_load(rcore_jack_t *jack, uint64_t begin, uint32_t nframes) RCORE_RT {
    rcore_jack_news_t *news = jack->news;
    struct load_window *window = &jack->load;
    const uint32_t rate = atomic_load_explicit(&news->sample_rate, memory_order_relaxed);
    if (nframes == 0)
        return;
    const float load = (float)(rcore_jack_clock() - begin) * 1e-9f * (float)rate / (float)nframes;
    if (load > window->longest)
        window->longest = load;
    if (load > atomic_load_explicit(&news->cycle_load, memory_order_relaxed))
        atomic_store_explicit(&news->cycle_load, load, memory_order_relaxed);
    window->nframes += nframes;
    if (window->nframes < rate)
        return;
    atomic_store_explicit(&news->cycle_load, window->longest, memory_order_relaxed);
    *window = (struct load_window){0};
}
