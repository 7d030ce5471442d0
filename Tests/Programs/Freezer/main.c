#define _GNU_SOURCE
/// freezer DESCRIPTOR COMMAND ARGUMENTS...: runs a program, and stops and continues its threads from outside, all but libjack's.
///
/// A hung app as a user knows it: nothing of its own runs, not even the library's threads, but the audio server goes on calling. libjack's
/// threads are left alone, since an app that stops those makes other apps wait for seconds: the driver names them "audio-jack".
///
/// Reads commands from the descriptor, a line each: "freeze", "thaw"; answers each there with "frozen N" or "thawed N". The end of that ends the
/// program by SIGTERM.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

enum { MAX_THREADS = 1024 };

static pid_t threads[MAX_THREADS];
static int count;
static int answers;

static bool is_libjacks(pid_t program, pid_t thread) {
    char path[64], name[32] = "";
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", program, thread);
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool has_name = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return has_name && strcmp(name, "audio-jack\n") == 0;
}

/// All threads of the program but libjack's.
static int list_threads(pid_t program, pid_t *found) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", program);
    DIR *tasks = opendir(path);
    int n = 0;
    for (struct dirent *entry; tasks && (entry = readdir(tasks)) && n < MAX_THREADS;) {
        pid_t thread = atoi(entry->d_name);
        if (thread > 0 && !is_libjacks(program, thread))
            found[n++] = thread;
    }
    if (tasks)
        closedir(tasks);
    return n;
}

static bool is_held(pid_t thread) {
    for (int i = 0; i < count; i++)
        if (threads[i] == thread)
            return true;
    return false;
}

/// Stops one thread and waits until it stands.
static bool hold(pid_t thread) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0)
        return false;
    int status = 0;
    return ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && waitpid(thread, &status, __WALL) == thread &&
           WIFSTOPPED(status);
}

/// Until a round finds no new one: a thread may begin another while it is looked for.
static void freeze(pid_t program) {
    for (int news = 1; news > 0;) {
        news = 0;
        pid_t found[MAX_THREADS];
        int n = list_threads(program, found);
        for (int i = 0; i < n && count < MAX_THREADS; i++) {
            if (is_held(found[i]) || !hold(found[i]))
                continue;
            threads[count++] = found[i];
            news++;
        }
    }
    dprintf(answers, "frozen %d\n", count);
}

static void thaw(void) {
    for (int i = 0; i < count; i++)
        ptrace(PTRACE_DETACH, threads[i], NULL, NULL);
    dprintf(answers, "thawed %d\n", count);
    count = 0;
}

int main(int argc, char **argv) {
    FILE *commands = argc < 3 ? NULL : fdopen(atoi(argv[1]), "r");
    if (!commands) {
        fprintf(stderr, "usage: freezer DESCRIPTOR COMMAND ARGUMENTS...\n");
        return EX_USAGE;
    }
    answers = fileno(commands);
    pid_t program = fork();
    if (program == 0) {
        close(answers);
        execvp(argv[2], argv + 2);
        fprintf(stderr, "freezer: %s: %s\n", argv[2], strerror(errno));
        _exit(EX_NOINPUT);
    }
    if (program == -1)
        return EX_OSERR;
    char line[64];
    while (fgets(line, sizeof line, commands)) {
        if (strcmp(line, "freeze\n") == 0)
            freeze(program);
        else if (strcmp(line, "thaw\n") == 0)
            thaw();
        else
            fprintf(stderr, "freezer: what is '%s'?\n", line);
    }
    if (count > 0)
        thaw();
    kill(program, SIGTERM);
    int status = 0;
    while (waitpid(program, &status, 0) == -1 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : EX_SOFTWARE;
}
