#define _GNU_SOURCE
/// Preloaded into a program: delays the start of the LATE_THREAD-th thread that libjack creates
/// (counted from 1) by LATE_SECONDS, 2 by default, as on a very busy machine. Reports this on
/// standard error.
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int is_late(void *caller) {
    static atomic_int count;
    const char *which = getenv("LATE_THREAD");
    Dl_info info;
    return which != NULL && dladdr(caller, &info) && info.dli_fname != NULL &&
           strstr(info.dli_fname, "libjack.so") != NULL && atomic_fetch_add(&count, 1) + 1 == atoi(which);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    typedef int create_t(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    create_t *create = (create_t *)dlsym(RTLD_NEXT, "pthread_create");
    struct start *start = is_late(__builtin_return_address(0)) ? malloc(sizeof *start) : NULL;
    if (start == NULL) {
        return create(thread, attributes, run, argument);
    }
    *start = (struct start){run, argument};
    return create(thread, attributes, run_late, start);
}
