// Detaching into the background: the detached process inherits only the descriptor that it keeps.
#define _GNU_SOURCE
#include "expect.h"
#include "platform_detach.h"
#include "session_socket.h"

#include "descriptors.h"

#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

/// The state that a process finds after it has detached.
typedef struct surroundings {
    pid_t process, session;
    int descriptors, blocked;
    char folder[256];
} surroundings_t;

/// Detaches, writes the state that it finds to the descriptor `teller`, and exits.
static _Noreturn void detach_and_notify(int kept, const char *folder, int teller) {
    sigset_t all, now;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    const int status = platform_detach(kept, folder);
    surroundings_t found = {.process = getpid(), .session = getsid(0), .descriptors = open_descriptors()};
    sigprocmask(SIG_SETMASK, NULL, &now);
    for (int signal = 1; signal < 32; signal++) {
        found.blocked += sigismember(&now, signal);
    }
    if (status == 0 && getcwd(found.folder, sizeof found.folder) != NULL) {
        ssocket_send(teller, &found, sizeof found, -1);
    }
    _exit(status == 0 ? 0 : 1);
}

/// Detaches with the socket kept as descriptor `kept`, and with `folder` as the working directory
/// (NULL: the same as before). With -1, no descriptor is kept and the socket is a standard
/// descriptor.
static void expect_detached(int kept, const char *folder) {
    // The test runner provides stdin, stdout and stderr.
    const int standard = 3;
    int ends[2];
    EXPECT_EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 3; i++) {
            if (fcntl(i, F_GETFD) == -1 && open("/dev/null", O_RDWR) != i) {
                _exit(1);
            }
        }
        if (dup2(ends[1], 40) != 40 || dup2(ends[1], kept == -1 ? STDIN_FILENO : kept) == -1) {
            _exit(1);
        }
        detach_and_notify(kept, folder, kept == -1 ? STDIN_FILENO : kept);
    }
    close(ends[1]);
    int status = -1;
    // The calling process does not wait.
    EXPECT_EQUAL(waitpid(child, &status, 0), child);
    EXPECT_EQUAL(status, 0);
    surroundings_t found = {0};
    EXPECT_EQUAL(ssocket_receive(ends[0], &found, sizeof found, true, NULL), sizeof found);
    EXPECT(found.process != child);
    EXPECT_EQUAL(found.session, found.process);
    EXPECT_EQUAL(found.descriptors, standard + (kept > STDERR_FILENO));
    EXPECT_EQUAL(found.blocked, 0);
    char before[sizeof found.folder];
    EXPECT(getcwd(before, sizeof before) != NULL);
    EXPECT(strcmp(found.folder, folder != NULL ? folder : before) == 0);
    char end;
    // No copy of the socket remains open.
    EXPECT_EQUAL(ssocket_receive(ends[0], &end, 1, true, NULL), 0);
    close(ends[0]);
}

TEST(nothing_but_the_kept_descriptor_goes_along) {
    const int kept[] = {-1, STDIN_FILENO, 3, 17, 40, 41};
    for (unsigned i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        expect_detached(kept[i], "/");
    }
}

TEST(the_working_directory_can_stay) { expect_detached(3, NULL); }

int main(void) {
    RUN(nothing_but_the_kept_descriptor_goes_along);
    RUN(the_working_directory_can_stay);
    return test_result();
}
