/// Freewheeling: the server calls the client as fast as it can, on a thread without a deadline, and
/// files must play without gaps. So the app fills its streams before each cycle, as with any driver
/// that has no clock.
#include "driver_state.h"

// The rule that the cycle must not block applies to threads with a deadline; this thread has none.
#if defined(__clang__) && __clang_major__ >= 20
#pragma clang diagnostic ignored "-Wfunction-effects"
#endif

void rcore_jack_set_prepare(rcore_jack_t *jack, void (*prepare)(void *context), void *context) {
    jack->prepare = prepare;
    jack->prepare_context = context;
}

void rcore_jack_prepare(rcore_jack_t *jack) RCORE_RT {
    if (jack->prepare != NULL) {
        jack->prepare(jack->prepare_context);
    }
}

bool rcore_jack_freewheels(const rcore_jack_t *jack) { return atomic_load(&jack->freewheeling); }
