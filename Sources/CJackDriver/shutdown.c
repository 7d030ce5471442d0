/// Closing a client whose server has announced its shutdown.
///
/// jackd2's libjack reports the shutdown on its notification thread, and the server continues to
/// send notifications until it exits: for example, that its driver clients were removed.
/// `jack_client_close` cancels that thread wherever it is. If the thread is inside a notification,
/// a lock of libjack stays locked: this close, and every later call that opens or closes a client
/// in the process, never returns. So a close after a shutdown first waits, for two seconds at most,
/// until the threads that reported the shutdown have exited on their own, which they do once the
/// server has closed its sockets.
///
/// PipeWire's libjack (1.4) reports the shutdown on a thread that runs until the client is closed:
/// there is nothing to wait for.
#define _GNU_SOURCE
#include "driver_state.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/// If a server that announced its shutdown has not exited within this time, it is still running and
/// sends no further notifications: its client can be closed like any other.
enum { LONGEST_WAIT_MS = 2000 };

void rcore_jack_record_thread(rcore_jack_t *jack) {
    bool is_cycle = pthread_equal(pthread_self(), jack_client_thread_id(jack->client)) != 0;
    atomic_store(is_cycle ? &jack->failed_cycle : &jack->notifier, (int)gettid());
}

static bool is_alive(int thread) { return thread != 0 && syscall(SYS_tgkill, getpid(), thread, 0) == 0; }

void rcore_jack_await_shutdown(const rcore_jack_t *jack) {
    if (!atomic_load(&jack->notified_by_info) || rcore_jack_is_pipewire()) {
        return;
    }
    for (int waited = 0; waited < LONGEST_WAIT_MS; waited++) {
        int notifier = atomic_load(&jack->notifier);
        if (notifier != 0 && !is_alive(notifier) && !is_alive(atomic_load(&jack->failed_cycle))) {
            return;
        }
        poll(NULL, 0, 1);
    }
}
