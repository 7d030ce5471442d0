/// Finds the arbiter of the user, and starts it if none is running.
///
/// A lock that every client takes ensures that only one of several processes starts it. The
/// program reports over a pipe that it is ready, continues in a process of its own, and the process
/// that was started exits.
#define _GNU_SOURCE
#include "session_socket.h"
#include "session_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/// How long a connection to an arbiter that was just started may take at least.
enum { SHORTEST_CONNECT_MS = 500 };

uint64_t clock_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static int remaining_ms(uint64_t deadline) {
    const uint64_t now = clock_ms();
    return now < deadline ? (int)(deadline - now) : 0;
}

// ---- The socket's path --------------------------------------------------------------------------

/// Creates a folder if it is missing. Returns whether it belongs to the user alone.
static bool make_private_folder(const char *folder) {
    struct stat facts;
    return (mkdir(folder, 0700) == 0 || errno == EEXIST) && lstat(folder, &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == getuid() && (facts.st_mode & 0777) == 0700;
}

asession_status_t find_arbiter_path(const char *given, char *path, size_t capacity, asession_error_t *error) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    given = given != NULL ? given : getenv("AUDIOSESSION_SOCKET");
    char folder[4096] = "";
    int length = 0;
    if (given != NULL && given[0] != 0) {
        length = snprintf(path, capacity, "%s", given);
    } else {
        const bool has_runtime = runtime != NULL && runtime[0] == '/' &&
                                 snprintf(folder, sizeof folder, "%s/audiosession", runtime) < (int)sizeof folder;
        if (!has_runtime || !make_private_folder(folder)) {
            snprintf(folder, sizeof folder, "/tmp/audiosession-%u", (unsigned)getuid());
            if (!make_private_folder(folder)) {
                return fail(error, ASESSION_NO_ARBITER,
                            "'%s' cannot be created, or is not a folder of this user with mode 700; remove it.",
                            folder);
            }
        }
        length = snprintf(path, capacity, "%s/arbiter.socket", folder);
    }
    if (length < 0 || (size_t)length >= capacity) {
        return fail(error, ASESSION_NO_ARBITER,
                    "The path of the arbiter's socket has more than %zu bytes; set AUDIOSESSION_SOCKET or "
                    "XDG_RUNTIME_DIR to another one.",
                    capacity - 1);
    }
    return ASESSION_OK;
}

// ---- Starting -----------------------------------------------------------------------------------

/// Takes the lock under which arbiters are started. Returns its descriptor, or -1.
static int take_lock(const char *socket_path, uint64_t deadline) {
    const size_t length = strlen(socket_path), extension = strlen(".socket");
    const bool has_extension = length > extension && strcmp(socket_path + length - extension, ".socket") == 0;
    char path[128];
    snprintf(path, sizeof path, "%.*s.lock", (int)(has_extension ? length - extension : length), socket_path);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    while (lock != -1 && flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if ((errno != EINTR && errno != EWOULDBLOCK) || remaining_ms(deadline) == 0) {
            close(lock);
            return -1;
        }
        poll(NULL, 0, 5); // a wait for this lock cannot time out
    }
    return lock;
}

