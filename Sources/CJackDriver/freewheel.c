/// Freewheeling: the server calls as fast as it can, on a thread without a deadline, and files are to be played whole.
#define _GNU_SOURCE
#include "client.h"

#include <time.h>

enum { pause_microseconds = 200, longest_seconds = 2 };

// The cycle's rule against blocking is for threads with a deadline; here there is none.
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

void rcore_jack_wait_for_streams(rcore_jack_t *jack, rcore_t *core, uint32_t nframes) RCORE_RT {
    const struct timespec pause = {.tv_nsec = pause_microseconds * 1000};
    // Bounded: who reads the files may have died, and JACK throws out clients that never come back.
    for (uint32_t turn = 0; turn < longest_seconds * 1000000u / pause_microseconds; turn++) {
        if (!rcore_is_starving(core, nframes) || atomic_load(&jack->detaching) || rcore_jack_is_lost(jack))
            return;
        nanosleep(&pause, NULL);
    }
}
