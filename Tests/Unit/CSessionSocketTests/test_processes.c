// Processes: opened by pid, signalled, and polled for their end.
#include "expect.h"
#include "session_socket.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int wait_for_end(int process, int timeout_ms) {
    struct pollfd waiting = {.fd = process, .events = POLLIN};
    return poll(&waiting, 1, timeout_ms);
}

static void a_process_is_signalled_and_seen_to_end(void) {
    const pid_t child = fork();
    if (child == 0) {
        for (;;) {
            pause();
        }
    }
    const int process = ssocket_process_open(child);
    EXPECT(process >= 0);
    EXPECT_EQUAL(wait_for_end(process, 0), 0);
    EXPECT_EQUAL(ssocket_process_signal(process, 0), 0);
    EXPECT_EQUAL(ssocket_process_signal(process, 4096), -EINVAL);
    EXPECT_EQUAL(ssocket_process_signal(process, SIGTERM), 0);
    EXPECT_EQUAL(wait_for_end(process, 60000), 1);
    int status = 0;
    EXPECT_EQUAL(waitpid(child, &status, 0), child);
    EXPECT(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);

    // The process has ended and been reaped: it can be neither opened nor confused with another.
    EXPECT_EQUAL(ssocket_process_signal(process, SIGTERM), -ESRCH);
    EXPECT_EQUAL(ssocket_process_open(child), -ESRCH);
    EXPECT_EQUAL(ssocket_process_open(-1), -EINVAL);
    close(process);
}

int main(void) {
    RUN(a_process_is_signalled_and_seen_to_end);
    return test_result();
}
