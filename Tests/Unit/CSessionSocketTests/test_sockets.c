// Sockets: permissions, connection timeouts, and the errors of failed connections.
#define _GNU_SOURCE
#include "expect.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

static char folder[] = "/tmp/session-socket-XXXXXX";
static char path[64];

TEST(connection_is_made) {
    const int before = open_descriptors();
    const mode_t mask = umask(0); // the most permissive one
    const int listener = ssocket_listen(path, 4);
    umask(mask);
    EXPECT(listener >= 0);
    struct stat status;
    EXPECT_EQUAL(stat(path, &status), 0);
    EXPECT_EQUAL(status.st_mode, S_IFSOCK | 0600);
    EXPECT_EQUAL(ssocket_accept(listener), -EAGAIN);

    const int app = ssocket_connect(path, 1000);
    const int arbiter = ssocket_accept(listener);
    EXPECT(app >= 0 && arbiter >= 0);
    EXPECT_EQUAL(fcntl(listener, F_GETFD) & fcntl(app, F_GETFD) & fcntl(arbiter, F_GETFD), FD_CLOEXEC);
    EXPECT(fcntl(listener, F_GETFL) & O_NONBLOCK);
    EXPECT(fcntl(arbiter, F_GETFL) & O_NONBLOCK);
    EXPECT(!(fcntl(app, F_GETFL) & O_NONBLOCK));
    struct timeval timeout = {.tv_sec = -1};
    socklen_t size = sizeof timeout;
    EXPECT_EQUAL(getsockopt(app, SOL_SOCKET, SO_SNDTIMEO, &timeout, &size), 0);
    // The timeout of connecting does not remain set.
    EXPECT_EQUAL(timeout.tv_sec + timeout.tv_usec, 0);

    char bytes[8];
    EXPECT_EQUAL(ssocket_send(app, "hello", 5, -1), 5);
    EXPECT_EQUAL(ssocket_receive(arbiter, bytes, sizeof bytes, false, NULL), 5);
    EXPECT(memcmp(bytes, "hello", 5) == 0);
    close(app), close(arbiter), close(listener);
    EXPECT_EQUAL(unlink(path), 0);
    EXPECT_EQUAL(open_descriptors(), before);
}

TEST(what_cannot_be_reached_is_said) {
    const int before = open_descriptors();
    char long_path[200];
    memset(long_path, 'a', sizeof long_path - 1);
    long_path[0] = '/', long_path[199] = 0;
    EXPECT_EQUAL(ssocket_listen(long_path, 4), -ENAMETOOLONG);
    EXPECT_EQUAL(ssocket_connect(long_path, 100), -ENAMETOOLONG);
    long_path[108] = 0; // 107 bytes fit
    EXPECT_EQUAL(ssocket_connect(long_path, 100), -ENAMETOOLONG);
    long_path[107] = 0;
    EXPECT_EQUAL(ssocket_connect(long_path, 100), -ENOENT);
    // The kernel must not choose an address of its own.
    EXPECT_EQUAL(ssocket_listen("", 4), -ENOENT);
    EXPECT_EQUAL(ssocket_connect("", 100), -ENOENT);
    EXPECT_EQUAL(ssocket_connect(path, 100), -ENOENT);
    EXPECT_EQUAL(ssocket_listen("/nowhere/at/all", 4), -ENOENT);

    const int listener = ssocket_listen(path, 4);
    EXPECT_EQUAL(ssocket_listen(path, 4), -EADDRINUSE);
    close(listener); // as if the process were killed: the path remains
    EXPECT_EQUAL(ssocket_connect(path, 100), -ECONNREFUSED);
    // Listening never removes an existing path.
    EXPECT_EQUAL(ssocket_listen(path, 4), -EADDRINUSE);
    EXPECT_EQUAL(unlink(path), 0);

    const int stream = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, path);
    EXPECT_EQUAL(bind(stream, (struct sockaddr *)&address, sizeof address), 0);
    EXPECT_EQUAL(listen(stream, 4), 0);
    EXPECT_EQUAL(ssocket_connect(path, 100), -EPROTOTYPE);
    close(stream);
    unlink(path);
    EXPECT_EQUAL(ssocket_accept(-1), -EBADF);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Connects until the backlog is full. Returns the number of open connections.
