#define _GNU_SOURCE
#include "gate_watch.h"

#include "probe.h"
#include "session_gate_page.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/// Reads memory that may disappear meanwhile. Returns the number of bytes read, or a negative
/// errno.
static ssize_t read_memory(pid_t process, uint64_t address, void *bytes, size_t count) {
    struct iovec local = {.iov_base = bytes, .iov_len = count};
    struct iovec remote = {.iov_base = (void *)(uintptr_t)address, .iov_len = count};
    ssize_t result = process_vm_readv(process, &local, 1, &remote, 1, 0);
    return result < 0 ? -errno : result;
}

enum { BLOCK = 1 << 16, STEP = _Alignof(struct sgate_page) };

struct pages {
    uint64_t *addresses;
    uint32_t capacity, count;
};

/// Finds gates by their first words. No gate crosses the end of a block, since both are aligned.
static void find_between(uint64_t begin, uint64_t end, char *block, struct pages *pages) {
    const uint64_t own = (uint64_t)(uintptr_t)block;
    for (uint64_t start = begin; start < end; start += BLOCK) {
        const ssize_t size = read_memory(getpid(), start, block, end - start < BLOCK ? end - start : BLOCK);
        for (ssize_t i = 0; i + (ssize_t)sizeof(uint64_t) <= size; i += STEP) {
            const uint32_t *words = (const uint32_t *)(void *)(block + i);
            const uint64_t address = start + (uint64_t)i;
            // Skips the copies in the block itself.
            if (words[0] == SGATE_MAGIC && words[1] == SGATE_VERSION && (address < own || address >= own + BLOCK)) {
                if (pages->count < pages->capacity) {
                    pages->addresses[pages->count] = address;
                }
                pages->count++;
            }
        }
    }
}

/// Returns whether a mapping is memory of the process itself, or a gate that was sent to it.
static bool may_hold_gates(const char *rights, const char *name) {
    if (strstr(name, "audiosession-gate") != NULL) {
        return true;
    }
    return strncmp(rights, "rw-p", 4) == 0 &&
           (name[0] == '\0' || strncmp(name, "[heap]", 6) == 0 || strncmp(name, "[anon", 5) == 0);
}

uint32_t gate_pages_find(uint64_t *addresses, uint32_t capacity) {
    struct pages pages = {.addresses = addresses, .capacity = capacity};
    FILE *maps = fopen("/proc/self/maps", "re");
    char *block = aligned_alloc(STEP, BLOCK), line[512];
    while (maps != NULL && block != NULL && fgets(line, sizeof line, maps) != NULL) {
        unsigned long long begin = 0, end = 0;
        char rights[8] = "", name[256] = "";
        if (sscanf(line, "%llx-%llx %7s %*s %*s %*s %255[^\n]", &begin, &end, rights, name) >= 3 &&
            may_hold_gates(rights, name)) {
            find_between(begin, end, block, &pages);
        }
    }
    free(block);
    if (maps != NULL) {
        fclose(maps);
    }
    return pages.count;
}

int gate_watch_look(pid_t process, uint64_t address, gate_watch_t *watch) {
    uint64_t word = 0;
    uint64_t began = probe_now();
    ssize_t size = read_memory(process, address + offsetof(struct sgate_page, grant), &word, sizeof word);
    if (size != (ssize_t)sizeof word) {
        return size < 0 ? (int)size : -EFAULT;
    }
    *watch = (gate_watch_t){.word = word, .after_ns = began, .until_ns = probe_now()};
    return 0;
}

int gate_watch_await_change(pid_t process, uint64_t address, gate_watch_t *watch, uint32_t milliseconds) {
    uint64_t end = watch->after_ns + milliseconds * (uint64_t)1000000;
    while (true) {
        gate_watch_t seen;
        int status = gate_watch_look(process, address, &seen);
        if (status != 0) {
            return status;
        }
        bool is_other = seen.word != watch->word;
        if (is_other) {
            seen.after_ns = watch->after_ns;
        }
        *watch = seen;
        if (is_other) {
            return 0;
        }
        if (seen.until_ns > end) {
            return -ETIMEDOUT;
        }
    }
}
