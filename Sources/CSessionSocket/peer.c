#define _GNU_SOURCE
#include "session_socket.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

int ssocket_peer(int socket, ssocket_peer_t *peer) {
    struct ucred credentials;
    socklen_t size = sizeof credentials;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return -errno;
    }
    *peer = (ssocket_peer_t){.pid = credentials.pid, .uid = credentials.uid, .gid = credentials.gid};
    return 0;
}

int ssocket_peer_process(int socket, pid_t pid) {
    int process = -1;
    socklen_t size = sizeof process;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &process, &size) == 0) {
        return process;
    }
    if (errno != ENOPROTOOPT) {
        return errno == EINVAL ? -ESRCH : -errno; // EINVAL: Linux 6.5 for a process that is gone
    }
    process = (int)syscall(SYS_pidfd_open, pid, 0);
    return process >= 0 ? process : -errno;
}