/// Returns whether the arbiter, which serves all programs, inherits an environment variable: where
/// its files are, the language, the loader's path, the bus, settings for testing it. In particular,
/// it does not inherit LD_PRELOAD.
static bool is_inherited(const char *variable) {
    static const char *const names[] = {"HOME=", "PATH=", "USER=", "LOGNAME=", "LANG=", "LANGUAGE=", "TZ=", "TMPDIR=",
                                        "LD_LIBRARY_PATH=", "DBUS_SESSION_BUS_ADDRESS=", "LLVM_PROFILE_FILE=",
                                        // All variables that begin so.
                                        "XDG_", "LC_", "AUDIOSESSION", "SWIFT_",
                                        "ASAN_OPTIONS=", "UBSAN_OPTIONS=", "TSAN_OPTIONS=", "LSAN_OPTIONS="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(variable, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/// Starts the program, which writes a line to `pipe`. Returns its process id, or a negative errno.
static pid_t spawn_arbiter(char *program, const char *socket_path, int pipe) {
    size_t count = 0;
    while (environ[count] != NULL) {
        count++;
    }
    char **inherited = calloc(count + 1, sizeof *inherited);
    if (inherited == NULL) {
        return -ENOMEM;
    }
    for (size_t i = 0, n = 0; i < count; i++) {
        if (is_inherited(environ[i])) {
            inherited[n++] = environ[i];
        }
    }
    char socket_argument[128];
    snprintf(socket_argument, sizeof socket_argument, "%s", socket_path);
    char ready[] = "--ready-fd", number[] = "3", socket_option[] = "--socket";
    char *arguments[] = {program, ready, number, socket_option, socket_argument, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe, 3);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // Nothing of how this program handles signals.
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    pid_t child = 0;
    const int result = posix_spawnp(&child, program, &actions, &attributes, arguments, inherited);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    free(inherited);
    return result == 0 ? child : -result;
}

enum ending { LINE, END, TIMEOUT };

/// Reads a line until the deadline.
static enum ending read_line(int pipe, char *line, size_t capacity, uint64_t deadline) {
    for (size_t length = 0; length + 1 < capacity && remaining_ms(deadline) > 0;) {
        struct pollfd watched = {.fd = pipe, .events = POLLIN};
        const bool is_readable = poll(&watched, 1, remaining_ms(deadline)) > 0;
        const ssize_t count = is_readable ? read(pipe, line + length, 1) : -1;
        if (count == 0) {
            return END;
        }
        if (count == 1 && line[length] == '\n') {
            line[length] = 0;
            return LINE;
        }
        length += count == 1;
        line[length] = 0;
    }
    return TIMEOUT;
}

/// Waits until the process that was started has exited, and kills it at the deadline: an arbiter
/// that is ready continues in a process of its own. Returns the status of `waitpid`.
static int reap(pid_t child, uint64_t deadline) {
    int status = 0;
    pid_t reaped = 0;
    while ((reaped = waitpid(child, &status, WNOHANG)) == 0 && remaining_ms(deadline) > 0) {
        poll(NULL, 0, 1);
    }
    if (reaped == 0) {
        kill(child, SIGKILL);
        while (waitpid(child, &status, 0) == -1 && errno == EINTR) {
        }
    }
    return status;
}

/// Writes the arbiter's program: the one that the environment names, else the one beside this
/// program, else the name, to be found on the PATH.
static void find_program(char *program, size_t capacity) {
    const char *named = getenv("AUDIOSESSIOND");
    if (named != NULL && named[0] != 0) {
        snprintf(program, capacity, "%s", named);
        return;
    }
    const ssize_t length = readlink("/proc/self/exe", program, capacity - 1);
    program[length > 0 ? length : 0] = 0;
    char *name = strrchr(program, '/');
    const size_t room = name != NULL ? capacity - (size_t)(name + 1 - program) : 0;
    if (room <= sizeof "audiosessiond" || snprintf(name + 1, room, "audiosessiond") < 0 || access(program, X_OK) != 0) {
        snprintf(program, capacity, "audiosessiond");
    }
}

static asession_status_t start_arbiter(const char *path, uint64_t deadline, asession_error_t *error) {
    char program[4096];
    find_program(program, sizeof program);
    int ends[2];
    // A socket pair serves as the pipe: its ends close on exec from the start.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return fail(error, ASESSION_NO_MEMORY, "No file descriptor is left; close files and try again.");
    }
    // The descriptors up to 3 are replaced in the child.
    const int given = ends[1] <= 3 ? fcntl(ends[1], F_DUPFD_CLOEXEC, 4) : ends[1];
    const pid_t child = given != -1 ? spawn_arbiter(program, path, given) : -errno;
    close(ends[1]);
    if (given != ends[1] && given != -1) {
        close(given);
    }
    if (child < 0) {
        close(ends[0]);
        return fail(error, ASESSION_NO_ARBITER,
                    "The program '%s' cannot be started (%s); install it, or set AUDIOSESSIOND to its path.", program,
                    strerror(-child));
    }
    char line[256] = "";
    const enum ending ending = read_line(ends[0], line, sizeof line, deadline);
    close(ends[0]);
    const int status = reap(child, ending == TIMEOUT ? 0 : deadline);
    if (ending == TIMEOUT) {
        return fail(error, ASESSION_NO_ARBITER, "The program '%s' was not ready in time.", program);
    }
    if (ending == END) {
        return fail(error, ASESSION_NO_ARBITER, "The program '%s' has ended without a message, with %s %d.", program,
                    WIFSIGNALED(status) ? "signal" : "status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    return strcmp(line, "ready") == 0
               ? ASESSION_OK
               : fail(error, ASESSION_NO_ARBITER, "The program '%s' has ended: %s", program, line);
}

static asession_status_t fail_to_connect(const char *path, int code, asession_error_t *error) {
    return fail(error, ASESSION_NO_ARBITER, "The arbiter at '%s' cannot be reached: %s.", path, strerror(-code));
}

static bool has_no_listener(int result) { return result == -ENOENT || result == -ECONNREFUSED; }

asession_status_t connect_or_start(const char *path, int *socket, asession_error_t *error) {
    const uint64_t deadline = clock_ms() + LAUNCH_LIMIT_MS;
    *socket = ssocket_connect(path, REPLY_LIMIT_MS);
    if (*socket >= 0 || !has_no_listener(*socket)) {
        return *socket >= 0 ? ASESSION_OK : fail_to_connect(path, *socket, error);
    }
    const int lock = take_lock(path, deadline);
    if (lock == -1) {
        return fail(error, ASESSION_NO_ARBITER,
                    "Another process has held the lock beside '%s' for too long, or it cannot be opened.", path);
    }
    asession_status_t status = ASESSION_OK;
    *socket = ssocket_connect(path, remaining_ms(deadline)); // another process may have started it
    if (has_no_listener(*socket)) {
        status = start_arbiter(path, deadline, error);
        *socket = status == ASESSION_OK ? ssocket_connect(path, SHORTEST_CONNECT_MS + remaining_ms(deadline)) : -1;
    }
    close(lock);
    return status != ASESSION_OK ? status : *socket >= 0 ? ASESSION_OK : fail_to_connect(path, *socket, error);
}
