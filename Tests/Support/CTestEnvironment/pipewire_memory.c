#define _GNU_SOURCE
#include "test_environment.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// One line of /proc/self/maps.
struct mapping {
    uintptr_t begin, end, offset;
    const char *name;
};

/// Reads a hexadecimal number and the character after it.
static uintptr_t take_hex(const char **text) {
    uintptr_t value = 0;
    for (; **text != '\0'; *text += 1) {
        const char c = **text;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) {
            *text += 1;
            break;
        }
        value = value * 16 + (uintptr_t)digit;
    }
    return value;
}

/// Parses "begin-end permissions offset device inode name".
static struct mapping parse(const char *line) {
    struct mapping mapping = {0};
    mapping.begin = take_hex(&line);
    mapping.end = take_hex(&line);
    const char *permissions_end = strchr(line, ' ');
    if (permissions_end != NULL) {
        line = permissions_end + 1;
        mapping.offset = take_hex(&line);
    }
    const char *name = strchr(line, '/');
    mapping.name = name != NULL ? name : "";
    return mapping;
}

/// Returns whether `address` is in memory that PipeWire created, beyond the end of its file. The
/// name of the file contains its size.
static bool is_beyond_file(const struct mapping *mapping, uintptr_t address) {
    static const char prefix[] = "/memfd:pipewire-memfd:";
    if (address < mapping->begin || address >= mapping->end || strncmp(mapping->name, prefix, sizeof prefix - 1) != 0) {
        return false;
    }
    const char *size = strstr(mapping->name, "size=");
    uintptr_t bytes = 0;
    for (const char *digit = size != NULL ? size + 5 : ""; *digit >= '0' && *digit <= '9'; digit++) {
        bytes = bytes * 10 + (uintptr_t)(*digit - '0');
    }
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    return mapping->offset + (address - mapping->begin) >= (bytes + page - 1) / page * page;
}

/// Searches /proc/self/maps, without allocating memory.
static bool is_pipewire_fault(uintptr_t address) {
    static char buffer[16384];
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    bool found = false;
    size_t held = 0;
    for (ssize_t count; file >= 0 && (count = read(file, buffer + held, sizeof buffer - 1 - held)) > 0;) {
        held += (size_t)count;
        buffer[held] = '\0';
        char *line = buffer;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            const struct mapping mapping = parse(line);
            found |= is_beyond_file(&mapping, address);
        }
        held -= (size_t)(line - buffer);
        memmove(buffer, line, held);
    }
    if (file >= 0) {
        close(file);
    }
    return found;
}

static void handle_bus_error(int number, siginfo_t *info, void *context) {
    (void)context;
    if (is_pipewire_fault((uintptr_t)info->si_addr)) {
        static const char message[] = "PipeWire mapped memory beyond the end of its file\n";
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0) {
            _exit(1);
        }
        _exit(TEST_PIPEWIRE_MEMORY_STATUS);
    }
    // The access is repeated, and ends the process.
    signal(number, SIG_DFL);
}

void test_report_pipewire_memory(void) {
    struct sigaction action = {.sa_sigaction = handle_bus_error, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

void test_access_beyond_file(bool is_pipewires) {
    enum { SIZE = 16384 };
    char name[64];
    snprintf(name, sizeof name, "%s:flags=0x0000000f,type=2,size=%d", is_pipewires ? "pipewire-memfd" : "other", SIZE);
    const int file = memfd_create(name, MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, SIZE) != 0) {
        abort();
    }
    volatile char *memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 2 * SIZE);
    if (memory == MAP_FAILED) {
        abort();
    }
    *memory = 1;
}
