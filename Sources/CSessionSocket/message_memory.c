#define _GNU_SOURCE
#include "session_socket.h"

#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static const unsigned message_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL;

/// Writes all bytes and seals the file. Returns 0 or a negative errno.
static int fill(int descriptor, const char *bytes, size_t count) {
    for (size_t written = 0; written < count;) {
        const ssize_t step = pwrite(descriptor, bytes + written, count - written, (off_t)written);
        if (step < 0 && errno != EINTR) {
            return -errno;
        }
        written += step > 0 ? (size_t)step : 0;
    }
    return fcntl(descriptor, F_ADD_SEALS, message_seals) == 0 ? 0 : -errno;
}

int ssocket_memory_create(const void *bytes, size_t count) {
    const int descriptor = memory_file_create("audiosession-message", (off_t)count);
    if (descriptor < 0) {
        return descriptor;
    }
    const int error = fill(descriptor, bytes, count);
    if (error < 0) {
        close(descriptor);
        return error;
    }
    return descriptor;
}

ssize_t ssocket_memory_size(int descriptor) { return memory_file_size(descriptor, message_seals); }

ssize_t ssocket_memory_read(int descriptor, void *bytes, size_t capacity) {
    const ssize_t size = ssocket_memory_size(descriptor);
    if (size < 0) {
        return size;
    }
    if ((size_t)size > capacity) {
        return -EMSGSIZE;
    }
    ssize_t count = 0;
    while (count < size) {
        const ssize_t step = pread(descriptor, (char *)bytes + count, (size_t)(size - count), count);
        if (step == 0) {
            return -EIO; // cannot happen: a sealed file does not shrink
        }
        if (step < 0 && errno != EINTR) {
            return -errno;
        }
        count += step > 0 ? step : 0;
    }
    return size;
}
