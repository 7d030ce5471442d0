#define _GNU_SOURCE
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int memory_file_create(const char *name, off_t size) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int descriptor = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    if (descriptor < 0 && errno == EINVAL) {
        descriptor = memfd_create(name, flags); // before Linux 6.3
    }
    if (descriptor < 0) {
        return -errno;
    }
    if (ftruncate(descriptor, size) != 0) {
        const int error = errno;
        close(descriptor);
        return -error;
    }
    return descriptor;
}

off_t memory_file_size(int descriptor, unsigned seals) {
    const int present = fcntl(descriptor, F_GET_SEALS);
    if (present < 0) {
        return -errno;
    }
    if (((unsigned)present & seals) != seals) {
        return -EPERM;
    }
    struct stat status;
    struct statfs system;
    if (fstat(descriptor, &status) != 0 || fstatfs(descriptor, &system) != 0) {
        return -errno;
    }
    // A file of huge pages accepts seals too, but its pages can be missing when they are touched.
    return system.f_type == TMPFS_MAGIC ? status.st_size : -EINVAL;
}
