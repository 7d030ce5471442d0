/// News: what the server told, and the wait for it.
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

rcore_jack_news_t *rcore_jack_news_create(void) {
    rcore_jack_news_t *news = calloc(1, sizeof *news);
    if (!news)
        return NULL;
    news->change_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    news->loss_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (news->change_fd != -1 && news->loss_fd != -1)
        return news;
    rcore_jack_news_destroy(news);
    return NULL;
}

void rcore_jack_news_destroy(rcore_jack_news_t *news) {
    if (!news)
        return;
    if (news->change_fd != -1)
        close(news->change_fd);
    if (news->loss_fd != -1)
        close(news->loss_fd);
    free(news);
}

static void wake(int fd) {
    uint64_t one = 1;
    ssize_t written = write(fd, &one, sizeof one);
    (void)written; // a counter that is full is readable all the same
}

static void wait_for(int fd, int timeout_ms) {
    struct pollfd watched = {.fd = fd, .events = POLLIN};
    while (poll(&watched, 1, timeout_ms) == -1 && errno == EINTR)
        continue;
}

static void take_back(int fd) {
    uint64_t count = 0;
    ssize_t taken = read(fd, &count, sizeof count);
    (void)taken; // nothing to take back is fine
}

void rcore_jack_note(rcore_jack_news_t *news, unsigned change) {
    atomic_fetch_or(&news->changes, change);
    wake(news->change_fd);
}

uint32_t rcore_jack_wait(rcore_jack_news_t *news, int timeout_ms) {
    wait_for(news->change_fd, timeout_ms);
    take_back(news->change_fd);
    return atomic_exchange(&news->changes, 0);
}

void rcore_jack_note_loss(rcore_jack_news_t *news) {
    atomic_store(&news->lost, true);
    wake(news->loss_fd);
    rcore_jack_note(news, RCORE_JACK_CHANGED_LOST);
}

bool rcore_jack_await_loss(const rcore_jack_news_t *news, int timeout_ms) {
    wait_for(news->loss_fd, timeout_ms);
    return atomic_load(&news->lost);
}

void rcore_jack_wake(rcore_jack_news_t *news) { rcore_jack_note(news, RCORE_JACK_CHANGED_WAKE); }

void rcore_jack_forget_loss(rcore_jack_news_t *news, uint32_t sample_rate, uint32_t period_frames) {
    atomic_store(&news->sample_rate, sample_rate);
    atomic_store(&news->period_frames, period_frames);
    atomic_store(&news->cycle_load, 0);
    take_back(news->loss_fd);
    atomic_store(&news->lost, false);
    atomic_store(&news->loss_claimed, false);
}

rcore_jack_snapshot_t rcore_jack_read_snapshot(const rcore_jack_news_t *news) RCORE_RT {
    return (rcore_jack_snapshot_t){
        .sample_rate = atomic_load(&news->sample_rate),
        .period_frames = atomic_load(&news->period_frames),
        .xruns = atomic_load(&news->xruns),
        .cycles = atomic_load(&news->cycles),
        .cycle_load = atomic_load(&news->cycle_load),
        .lost = atomic_load(&news->lost),
    };
}

const char *rcore_jack_lost_reason(const rcore_jack_news_t *news) {
    return atomic_load(&news->lost) ? news->reason : "";
}
