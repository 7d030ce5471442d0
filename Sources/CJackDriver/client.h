/// What the files of the JACK driver share: the client itself.
#ifndef RCORE_JACK_CLIENT_H
#define RCORE_JACK_CLIENT_H

#include "rcore_jack.h"

#include <jack/jack.h>
#include <semaphore.h>
#include <stdatomic.h>

/// Written by libjack's notification threads and the cycle, read by whoever asks.
struct rcore_jack_news {
    int change_fd; ///< an eventfd: readable when `changes` are not empty
    atomic_uint changes;
    atomic_uint sample_rate;
    atomic_uint period_frames;
    atomic_uint_fast64_t xruns;
    atomic_uint_fast64_t cycles;
    atomic_bool loss_claimed; ///< by the first of the two shutdown callbacks
    atomic_bool lost;
    char reason[128]; ///< written once, before `lost` is set
};

struct rcore_jack {
    jack_client_t *client;
    rcore_jack_news_t *news;
    bool ports_registered;
    uint32_t nports[2];                          ///< by rcore_jack_direction_t; fixed while active
    jack_port_t *ports[2][RCORE_JACK_MAX_PORTS]; ///< likewise

    // Between control and the cycle: see cycle.c.
    _Atomic(rcore_t *) core;
    atomic_bool in_cycle;
    atomic_bool detaching;
    atomic_bool freewheeling;
    void (*prepare)(void *context); ///< fixed while active, or NULL
    void *prepare_context;
    sem_t cycle_left;

    // Who told that the server ends: see farewell.c.
    atomic_bool told_by_info; ///< by jackd2's libjack, that is
    atomic_int notifier;      ///< the thread id of libjack's notification thread, once it told; 0 before
    atomic_int failed_cycle;  ///< that of the audio thread, if it told
};

/// Whether the server is gone. [any]
static inline bool rcore_jack_is_lost(const rcore_jack_t *jack) { return atomic_load(&jack->news->lost); }

/// The process callback. [render]
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT;

/// While the server freewheels: has the app fill its streams. [render, without a deadline]
/// Marked as the cycle's functions are, so that the cycle may call it; what it calls may block, on a thread that has no deadline then.
void rcore_jack_prepare(rcore_jack_t *jack) RCORE_RT;

/// Stores a change and wakes who waits. [notification, any but render]
void rcore_jack_note(rcore_jack_news_t *news, unsigned change);

/// Begins with a new client of these values. [control]
void rcore_jack_forget_loss(rcore_jack_news_t *news, uint32_t sample_rate, uint32_t period_frames);

/// Registers every callback; before activation. [control]
bool rcore_jack_register_callbacks(rcore_jack_t *jack);

/// Notes which of libjack's threads tells the server's end. [notification, or an audio thread that leaves]
void rcore_jack_note_teller(rcore_jack_t *jack);

/// After the server's end was told: waits, for 2 s at most, until the threads that told it have left. [control]
void rcore_jack_await_farewell(const rcore_jack_t *jack);

#endif
