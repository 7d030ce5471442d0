/// What the files of the JACK driver share: the client itself.
#ifndef RCORE_JACK_CLIENT_H
#define RCORE_JACK_CLIENT_H

#include "rcore_jack.h"

#include <jack/jack.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

/// Written by libjack's notification threads and the cycle, read by whoever asks.
struct rcore_jack_news {
    int change_fd; ///< an eventfd: readable when `changes` are not empty
    int loss_fd;   ///< likewise: readable while `lost`
    atomic_uint changes;
    atomic_uint sample_rate;
    atomic_uint period_frames;
    atomic_uint_fast64_t xruns;
    atomic_uint_fast64_t cycles;
    _Atomic float cycle_load; ///< written by the cycle alone (see load.c)
    atomic_bool loss_claimed; ///< by the first of the two shutdown callbacks
    atomic_bool lost;
    char reason[128]; ///< written once, before `lost` is set
};

/// The client's ports by direction and channel. Never changed once the cycle may see it: another one takes its place (see ports.c).
struct port_table {
    uint32_t nchannels[2]; ///< by rcore_jack_direction_t: one more than the highest channel that has a port
    jack_port_t *ports[2][RCORE_JACK_MAX_PORTS]; ///< NULL: no port has this channel
};

/// Somebody who waits until the cycle has left what was taken from it (see cycle.c).
struct departure {
    atomic_bool is_awaited;
    sem_t left;
};

/// The longest cycle within a second (see load.c).
struct load_window {
    uint64_t nframes; ///< of it so far
    float longest;    ///< share of the period
};

enum { RENEWED_CAPACITY = 256 };

struct rcore_jack {
    jack_client_t *client;
    rcore_jack_news_t *news;
    bool ports_registered;

    // Between control and the cycle: see cycle.c and ports.c.
    _Atomic(rcore_t *) core;
    _Atomic(const struct port_table *) table;
    atomic_bool in_cycle;
    struct departure core_departure;
    struct departure table_departure;
    /// Held by the latency callback while it uses the table's ports, and by control while it swaps tables; never across a call of libjack
    /// that waits.
    pthread_mutex_t table_use;
    /// Control makes more connections at once: the latency callback leaves its work to the one after the last.
    atomic_bool latencies_held;
    _Atomic(uint64_t) own_latencies[RCORE_JACK_MAX_PORTS]; ///< by output channel: least << 32 | greatest
    atomic_bool freewheeling;
    void (*prepare)(void *context); ///< fixed while active, or NULL
    void *prepare_context;
    struct load_window load; ///< of the cycle alone

    // Ports that were registered, for control to look at: see devices.c.
    atomic_uint renewed[RENEWED_CAPACITY]; ///< ids, at their number modulo the capacity
    atomic_uint nrenewed;
    unsigned renewed_taken; ///< by control

    // Who told that the server ends: see farewell.c.
    atomic_bool told_by_info; ///< by jackd2's libjack, that is
    atomic_int notifier;      ///< the thread id of libjack's notification thread, once it told; 0 before
    atomic_int failed_cycle;  ///< that of the audio thread, if it told
};

/// Whether the server is gone. [any]
static inline bool rcore_jack_is_lost(const rcore_jack_t *jack) { return atomic_load(&jack->news->lost); }

/// The process callback. [render]
int rcore_jack_cycle(jack_nframes_t nframes, void *argument) RCORE_RT;

/// What the cycle does last: tells who waits that it has left. [render, or control when no cycle can run any more]
void rcore_jack_leave_cycle(rcore_jack_t *jack) RCORE_RT;

/// Nanoseconds of the steady clock. [render]
uint64_t rcore_jack_clock(void) RCORE_RT;

/// Notes a cycle that began then and ends now, with a deadline. [render]
void rcore_jack_note_load(rcore_jack_t *jack, uint64_t begin, uint32_t nframes) RCORE_RT;

/// Waits until the cycle has left what was just taken from it, for the rest of one `rcore_process` at most. [control or watch]
void rcore_jack_await_departure(rcore_jack_t *jack, struct departure *departure);

/// Whether there may be such channels. [any]
static inline bool rcore_jack_is_range(uint32_t first, uint32_t count) {
    return count > 0 && count <= RCORE_JACK_MAX_PORTS && first <= RCORE_JACK_MAX_PORTS - count;
}

/// The ports there are now. [control]
static inline const struct port_table *rcore_jack_table(const rcore_jack_t *jack) { return atomic_load(&jack->table); }

/// Notes that a port was registered. [notification]
void rcore_jack_note_renewed(rcore_jack_t *jack, uint32_t port);

/// While the server freewheels: has the app fill its streams. [render, without a deadline]
/// Marked as the cycle's functions are, so that the cycle may call it; what it calls may block, on a thread that has no deadline then.
void rcore_jack_prepare(rcore_jack_t *jack) RCORE_RT;

/// Stores a change and wakes who waits. [notification, any but render]
void rcore_jack_note(rcore_jack_news_t *news, unsigned change);

/// Notes that the server is gone. [notification]
void rcore_jack_note_loss(rcore_jack_news_t *news);

/// Begins with a new client of these values. [control]
void rcore_jack_forget_loss(rcore_jack_news_t *news, uint32_t sample_rate, uint32_t period_frames);

/// Passes latencies through the client, later by what it delays itself: mostly nothing. (JACK would pass them through by itself, but then would not tell.)
/// [notification]
void rcore_jack_pass_latency_on(jack_latency_callback_mode_t mode, void *argument);

/// Registers every callback; before activation. [control]
bool rcore_jack_register_callbacks(rcore_jack_t *jack);

/// Notes which of libjack's threads tells the server's end. [notification, or an audio thread that leaves]
void rcore_jack_note_teller(rcore_jack_t *jack);

/// After the server's end was told: waits, for 2 s at most, until the threads that told it have left. [control]
void rcore_jack_await_farewell(const rcore_jack_t *jack);

#endif
