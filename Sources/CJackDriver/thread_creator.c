/// Creates libjack's threads, so that libjack waits until each of them runs.
///
/// When jackd2's libjack has created a thread, it checks up to a thousand times whether the thread
/// runs, and sleeps for 1 ms before each further check. If the thread has not started by then, as
/// on an overloaded machine, libjack frees the objects that the thread is about to use: the process
/// crashes when the thread starts. libjack has no setting for this time limit, but it lets the app
/// create the threads. The creator here returns only when the thread runs, so libjack's time limit
/// begins then. Usually its first check already finds the thread running, and it does not sleep.
///
/// The creator also keeps the thread's id, which libjack does not return (see open_clients.c).
#define _GNU_SOURCE
#include "driver_state.h"

#include <errno.h>
#include <jack/jack.h>
#include <jack/thread.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

/// A thread that is being created.
struct start {
    void *(*run)(void *argument);
    void *argument;
    /// The id of the thread, which it stores itself.
    pid_t thread;
    /// Posted by the thread. Afterwards the thread no longer uses this object.
    sem_t runs;
};

/// The id of the thread that the calling thread has created last; 0: none.
static _Thread_local pid_t last_created;

static void *begin(void *argument) {
    struct start *start = argument;
    void *(*run)(void *) = start->run;
    void *run_argument = start->argument;
    start->thread = gettid();
    sem_post(&start->runs);
    return run(run_argument);
}

/// Creates a thread as pthread_create does, and returns when it runs.
static int create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    struct start start = {.run = run, .argument = argument};
    sem_init(&start.runs, 0, 0);
    int error = pthread_create(thread, attributes, begin, &start);
    while (error == 0 && sem_wait(&start.runs) == -1 && errno == EINTR) {
    }
    sem_destroy(&start.runs);
    if (error == 0) {
        last_created = start.thread;
    }
    return error;
}

static void set_creator(void) {
    // PipeWire's libjack waits for its threads without a time limit. With a creator, it would no
    // longer create them through the module that gives them real-time priority.
    if (!rcore_jack_is_pipewire()) {
        jack_set_thread_creator(create);
    }
}

void rcore_jack_set_thread_creator(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_creator);
}

pid_t rcore_jack_take_created_thread(void) {
    const pid_t thread = last_created;
    last_created = 0;
    return thread;
}
