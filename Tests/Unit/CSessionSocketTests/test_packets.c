// Packets: sent whole or not at all. No descriptor leaks, whatever a peer sends.
#define _GNU_SOURCE
#include "expect.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

static char bytes[70000], received[70000];

static void open_pair(int ends[2]) {
    if (ssocket_pair(ends) != 0) {
        abort();
    }
}

static void close_pair(const int ends[2]) { close(ends[0]), close(ends[1]); }

TEST(packets_keep_their_bounds) {
    int ends[2];
    open_pair(ends);
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (char)(i * 7 + i / 256);
    }
    const size_t counts[] = {1, 2, 1000, 65536};
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQUAL(ssocket_send(ends[0], bytes, counts[i], -1), counts[i]);
    }
    for (unsigned i = 0; i < 4; i++) {
        int descriptor = 0;
        memset(received, 0, sizeof received);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, sizeof received, false, &descriptor), counts[i]);
        EXPECT(memcmp(bytes, received, counts[i]) == 0);
        EXPECT_EQUAL(descriptor, -1);
    }
    EXPECT_EQUAL(ssocket_receive(ends[1], received, sizeof received, false, NULL), -EAGAIN);
    // The socket does not block.
    EXPECT_EQUAL(ssocket_receive(ends[1], received, sizeof received, true, NULL), -EAGAIN);
    close_pair(ends);
}

TEST(longer_packets_are_thrown_away) {
    const int before = open_descriptors();
    int ends[2], descriptor;
    open_pair(ends);
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, 101, ends[0]), 101);
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, 100, -1), 100);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 100, false, &descriptor), -EMSGSIZE);
    EXPECT_EQUAL(descriptor, -1);
    // The rest of the packet is dropped.
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 100, false, &descriptor), 100);
    close_pair(ends);
    EXPECT_EQUAL(open_descriptors(), before);
}

TEST(empty_packets_are_not_sent) {
    int ends[2];
    open_pair(ends);
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, 0, -1), -EINVAL);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), -EAGAIN);
    EXPECT_EQUAL(send(ends[0], "", 0, 0), 0); // a peer that sends an empty packet counts as closed
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), 0);
    close_pair(ends);
}

TEST(the_end_is_notified) {
    int ends[2];
    open_pair(ends);
    EXPECT_EQUAL(ssocket_send(ends[0], "bye", 3, -1), 3);
    close(ends[0]);
    // Packets sent before the close arrive.
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), 3);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, true, NULL), 0);
    EXPECT_EQUAL(ssocket_send(ends[1], "late", 4, -1), -EPIPE); // no SIGPIPE
    close(ends[1]);

    open_pair(ends);
    EXPECT_EQUAL(ssocket_send(ends[1], "unread", 6, -1), 6);
    close(ends[0]);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), -ECONNRESET);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), 0);
    close(ends[1]);
    EXPECT_EQUAL(ssocket_receive(-1, received, 10, false, NULL), -EBADF);
    EXPECT_EQUAL(ssocket_send(-1, received, 10, -1), -EBADF);
}

TEST(a_full_queue_refuses_and_recovers) {
    int ends[2], sent = 0;
    open_pair(ends);
    const int limit = ssocket_send_limit(ends[0], 64 * 1024);
    EXPECT(limit >= 64 * 1024 && limit <= 256 * 1024);
    ssize_t result;
    while ((result = ssocket_send(ends[0], bytes, 1000, -1)) == 1000 && sent < 10000) {
        sent++;
    }
    EXPECT_EQUAL(result, -EAGAIN);
    EXPECT(sent > 10 && sent < 256);
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, 1000, -1), -EAGAIN); // not even a part of it
    for (int i = 0; i < sent; i++) {
        EXPECT_EQUAL(ssocket_receive(ends[1], received, sizeof received, false, NULL), 1000);
    }
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, 1000, -1), 1000);

    EXPECT(ssocket_send_limit(ends[0], 0) > 0); // the kernel's minimum
    EXPECT_EQUAL(ssocket_send(ends[0], bytes, sizeof bytes, -1), -EMSGSIZE);
    EXPECT(ssocket_send_limit(ends[0], SIZE_MAX) > 0);
    EXPECT_EQUAL(ssocket_send_limit(-1, 1000), -EBADF);
    close_pair(ends);
}

