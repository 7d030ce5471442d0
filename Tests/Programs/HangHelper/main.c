#define _GNU_SOURCE
/// hang-helper DESCRIPTOR COMMAND ARGUMENTS...: runs a program, and suspends and resumes its
/// threads from outside, except libjack's.
///
/// This is a hung app as its user sees it: none of its own threads runs, not even the library's,
/// but the audio server still calls its callbacks. libjack's threads keep running, since an app
/// that stops those makes other apps wait for seconds. The driver names them "audio-jack".
///
/// Reads commands from the descriptor, one per line: "freeze", "thaw". Answers each there with
/// "frozen N" or "thawed N". The end of the input ends the program with SIGTERM.
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
    if (file == NULL) {
        return false;
    }
    bool has_name = fgets(name, sizeof name, file) != NULL;
    fclose(file);
    return has_name && strcmp(name, "audio-jack\n") == 0;
}

/// Lists all threads of the program except libjack's.
static int list_threads(pid_t program, pid_t *found) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", program);
    DIR *tasks = opendir(path);
    int n = 0;
    for (struct dirent *entry; tasks != NULL && (entry = readdir(tasks)) != NULL && n < MAX_THREADS;) {
        pid_t thread = atoi(entry->d_name);
        if (thread > 0 && !is_libjacks(program, thread)) {
            found[n++] = thread;
        }
    }
    if (tasks != NULL) {
        closedir(tasks);
    }
    return n;
}

static bool is_stopped(pid_t thread) {
    for (int i = 0; i < count; i++) {
        if (threads[i] == thread) {
            return true;
        }
    }
    return false;
}

/// Stops one thread and waits until it has stopped.
static bool stop_thread(pid_t thread) {
    if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
        return false;
    }
    int status = 0;
    return ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 && waitpid(thread, &status, __WALL) == thread &&
           WIFSTOPPED(status);
}

/// Stops all threads. Repeats until a pass finds no new thread, since a thread may start another
/// during a pass.
static void freeze(pid_t program) {
    for (int update = 1; update > 0;) {
        update = 0;
        pid_t found[MAX_THREADS];
        int n = list_threads(program, found);
        for (int i = 0; i < n && count < MAX_THREADS; i++) {
            if (is_stopped(found[i]) || !stop_thread(found[i])) {
                continue;
            }
            threads[count++] = found[i];
            update++;
        }
    }
    dprintf(answers, "frozen %d\n", count);
}

static void thaw(void) {
    for (int i = 0; i < count; i++) {
        ptrace(PTRACE_DETACH, threads[i], NULL, NULL);
    }
    dprintf(answers, "thawed %d\n", count);
    count = 0;
}

int main(int argc, char **argv) {
    FILE *commands = argc < 3 ? NULL : fdopen(atoi(argv[1]), "r");
    if (commands == NULL) {
        fprintf(stderr, "usage: hang-helper DESCRIPTOR COMMAND ARGUMENTS...\n");
        return EX_USAGE;
    }
    answers = fileno(commands);
    pid_t program = fork();
    if (program == 0) {
        close(answers);
        execvp(argv[2], argv + 2);
        fprintf(stderr, "hang-helper: %s: %s\n", argv[2], strerror(errno));
        _exit(EX_NOINPUT);
    }
    if (program == -1) {
        return EX_OSERR;
    }
    char line[64];
    while (fgets(line, sizeof line, commands) != NULL) {
        if (strcmp(line, "freeze\n") == 0) {
            freeze(program);
        } else if (strcmp(line, "thaw\n") == 0) {
            thaw();
        } else {
            fprintf(stderr, "hang-helper: unknown command '%s'\n", line);
        }
    }
    if (count > 0) {
        thaw();
    }
    kill(program, SIGTERM);
    int status = 0;
    while (waitpid(program, &status, 0) == -1 && errno == EINTR) {
        continue;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EX_SOFTWARE;
}
