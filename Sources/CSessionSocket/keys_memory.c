#define _GNU_SOURCE
#include "session_socket.h"

#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// The seals guarantee to all users that the page cannot be removed.
static const unsigned keys_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

static size_t mapping_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static void *map_shared(int descriptor) {
    return mmap(NULL, mapping_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
}

int ssocket_keys_create(sgate_keys_t **keys) {
    *keys = NULL;
    const int descriptor = memory_file_create("audiosession-keys", (off_t)mapping_size());
    if (descriptor < 0) {
        return descriptor;
    }
    void *memory = map_shared(descriptor);
    if (memory != MAP_FAILED && fcntl(descriptor, F_ADD_SEALS, keys_seals) == 0) {
        *keys = sgate_keys_initialise(memory, mapping_size());
        return descriptor;
    }
    const int error = errno;
    if (memory != MAP_FAILED) {
        munmap(memory, mapping_size());
    }
    close(descriptor);
    return -error;
}

int ssocket_keys_map(int descriptor, sgate_keys_t **keys) {
    *keys = NULL;
    const off_t size = memory_file_size(descriptor, keys_seals);
    if (size < 0) {
        return (int)size;
    }
    if ((size_t)size < sgate_keys_size()) {
        return -EINVAL;
    }
    void *memory = map_shared(descriptor);
    if (memory == MAP_FAILED) {
        return -errno;
    }
    if (!sgate_keys_valid(memory, mapping_size())) {
        munmap(memory, mapping_size());
        return -EINVAL;
    }
    *keys = memory;
    return 0;
}

void ssocket_keys_unmap(sgate_keys_t *keys) {
    if (keys != NULL) {
        munmap(keys, mapping_size());
    }
}