static int fill_backlog(int *connections, int capacity) {
    int count = 0;
    while (count < capacity && (connections[count] = ssocket_connect(path, 10)) >= 0) {
        count++;
    }
    return count;
}

static void close_all(const int *descriptors, int count) {
    for (int i = 0; i < count; i++) {
        close(descriptors[i]);
    }
}

static void *connect_patiently(void *result) {
    *(int *)result = ssocket_connect(path, 60000);
    return NULL;
}

TEST(waiting_for_a_listener_is_bounded) {
    const int before = open_descriptors();
    const int listener = ssocket_listen(path, 1);
    int waiting[16], patient = -1;
    const int count = fill_backlog(waiting, 16);
    EXPECT(count > 0 && count < 16);
    EXPECT_EQUAL(ssocket_connect(path, 1), -ETIMEDOUT);
    EXPECT_EQUAL(ssocket_connect(path, 0), -ETIMEDOUT);
    EXPECT_EQUAL(ssocket_connect(path, -5), -ETIMEDOUT);

    pthread_t thread;
    EXPECT_EQUAL(pthread_create(&thread, NULL, connect_patiently, &patient), 0);
    const int accepted = ssocket_accept(listener); // makes room for one connection
    EXPECT(accepted >= 0);
    pthread_join(thread, NULL);
    EXPECT(patient >= 0);
    close_all(waiting, count);
    close(patient), close(accepted), close(listener), unlink(path);
    EXPECT_EQUAL(open_descriptors(), before);
}

static volatile sig_atomic_t interruptions;
static volatile int interrupted_listener = -1, interrupted_accept = -1, interrupted_end = -1;

static void interrupt(int signal) {
    (void)signal;
    if (++interruptions != 5) {
        return;
    }
    if (interrupted_listener != -1) {
        interrupted_accept = ssocket_accept(interrupted_listener);
    }
    if (interrupted_end != -1) {
        ssocket_send(interrupted_end, "late", 4, -1);
    }
}

static void interrupt_every(int us) {
    // Without SA_RESTART, system calls end with EINTR.
    const struct sigaction action = {.sa_handler = interrupt};
    const struct itimerval timer = {.it_interval.tv_usec = us, .it_value.tv_usec = us};
    if (us > 0) {
        interruptions = 0;
    }
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

TEST(signals_interrupt_nothing) {
    int waiting[16], ends[2];
    char bytes[8];
    interrupted_listener = ssocket_listen(path, 1);
    const int count = fill_backlog(waiting, 16);
    interrupt_every(1000);
    const int connection = ssocket_connect(path, 60000);
    interrupt_every(0);
    EXPECT(connection >= 0);
    EXPECT(interruptions >= 5);
    EXPECT(interrupted_accept >= 0);
    close_all(waiting, count);
    close(connection), close(interrupted_accept), close(interrupted_listener), unlink(path);
    interrupted_listener = -1;

    EXPECT_EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    interrupted_end = ends[0];
    interrupt_every(1000);
    EXPECT_EQUAL(ssocket_receive(ends[1], bytes, sizeof bytes, true, NULL), 4);
    interrupt_every(0);
    close(ends[0]), close(ends[1]);
}

int main(void) {
    if (mkdtemp(folder) == NULL) {
        return EXIT_FAILURE;
    }
    snprintf(path, sizeof path, "%s/arbiter.socket", folder);
    RUN(connection_is_made);
    RUN(what_cannot_be_reached_is_said);
    RUN(waiting_for_a_listener_is_bounded);
    RUN(signals_interrupt_nothing);
    EXPECT_EQUAL(rmdir(folder), 0);
    return test_result();
}
