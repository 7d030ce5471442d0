#define _GNU_SOURCE
#include "gate_watch.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/// Returns whether a thread belongs to libjack. The driver names the threads of jackd's libjack;
/// PipeWire's have names of their own.
static bool is_libjacks(pid_t process, pid_t thread) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", process, thread);
    FILE *file = fopen(path, "re");
    bool has_name = file != NULL && fgets(name, sizeof name, file) != NULL;
    if (file != NULL) {
        fclose(file);
    }
    return has_name &&
           (strcmp(name, "audio-jack\n") == 0 || strncmp(name, "data-loop", 9) == 0 || strncmp(name, "pw-", 3) == 0);
}

static bool stands(const gate_frozen_t *frozen, pid_t thread) {
    for (int i = 0; i < frozen->count; i++) {
        if (frozen->threads[i] == thread) {
            return true;
        }
    }
    return false;
}

/// Stops one thread, and waits until it has stopped. A thread that has ended meanwhile is not an
/// error.
static int stop(pid_t thread, gate_frozen_t *frozen) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        return errno == ESRCH ? 0 : -errno;
    }
    int status = 0;
    if (ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && waitpid(thread, &status, __WALL) == thread &&
        WIFSTOPPED(status)) {
        frozen->threads[frozen->count++] = thread;
    }
    return 0;
}

/// Returns the number of newly stopped threads, or a negative errno.
static int stop_round(pid_t process, pid_t running, gate_frozen_t *frozen) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *tasks = opendir(path);
    if (tasks == NULL) {
        return -errno;
    }
    int before = frozen->count, status = 0;
    frozen->spared = 0;
    for (struct dirent *entry;
         status == 0 && (entry = readdir(tasks)) != NULL && frozen->count < GATE_FREEZE_THREADS;) {
        pid_t thread = atoi(entry->d_name);
        if (thread <= 0 || thread == running || stands(frozen, thread)) {
            continue;
        }
        if (is_libjacks(process, thread)) {
            frozen->spared++;
        } else {
            status = stop(thread, frozen);
        }
    }
    closedir(tasks);
    return status != 0 ? status : frozen->count - before;
}

int gate_freeze(pid_t process, pid_t running, gate_frozen_t *frozen) {
    memset(frozen, 0, sizeof *frozen);
    // Repeats until a pass finds no new thread, since a thread may start another during a pass.
    int signal;
    do {
        signal = stop_round(process, running, frozen);
    } while (signal > 0);
    if (signal < 0) {
        gate_thaw(frozen);
    }
    return signal;
}

void gate_thaw(gate_frozen_t *frozen) {
    for (int i = 0; i < frozen->count; i++) {
        ptrace(PTRACE_DETACH, frozen->threads[i], NULL, NULL);
    }
    frozen->count = 0;
}
