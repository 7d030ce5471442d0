#define _GNU_SOURCE
#include "session_socket.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/// Buffer for the descriptor of one packet. Because of alignment, a second one fits as well; the
/// kernel closes all others.
typedef union descriptor_room {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} descriptor_room_t;

ssize_t ssocket_send(int socket, const void *bytes, size_t count, int descriptor) {
    if (count == 0) {
        return -EINVAL;
    }
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    descriptor_room_t room = {0};
    if (descriptor != -1) {
        message.msg_control = &room;
        message.msg_controllen = sizeof room;
        room.header.cmsg_level = SOL_SOCKET;
        room.header.cmsg_type = SCM_RIGHTS;
        room.header.cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(&room.header), &descriptor, sizeof descriptor);
    }
    ssize_t sent;
    do {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    } while (sent < 0 && errno == EINTR);
    return sent >= 0 ? sent : -errno;
}

/// Takes the first descriptor of a message and closes the others. Returns it or -1.
static int take_descriptor(struct msghdr *message) {
    int first = -1;
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part != NULL; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t at = 0; at + sizeof(int) <= part->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(part) + at, sizeof descriptor);
            if (first == -1) {
                first = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
    return first;
}

ssize_t ssocket_receive(int socket, void *bytes, size_t capacity, bool wait, int *descriptor) {
    if (descriptor != NULL) {
        *descriptor = -1;
    }
    struct iovec part = {.iov_base = bytes, .iov_len = capacity};
    descriptor_room_t room;
    struct msghdr message;
    ssize_t count;
    do {
        message =
            (struct msghdr){.msg_iov = &part, .msg_iovlen = 1, .msg_control = &room, .msg_controllen = sizeof room};
        count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        return -errno;
    }
    const int taken = take_descriptor(&message);
    const bool complete = (message.msg_flags & MSG_TRUNC) == 0;
    if (descriptor != NULL && complete && count > 0) {
        *descriptor = taken;
    } else if (taken != -1) {
        close(taken);
    }
    return complete ? count : -EMSGSIZE;
}
