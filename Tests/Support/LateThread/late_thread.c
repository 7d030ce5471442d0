#define _GNU_SOURCE
/// Preloaded into a program: delays the start of the LATE_THREAD-th thread that libjack creates
/// (counted from 1) by LATE_SECONDS, 2 by default, as on a very busy machine. Reports this on
/// standard error. Threads that the program creates for libjack (`jack_set_thread_creator`) count.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int create_t(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

/// The program's thread creator, and whether it runs on this thread.
static create_t *creator;
static _Thread_local bool creates_for_libjack;

static int create_for_libjack(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                              void *argument) {
    creates_for_libjack = true;
    int error = creator(thread, attributes, run, argument);
    creates_for_libjack = false;
    return error;
}

void jack_set_thread_creator(create_t *create) {
    void (*set)(create_t *) = (void (*)(create_t *))dlsym(RTLD_NEXT, "jack_set_thread_creator");
    creator = create;
    set(create != NULL ? create_for_libjack : NULL);
}

struct start {
    void *(*run)(void *);
    void *argument;
};

static void *run_late(void *argument) {
    struct start start = *(struct start *)argument;
    free(argument);
    const char *seconds = getenv("LATE_SECONDS");
    poll(NULL, 0, 1000 * (seconds != NULL ? atoi(seconds) : 2)); // the fault itself
    static const char text[] = "A thread of libjack begins late.\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    return start.run(start.argument);
}

static bool is_libjack(void *caller) {
    Dl_info info;
    return dladdr(caller, &info) && info.dli_fname != NULL && strstr(info.dli_fname, "libjack.so") != NULL;
}

static bool is_late(void *caller) {
    static atomic_int count;
    const char *which = getenv("LATE_THREAD");
    return which != NULL && (creates_for_libjack || is_libjack(caller)) &&
           atomic_fetch_add(&count, 1) + 1 == atoi(which);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    create_t *create = (create_t *)dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = is_late(__builtin_return_address(0)) ? malloc(sizeof *start) : NULL;
    if (start == NULL) {
        return create(thread, attributes, run, argument);
    }
    *start = (struct start){run, argument};
    return create(thread, attributes, run_late, start);
}
