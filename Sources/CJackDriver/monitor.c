/// The monitor: records the server's notifications and lets a thread wait for them.
#include "driver_state.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

rcore_jack_monitor_t *rcore_jack_monitor_create(void) {
    rcore_jack_monitor_t *monitor = calloc(1, sizeof *monitor);
    if (monitor == NULL) {
        return NULL;
    }
    pthread_mutex_init(&monitor->server_lock, NULL);
    monitor->server_fd = -1;
    monitor->change_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    monitor->loss_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (monitor->change_fd != -1 && monitor->loss_fd != -1) {
        return monitor;
    }
    rcore_jack_monitor_destroy(monitor);
    return NULL;
}

void rcore_jack_monitor_destroy(rcore_jack_monitor_t *monitor) {
    if (monitor == NULL) {
        return;
    }
    if (monitor->change_fd != -1) {
        close(monitor->change_fd);
    }
    if (monitor->loss_fd != -1) {
        close(monitor->loss_fd);
    }
    pthread_mutex_destroy(&monitor->server_lock);
    free(monitor);
}

/// Makes an eventfd readable.
static void wake(int fd) {
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written; // the descriptor is readable even if its counter is full
}

/// Waits until the first descriptor is readable or one of both is closed at the other end; -1 as
/// the second: none. Returns whether the second one is.
static bool wait_for(int fd, int server_fd, int timeout_ms) {
    struct pollfd watched[] = {{.fd = fd, .events = POLLIN}, {.fd = server_fd, .events = 0}};
    int ready;
    do {
        ready = poll(watched, 2, timeout_ms);
    } while (ready == -1 && errno == EINTR);
    return ready > 0 && watched[1].revents != 0;
}

/// Makes an eventfd unreadable.
static void drain(int fd) {
    uint64_t count = 0;
    ssize_t taken = read(fd, &count, sizeof count);
    (void)taken; // an empty counter is not an error
}

void rcore_jack_record_change(rcore_jack_monitor_t *monitor, unsigned change) {
    atomic_fetch_or(&monitor->changes, change);
    wake(monitor->change_fd);
}

void rcore_jack_watch_server(rcore_jack_monitor_t *monitor, int server_fd) {
    pthread_mutex_lock(&monitor->server_lock);
    bool is_new = monitor->server_fd != server_fd;
    monitor->server_fd = server_fd;
    pthread_mutex_unlock(&monitor->server_lock);
    if (is_new) {
        wake(monitor->change_fd); // the thread that waits begins to watch it
    }
}

static int watched_server(rcore_jack_monitor_t *monitor) {
    pthread_mutex_lock(&monitor->server_lock);
    int fd = monitor->server_fd;
    pthread_mutex_unlock(&monitor->server_lock);
    return fd;
}

/// Records the loss if the connection to the server has ended. Checks that again, under the lock:
/// the control thread may have closed the descriptor that `poll` reported, and the number may
/// belong to another file.
static void check_server(rcore_jack_monitor_t *monitor) {
    pthread_mutex_lock(&monitor->server_lock);
    struct pollfd server = {.fd = monitor->server_fd, .events = 0};
    if (poll(&server, 1, 0) > 0) {
        monitor->server_fd = -1;
        rcore_jack_record_loss(monitor, NULL); // under the lock: for the descriptor's client
    }
    pthread_mutex_unlock(&monitor->server_lock);
}

uint32_t rcore_jack_wait(rcore_jack_monitor_t *monitor, int timeout_ms) {
    if (wait_for(monitor->change_fd, watched_server(monitor), timeout_ms)) {
        check_server(monitor);
    }
    drain(monitor->change_fd);
    return atomic_exchange(&monitor->changes, 0);
}

void rcore_jack_record_loss(rcore_jack_monitor_t *monitor, const char *reason) {
    if (atomic_exchange(&monitor->loss_claimed, true)) {
        return;
    }
    snprintf(monitor->reason, sizeof monitor->reason, "%s", reason != NULL ? reason : "");
    atomic_store(&monitor->lost, true);
    wake(monitor->loss_fd);
    rcore_jack_record_change(monitor, RCORE_JACK_CHANGED_LOST);
}

void rcore_jack_record_format(rcore_jack_monitor_t *monitor, uint32_t sample_rate, uint32_t period_frames) {
    // Values beyond all limits are faults of the server.
    sample_rate = sample_rate <= INT32_MAX ? sample_rate : 0;
    period_frames = period_frames <= INT32_MAX ? period_frames : 0;
    bool changes_rate = sample_rate != 0 && atomic_exchange(&monitor->sample_rate, sample_rate) != sample_rate;
    bool changes_period =
        period_frames != 0 && atomic_exchange(&monitor->period_frames, period_frames) != period_frames;
    if (changes_rate || changes_period) {
        rcore_jack_record_change(monitor, RCORE_JACK_CHANGED_FORMAT);
    }
}

bool rcore_jack_await_loss(const rcore_jack_monitor_t *monitor, int timeout_ms) {
    wait_for(monitor->loss_fd, -1, timeout_ms);
    return atomic_load(&monitor->lost);
}

void rcore_jack_wake(rcore_jack_monitor_t *monitor) { rcore_jack_record_change(monitor, RCORE_JACK_CHANGED_WAKE); }

void rcore_jack_monitor_reset(rcore_jack_monitor_t *monitor, uint32_t sample_rate, uint32_t period_frames) {
    atomic_store(&monitor->sample_rate, sample_rate);
    atomic_store(&monitor->period_frames, period_frames);
    atomic_store(&monitor->cycle_load, 0);
    drain(monitor->loss_fd);
    atomic_store(&monitor->lost, false);
    atomic_store(&monitor->loss_claimed, false);
}

rcore_jack_snapshot_t rcore_jack_read_snapshot(const rcore_jack_monitor_t *monitor) RCORE_RT {
    return (rcore_jack_snapshot_t){
        .sample_rate = atomic_load(&monitor->sample_rate),
        .period_frames = atomic_load(&monitor->period_frames),
        .xruns = atomic_load(&monitor->xruns),
        .cycles = atomic_load(&monitor->cycles),
        .cycle_load = atomic_load(&monitor->cycle_load),
        .lost = atomic_load(&monitor->lost),
    };
}

const char *rcore_jack_lost_reason(const rcore_jack_monitor_t *monitor) {
    return atomic_load(&monitor->lost) ? monitor->reason : "";
}