TEST(descriptors_travel) {
    const int before = open_descriptors();
    int ends[2], inner[2], descriptor;
    open_pair(ends);
    open_pair(inner);
    EXPECT_EQUAL(ssocket_send(ends[0], "here", 4, inner[1]), 4);
    EXPECT_EQUAL(ssocket_send(ends[0], "none", 4, -1), 4);
    close(inner[1]);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), 4);
    EXPECT(descriptor >= 0);
    EXPECT_EQUAL(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    EXPECT_EQUAL(ssocket_send(inner[0], "through", 7, -1), 7);
    EXPECT_EQUAL(ssocket_receive(descriptor, received, 10, false, NULL), 7);
    close(descriptor);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), 4);
    EXPECT_EQUAL(descriptor, -1);
    EXPECT_EQUAL(ssocket_send(ends[0], "bad", 3, 999999), -EBADF);
    EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), -EAGAIN);
    close(inner[0]);
    close_pair(ends);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Sends a packet with `count` copies of a descriptor, which a well-behaved peer never does.
static void send_many(int socket, size_t packet, int descriptor, unsigned count) {
    static union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(253 * sizeof(int))];
    } room;
    struct iovec part = {.iov_base = bytes, .iov_len = packet};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    room.header.cmsg_level = SOL_SOCKET;
    room.header.cmsg_type = SCM_RIGHTS;
    room.header.cmsg_len = CMSG_LEN(count * sizeof(int));
    for (unsigned i = 0; i < count; i++) {
        memcpy(CMSG_DATA(&room.header) + i * sizeof(int), &descriptor, sizeof(int));
    }
    EXPECT_EQUAL(sendmsg(socket, &message, MSG_DONTWAIT), (ssize_t)packet);
}

TEST(superfluous_descriptors_are_closed) {
    int ends[2], descriptor;
    open_pair(ends);
    const int before = open_descriptors();
    const unsigned counts[] = {1, 2, 3, 4, 16, 253}; // 253: the kernel's maximum
    for (unsigned i = 0; i < 6; i++) {
        send_many(ends[0], 10, ends[0], counts[i]);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), 10);
        EXPECT(descriptor >= 0);
        EXPECT_EQUAL(open_descriptors(), before + 1);
        close(descriptor);

        send_many(ends[0], 10, ends[0], counts[i]);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, NULL), 10);
        EXPECT_EQUAL(open_descriptors(), before);

        send_many(ends[0], 11, ends[0], counts[i]);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), -EMSGSIZE);
        EXPECT_EQUAL(descriptor, -1);
        EXPECT_EQUAL(open_descriptors(), before);

        send_many(ends[0], 0, ends[0], counts[i]);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), 0);
        EXPECT_EQUAL(descriptor, -1);
        EXPECT_EQUAL(open_descriptors(), before);
    }
    close_pair(ends);
}

/// If the limit of open files leaves no room, the packet arrives without its descriptor; nothing
/// leaks and nothing fails.
TEST(no_room_for_a_descriptor) {
    int ends[2], descriptor;
    open_pair(ends);
    const int before = open_descriptors();
    struct rlimit limit;
    EXPECT_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const int lowest_free = dup(ends[0]);
    close(lowest_free);
    for (unsigned room = 0; room < 2; room++) {
        send_many(ends[0], 10, ends[0], 3);
        const struct rlimit tight = {.rlim_cur = (rlim_t)lowest_free + room, .rlim_max = limit.rlim_max};
        EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &tight), 0);
        EXPECT_EQUAL(ssocket_receive(ends[1], received, 10, false, &descriptor), 10);
        EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
        EXPECT_EQUAL(descriptor, room == 0 ? -1 : lowest_free);
        if (descriptor >= 0) {
            close(descriptor);
        }
        EXPECT_EQUAL(open_descriptors(), before);
    }
    close_pair(ends);
}

int main(void) {
    RUN(packets_keep_their_bounds);
    RUN(longer_packets_are_thrown_away);
    RUN(empty_packets_are_not_sent);
    RUN(the_end_is_notified);
    RUN(a_full_queue_refuses_and_recovers);
    RUN(descriptors_travel);
    RUN_UNLESS_EMULATED(superfluous_descriptors_are_closed, "QEMU itself loses descriptors that do not fit");
    RUN(no_room_for_a_descriptor);
    return test_result();
}
