#define _GNU_SOURCE
#include "session_gate_page.h"
#include "session_socket.h"

#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/// The seals guarantee to the reader that the page cannot be removed, and that only mappings from
/// before the seal can write.
static const unsigned gate_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

static size_t mapping_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

int ssocket_gate_create(sgate_page_t **page) {
    *page = NULL;
    const size_t size = mapping_size();
    const int descriptor = memory_file_create("audiosession-gate", (off_t)size);
    if (descriptor < 0) {
        return descriptor;
    }
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (memory != MAP_FAILED) {
        sgate_page_t *gate = sgate_page_initialise(memory, size);
        if (fcntl(descriptor, F_ADD_SEALS, gate_seals) == 0) {
            *page = gate;
            return descriptor;
        }
    }
    const int error = errno;
    if (memory != MAP_FAILED) {
        munmap(memory, size);
    }
    close(descriptor);
    return -error;
}

int ssocket_gate_map(int descriptor, const sgate_page_t **page) {
    *page = NULL;
    const off_t size = memory_file_size(descriptor, gate_seals);
    if (size < 0) {
        return (int)size;
    }
    if ((size_t)size < sgate_page_size()) {
        return -EINVAL;
    }
    // Check a copy first: a file without memory reads as zeros. If the copy is valid, the file has
    // the page's memory, which the seals keep the writer from removing.
    sgate_page_t copy;
    const ssize_t count = pread(descriptor, &copy, sizeof copy, 0);
    if (count < 0) {
        return -errno;
    }
    if (!sgate_page_valid(&copy, (size_t)count)) {
        return -EINVAL;
    }
    const void *memory = mmap(NULL, mapping_size(), PROT_READ, MAP_SHARED | MAP_POPULATE, descriptor, 0);
    if (memory == MAP_FAILED) {
        return -errno;
    }
    (void)sgate_page_load_grant(memory); // touch the page here, not in the render cycle
    *page = memory;
    return 0;
}

void ssocket_gate_unmap(const sgate_page_t *page) {
    if (page != NULL) {
        munmap((void *)(uintptr_t)page, mapping_size());
    }
}
