// Peers: their identity, and the end of their process.
#define _GNU_SOURCE
#include "expect.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static char folder[] = "/tmp/session-peers-XXXXXX";
static char path[64];

/// Forks a process that connects and waits to be killed. Returns its connection.
static int connected_child(int listener, pid_t *child) {
    *child = fork();
    if (*child == 0) {
        const int connection = ssocket_connect(path, 60000);
        if (connection < 0 || ssocket_send(connection, "here", 4, -1) != 4) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    struct pollfd waiting = {.fd = listener, .events = POLLIN};
    EXPECT_EQUAL(poll(&waiting, 1, 60000), 1);
    return ssocket_accept(listener);
}

static bool has_ended(int process, int timeout_ms) {
    struct pollfd waiting = {.fd = process, .events = POLLIN};
    return poll(&waiting, 1, timeout_ms) == 1 && (waiting.revents & POLLIN) != 0;
}

static void expect_end_is_seen(int listener) {
    pid_t child;
    const int connection = connected_child(listener, &child);
    ssocket_peer_t peer = {0};
    EXPECT_EQUAL(ssocket_peer(connection, &peer), 0);
    EXPECT_EQUAL(peer.pid, child);
    EXPECT_EQUAL(peer.uid, geteuid());
    EXPECT_EQUAL(peer.gid, getegid());

    const int process = ssocket_peer_process(connection, peer.pid);
    EXPECT(process >= 0);
    EXPECT_EQUAL(fcntl(process, F_GETFD), FD_CLOEXEC);
    EXPECT(!has_ended(process, 0));
    EXPECT_EQUAL(kill(child, SIGKILL), 0);
    EXPECT(has_ended(process, 60000)); // before it is reaped
    EXPECT_EQUAL(waitpid(child, NULL, 0), child);
    EXPECT(has_ended(process, 0));
    const int late = ssocket_peer_process(connection, peer.pid);
    // Newer kernels remember the process.
    EXPECT(late == -ESRCH || has_ended(late, 0));
    if (late >= 0) {
        close(late);
    }
    close(process), close(connection);
}

TEST(end_of_a_peer_is_seen) {
    const int before = open_descriptors();
    const int listener = ssocket_listen(path, 4);
    expect_end_is_seen(listener);
    close(listener), unlink(path);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Makes SO_PEERPIDFD fail in this process from here on, as on kernels before 6.5.
static bool forget_peer_pidfd(void) {
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsockopt, 0, 3),
        // The low half of the argument.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 77, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(end_of_a_peer_is_seen_by_older_kernels) {
    const int listener = ssocket_listen(path, 4);
    const pid_t old = fork();
    if (old == 0) {
        int value;
        socklen_t size = sizeof value;
        EXPECT(forget_peer_pidfd());
        EXPECT(getsockopt(listener, SOL_SOCKET, 77, &value, &size) == -1 && errno == ENOPROTOOPT);
        expect_end_is_seen(listener);
        _exit(expect_failures == 0 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQUAL(waitpid(old, &status, 0), old);
    EXPECT_EQUAL(status, 0);
    close(listener), unlink(path);
}

TEST(what_is_no_socket_has_no_peer) {
    ssocket_peer_t peer = {.pid = 17};
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    EXPECT_EQUAL(ssocket_peer(file, &peer), -ENOTSOCK);
    EXPECT_EQUAL(ssocket_peer(-1, &peer), -EBADF);
    EXPECT_EQUAL(peer.pid, 17);
    EXPECT_EQUAL(ssocket_peer_process(file, getpid()), -ENOTSOCK);
    EXPECT_EQUAL(ssocket_peer_process(-1, getpid()), -EBADF);
    close(file);

    int ends[2];
    EXPECT_EQUAL(ssocket_pair(ends), 0);
    EXPECT_EQUAL(ssocket_peer(ends[0], &peer), 0);
    EXPECT_EQUAL(peer.pid, getpid());
    close(ends[0]), close(ends[1]);
}

int main(void) {
    if (mkdtemp(folder) == NULL) {
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/arbiter.socket", folder);
    RUN(end_of_a_peer_is_seen);
    RUN_UNLESS_EMULATED(end_of_a_peer_is_seen_by_older_kernels, "QEMU has no seccomp");
    RUN(what_is_no_socket_has_no_peer);
    EXPECT_EQUAL(rmdir(folder), 0);
    return test_result();
}
