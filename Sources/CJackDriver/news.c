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
    if (news->change_fd != -1)
        return news;
    free(news);
    return NULL;
}

void rcore_jack_news_destroy(rcore_jack_news_t *news) {
    if (!news)
        return;
    close(news->change_fd);
    free(news);
}

void rcore_jack_note(rcore_jack_news_t *news, unsigned change) {
    atomic_fetch_or(&news->changes, change);
    uint64_t one = 1;
    ssize_t written = write(news->change_fd, &one, sizeof one);
    (void)written; // a counter that is full is readable all the same
}

uint32_t rcore_jack_wait(rcore_jack_news_t *news, int timeout_ms) {
    struct pollfd watched = {.fd = news->change_fd, .events = POLLIN};
    while (poll(&watched, 1, timeout_ms) == -1 && errno == EINTR)
        continue;
    uint64_t count = 0;
    ssize_t taken = read(news->change_fd, &count, sizeof count);
    (void)taken; // nothing to take back is fine
    return atomic_exchange(&news->changes, 0);
}

void rcore_jack_wake(rcore_jack_news_t *news) { rcore_jack_note(news, RCORE_JACK_CHANGED_WAKE); }

void rcore_jack_forget_loss(rcore_jack_news_t *news, uint32_t sample_rate, uint32_t period_frames) {
    atomic_store(&news->sample_rate, sample_rate);
    atomic_store(&news->period_frames, period_frames);
    atomic_store(&news->lost, false);
    atomic_store(&news->loss_claimed, false);
}

rcore_jack_snapshot_t rcore_jack_read_snapshot(const rcore_jack_news_t *news) RCORE_RT {
    return (rcore_jack_snapshot_t){
        .sample_rate = atomic_load(&news->sample_rate),
        .period_frames = atomic_load(&news->period_frames),
        .xruns = atomic_load(&news->xruns),
        .cycles = atomic_load(&news->cycles),
        .lost = atomic_load(&news->lost),
    };
}

const char *rcore_jack_lost_reason(const rcore_jack_news_t *news) {
    return atomic_load(&news->lost) ? news->reason : "";
}
