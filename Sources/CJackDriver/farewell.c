/// The end of a client whose server said that it closes.
///
/// jackd2's libjack tells the end on its notification thread, and the server goes on notifying until it is gone: of its drivers that
/// leave, for one. `jack_client_close` cancels that thread wherever it is, and if that is within a notification, a lock of libjack's stays
/// taken: this close and every later call that opens or closes a client in the process never return. So a close after the end first waits
/// until the threads that told it have left by themselves, which they do once the server has closed its sockets.
#define _GNU_SOURCE
#include "client.h"

#include <poll.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

/// A server that said it closes and did not within this time lives, and notifies no more: it is left as any other.
enum { LONGEST_WAIT_MS = 2000 };

void rcore_jack_note_teller(rcore_jack_t *jack) {
    bool is_cycle = pthread_equal(pthread_self(), jack_client_thread_id(jack->client)) != 0;
    atomic_store(is_cycle ? &jack->failed_cycle : &jack->notifier, (int)gettid());
}

static bool lives(int thread) { return thread != 0 && syscall(SYS_tgkill, getpid(), thread, 0) == 0; }

void rcore_jack_await_farewell(const rcore_jack_t *jack) {
    if (!atomic_load(&jack->told_by_info))
        return;
    for (int waited = 0; waited < LONGEST_WAIT_MS; waited++) {
        int notifier = atomic_load(&jack->notifier);
        if (notifier != 0 && !lives(notifier) && !lives(atomic_load(&jack->failed_cycle)))
            return;
        poll(NULL, 0, 1);
    }
}
