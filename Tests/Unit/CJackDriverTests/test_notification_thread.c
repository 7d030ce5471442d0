/// Before a client of jackd2 is closed, its notification thread must be idle.
#define _GNU_SOURCE
#include "driver_state.h"
#include "expect.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// A thread that waits for `go`, as one waits for a mutex, and then reads from a pipe.
struct worker {
    pthread_t thread;
    atomic_int id;
    sem_t go;
    atomic_bool has_gone;
    int pipe[2];
};

static void *work(void *argument) {
    struct worker *worker = argument;
    atomic_store(&worker->id, (int)gettid());
    sem_wait(&worker->go);
    atomic_store(&worker->has_gone, true);
    char byte = 0;
    EXPECT_EQUAL(read(worker->pipe[0], &byte, 1), 1);
    return NULL;
}

static void begin(struct worker *worker) {
    *worker = (struct worker){0};
    sem_init(&worker->go, 0, 0);
    EXPECT_EQUAL(pipe(worker->pipe), 0);
    EXPECT_EQUAL(pthread_create(&worker->thread, NULL, work, worker), 0);
    while (atomic_load(&worker->id) == 0) {
        poll(NULL, 0, 1);
    }
}

static void end(struct worker *worker) {
    EXPECT_EQUAL(write(worker->pipe[1], "x", 1), 1);
    pthread_join(worker->thread, NULL);
    close(worker->pipe[0]);
    close(worker->pipe[1]);
    sem_destroy(&worker->go);
}

static long long now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (long long)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/// Returns whether the main thread is in a `poll`, that is, waits for the worker.
static bool main_thread_polls(void) {
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%d/syscall", (int)getpid());
    int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t length = file != -1 ? read(file, text, sizeof text - 1) : 0;
    close(file);
    char *after = text;
    const long call = strtol(text, &after, 10);
    if (length <= 0 || after == text) {
        return false; // it runs
    }
#ifdef SYS_poll
    return call == SYS_poll || call == SYS_ppoll;
#else
    return call == SYS_ppoll;
#endif
}

static void *release(void *argument) {
    struct worker *worker = argument;
    while (!main_thread_polls()) {
        sched_yield();
    }
    sem_post(&worker->go);
    return NULL;
}

TEST(a_thread_that_waits_for_anything_but_data_is_waited_for) {
    struct worker worker;
    begin(&worker);
    pthread_t releaser;
    EXPECT_EQUAL(pthread_create(&releaser, NULL, release, &worker), 0);
    rcore_jack_await_idle(atomic_load(&worker.id));
    EXPECT(atomic_load(&worker.has_gone));
    pthread_join(releaser, NULL);
    end(&worker);
}

TEST(a_thread_that_reads_is_idle_and_one_that_has_ended_too) {
    struct worker worker;
    begin(&worker);
    sem_post(&worker.go);
    rcore_jack_await_idle(atomic_load(&worker.id));
    long long start = now_ms();
    rcore_jack_await_idle(atomic_load(&worker.id));
    EXPECT(now_ms() - start < 1500); // the limit is 2,000
    end(&worker);
    start = now_ms();
    rcore_jack_await_idle(atomic_load(&worker.id));
    EXPECT(now_ms() - start < 1500);
}

TEST(a_thread_that_stays_busy_is_waited_for_with_a_limit) {
    struct worker worker;
    begin(&worker);
    const long long start = now_ms();
    rcore_jack_await_idle(atomic_load(&worker.id));
    EXPECT(now_ms() - start >= 1500 && !atomic_load(&worker.has_gone));
    sem_post(&worker.go);
    end(&worker);
}

int main(void) {
    RUN_UNLESS_EMULATED(a_thread_that_waits_for_anything_but_data_is_waited_for,
                        "/proc shows the system calls of QEMU");
    RUN_UNLESS_EMULATED(a_thread_that_reads_is_idle_and_one_that_has_ended_too, "/proc shows the system calls of QEMU");
    RUN(a_thread_that_stays_busy_is_waited_for_with_a_limit);
    return test_result();
}
