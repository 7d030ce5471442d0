/// The open clients of the process. jackd2's libjack keeps one state of the server for all clients
/// of a process, and one client that has lost the server marks it as ended. The next call that
/// opens a client, even if it fails, then deletes all clients that are still open: they are not
/// called any longer, and closing one of them ends the process. So a client is opened only when all
/// those that have lost their server are closed.
#define _GNU_SOURCE
#include "driver_state.h"

#include <poll.h>
#include <pthread.h>
#include <time.h>

enum {
    /// How long to wait for clients that have lost their server: closing one takes two seconds at
    /// most (shutdown.c).
    LONGEST_CLOSE_MS = 3000,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/// The open clients, each of which refers to the next.
static rcore_jack_t *first;

static uint64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

void rcore_jack_enlist(rcore_jack_t *jack) {
    pthread_mutex_lock(&lock);
    jack->suspected_at = 0;
    jack->next_open = first;
    first = jack;
    pthread_mutex_unlock(&lock);
}

void rcore_jack_delist(rcore_jack_t *jack) {
    pthread_mutex_lock(&lock);
    rcore_jack_t **place = &first;
    while (*place != NULL && *place != jack) {
        place = &(*place)->next_open;
    }
    const bool is_listed = *place != NULL;
    if (is_listed) {
        *place = jack->next_open;
    }
    if (is_listed && rcore_jack_is_lost(jack)) {
        // The others have lost it as well, and are about to notice that.
        for (rcore_jack_t *other = first; other != NULL; other = other->next_open) {
            other->suspected_at = now_ms();
        }
    }
    pthread_mutex_unlock(&lock);
}

/// Returns whether a client has lost its server, or is to notice that it has.
static bool has_dead_client(uint64_t now) {
    bool has_dead = false;
    pthread_mutex_lock(&lock);
    for (const rcore_jack_t *jack = first; jack != NULL; jack = jack->next_open) {
        if (jack->suspected_at != 0 && now - jack->suspected_at >= RCORE_JACK_LOSS_REPORT_MS) {
            // The server has dropped only the other one; libjack would delete this one.
            rcore_jack_record_loss(jack->monitor, "another client of the process has lost the server");
        }
        has_dead |= jack->suspected_at != 0 || rcore_jack_is_lost(jack);
    }
    pthread_mutex_unlock(&lock);
    return has_dead;
}

bool rcore_jack_await_dead_clients(void) {
    if (rcore_jack_is_pipewire()) {
        return true; // its clients share nothing
    }
    const uint64_t begin = now_ms();
    for (uint64_t now = begin; has_dead_client(now); now = now_ms()) {
        if (now - begin > LONGEST_CLOSE_MS) {
            return false;
        }
        poll(NULL, 0, 1);
    }
    return true;
}

// ---- One client at a time -----------------------------------------------------------------------
//
// Each client of jackd2's libjack has a thread that handles the server's notifications, one after
// the other; those of clients that come and go under a mutex of the whole process. Closing a client
// cancels its thread, wherever that is. If the thread holds the mutex, no client of the process can
// be opened or closed any longer. Measured: with clients that are closed one shortly after the
// other, on a busy machine, within a few hundred attempts.
//
// So clients are opened and closed one at a time, and a client is closed only when its thread waits
// for the next notification (notification_thread.c). It is deactivated before, since that causes
// notifications. What remains is the moment between the check and the cancellation, in which only
// a client of another process can cause one.

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

void rcore_jack_begin_opening(void) {
    if (!rcore_jack_is_pipewire()) {
        pthread_mutex_lock(&turn);
    }
}

void rcore_jack_end_opening(void) {
    if (!rcore_jack_is_pipewire()) {
        pthread_mutex_unlock(&turn);
    }
}

void rcore_jack_close_client(rcore_jack_t *jack) {
    if (rcore_jack_is_pipewire()) {
        if (rcore_jack_is_lost(jack)) {
            rcore_jack_unregister_all(jack);
        }
        jack_client_close(jack->client);
        return;
    }
    pthread_mutex_lock(&turn);
    if (!rcore_jack_is_lost(jack)) {
        jack_deactivate(jack->client);
    }
    rcore_jack_await_idle(jack->notification_thread);
    jack_client_close(jack->client);
    pthread_mutex_unlock(&turn);
}
