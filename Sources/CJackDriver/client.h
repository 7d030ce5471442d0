/// What the files of the JACK driver share: the client itself.
#ifndef RCORE_JACK_CLIENT_H
#define RCORE_JACK_CLIENT_H

#include "rcore_jack.h"

#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>

struct rcore_jack {
    jack_client_t *client;
    bool ports_registered;
    uint32_t nports[2];                          ///< by rcore_jack_direction_t; fixed while active
    jack_port_t *ports[2][RCORE_JACK_MAX_PORTS]; ///< likewise

    // Between control and the cycle: see cycle.c.
    _Atomic(rcore_t *) core;
    atomic_bool in_cycle;
    atomic_bool detaching;
    sem_t cycle_left;
    atomic_uint_fast64_t cycles;

    // From libjack's notification threads: see notifications.c.
    int change_fd;
    atomic_uint changes;
    atomic_uint sample_rate;
    atomic_uint period_frames;
    atomic_uint_fast64_t xruns;
    atomic_bool lost;
    atomic_bool reason_claimed;
    char reason[128]; ///< written once, before `lost` is set
};

/// The process callback. [render]
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT;

/// Registers every callback; before activation. [control]
bool rcore_jack_register_callbacks(rcore_jack_t *jack);

#endif
