/// Helpers for the tests of sockets and shared memory: counting open descriptors, and creating
/// memfds with chosen seals.
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

/// Returns the number of descriptors that this process has open, without the one that counting
/// needs.
static inline int open_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL) {
        abort();
    }
    int count = 0;
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count - 3; // ".", ".." and the folder
}

/// Returns a memfd that begins with `bytes`, has a length of `size` bytes and carries `seals`.
static inline int memory_with(const void *bytes, size_t count, off_t size, unsigned seals) {
    const int descriptor = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0 || write(descriptor, bytes, count) != (ssize_t)count || ftruncate(descriptor, size) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, seals) != 0) {
        abort();
    }
    return descriptor;
}

/// Returns another descriptor of the same file, open for reading and writing.
static inline int reopened(int descriptor) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return open(path, O_RDWR | O_CLOEXEC);
}

#endif
