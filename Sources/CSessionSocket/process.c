#define _GNU_SOURCE
#include "session_socket.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

int ssocket_process_open(pid_t pid) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    return process >= 0 ? process : -errno;
}

int ssocket_process_signal(int process, int signal) {
    return syscall(SYS_pidfd_send_signal, process, signal, NULL, 0) == 0 ? 0 : -errno;
}
