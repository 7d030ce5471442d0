/// Freewheeling: the server calls as fast as it can, on a thread without a deadline, and files are to be played whole. So before each cycle
/// the app fills its streams, as it does with any driver that has no clock.
#include "client.h"

// The cycle's rule against blocking is for threads with a deadline; here there is none.
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

void rcore_jack_set_prepare(rcore_jack_t *jack, void (*prepare)(void *context), void *context) {
    jack->prepare = prepare;
    jack->prepare_context = context;
}

void rcore_jack_prepare(rcore_jack_t *jack) RCORE_RT {
    if (jack->prepare)
        jack->prepare(jack->prepare_context);
}
