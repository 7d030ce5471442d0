// Gates in shared memory: only the creator can write, nobody can truncate the page, and memory that
// could be truncated is not mapped.
#define _GNU_SOURCE
#include "expect.h"
#include "session_gate_page.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { gate_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL };

static size_t system_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

TEST(reader_sees_what_the_maker_writes) {
    const int before = open_descriptors();
    sgate_page_t *page;
    const int descriptor = ssocket_gate_create(&page);
    EXPECT(descriptor >= 0);
    EXPECT_EQUAL(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    EXPECT(sgate_page_grant(page).paused); // ACT-1: a new gate grants nothing
    const sgate_page_t *reading;
    EXPECT_EQUAL(ssocket_gate_map(descriptor, &reading), 0);
    close(descriptor);
    EXPECT(reading != page);
    for (uint32_t serial = 1; serial < 1000; serial++) {
        sgate_page_set_grant(page, (sgate_grant_t){.serial = serial, .ramp_ms = (uint16_t)(serial * 3)});
        EXPECT_EQUAL(sgate_page_grant(reading).serial, serial);
        EXPECT_EQUAL(sgate_page_grant(reading).ramp_ms, serial * 3);
    }
    ssocket_gate_unmap(page); // the creator unmaps the page; the last grant remains
    EXPECT_EQUAL(sgate_page_grant(reading).serial, 999);
    ssocket_gate_unmap(reading);
    ssocket_gate_unmap(NULL);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Tries each way of writing by which an app could grant itself playback or remove the page.
static void expect_unwritable(int descriptor) {
    const size_t size = system_page();
    uint64_t word = 0;
    EXPECT(mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED && errno == EPERM);
    EXPECT(write(descriptor, &word, sizeof word) == -1 && errno == EPERM);
    EXPECT(pwrite(descriptor, &word, sizeof word, 64) == -1 && errno == EPERM);
    EXPECT(ftruncate(descriptor, 0) == -1 && errno == EPERM);
    EXPECT(ftruncate(descriptor, (off_t)size * 2) == -1 && errno == EPERM);
    EXPECT(fallocate(descriptor, 0, 0, (off_t)size * 2) == -1 && errno == EPERM);
    EXPECT(fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)size) == -1 && errno == EPERM);
    EXPECT(fcntl(descriptor, F_ADD_SEALS, F_SEAL_WRITE) == -1 && errno == EPERM);
}

TEST(readers_cannot_write) {
    sgate_page_t *page;
    const int descriptor = ssocket_gate_create(&page);
    sgate_page_set_grant(page, (sgate_grant_t){.paused = true, .serial = 7});
    const sgate_page_t *reading;
    EXPECT_EQUAL(ssocket_gate_map(descriptor, &reading), 0);

    expect_unwritable(descriptor);
    const int again = reopened(descriptor); // opening is allowed, writing is not
    EXPECT(again >= 0);
    expect_unwritable(again);
    close(again);

    void *memory = (void *)(uintptr_t)reading;
    EXPECT(mprotect(memory, system_page(), PROT_READ | PROT_WRITE) == -1 && errno == EACCES);
    // Like a debugger, it writes past the page protection.
    const int self = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    const uint64_t word = 0;
    EXPECT(self >= 0);
    EXPECT(pwrite(self, &word, sizeof word, (off_t)(uintptr_t)&reading->grant) == -1);
    close(self);

    EXPECT(sgate_page_grant(reading).paused);
    EXPECT_EQUAL(sgate_page_grant(reading).serial, 7);
    ssocket_gate_unmap(reading);
    ssocket_gate_unmap(page);
    close(descriptor);
}

/// Maps the descriptor, which must fail with `status`, and closes it.
static void expect_refused(int descriptor, int status) {
    const sgate_page_t *page = (const sgate_page_t *)&page;
    EXPECT_EQUAL(ssocket_gate_map(descriptor, &page), status);
    EXPECT(page == NULL);
    close(descriptor);
}

TEST(what_could_go_away_is_not_mapped) {
    const int before = open_descriptors();
    sgate_page_t *gate = sgate_page_create();
    const size_t count = sgate_page_size();
    const off_t size = (off_t)system_page();
    const unsigned seals[] = {F_SEAL_GROW, F_SEAL_SHRINK, F_SEAL_FUTURE_WRITE, F_SEAL_SEAL};
    expect_refused(memory_with(gate, count, size, 0), -EPERM);
    for (unsigned i = 0; i < 4; i++) {
        expect_refused(memory_with(gate, count, size, gate_seals & ~seals[i]), -EPERM);
    }
    expect_refused(memory_with(gate, count - 1, (off_t)count - 1, gate_seals), -EINVAL);
    expect_refused(memory_with("", 0, 0, gate_seals), -EINVAL);
    // A hole: no memory backs the page.
    expect_refused(memory_with("", 0, size, gate_seals), -EINVAL);
    gate->version++;
    expect_refused(memory_with(gate, count, size, gate_seals), -EINVAL);
    gate->version--;
    gate->magic ^= 1;
    expect_refused(memory_with(gate, count, size, gate_seals), -EINVAL);
    sgate_page_destroy(gate);
    EXPECT_EQUAL(open_descriptors(), before);
}

TEST(what_is_no_memory_file_is_not_mapped) {
    FILE *file = tmpfile();
    expect_refused(dup(fileno(file)), -EINVAL);
    fclose(file);
    int ends[2];
    EXPECT_EQUAL(pipe(ends), 0);
    expect_refused(ends[0], -EINVAL);
    expect_refused(ends[1], -EINVAL);
    expect_refused(open("/dev/null", O_RDONLY), -EINVAL);
    expect_refused(-1, -EBADF);
    const int huge = memfd_create("huge", MFD_HUGETLB | MFD_ALLOW_SEALING);
    EXPECT(huge >= 0 || errno == ENOSYS); // ENOSYS: a kernel without huge pages
    if (huge >= 0) {
        EXPECT_EQUAL(fcntl(huge, F_ADD_SEALS, gate_seals), 0);
        expect_refused(huge, -EINVAL);
    }
}

/// The child process of the next test: creates a gate, sends it, writes a last grant and waits to
/// be killed.
static _Noreturn void write_until_killed(int socket) {
    sgate_page_t *page;
    const int descriptor = ssocket_gate_create(&page);
    if (descriptor < 0 || ssocket_send(socket, "gate", 4, descriptor) != 4) {
        _exit(1);
    }
    close(descriptor);
    sgate_page_set_grant(page, (sgate_grant_t){.attenuation = 3584, .ramp_ms = 40, .serial = 99});
    sgate_page_set_volume(page, (sgate_volume_t){.gain = 0.25f});
    ssocket_send(socket, "written", 7, -1);
    for (;;) {
        pause();
    }
}

TEST(last_word_outlives_the_writer) {
    const int before = open_descriptors();
    int ends[2], descriptor;
    char bytes[16];
    EXPECT_EQUAL(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        write_until_killed(ends[1]);
    }
    close(ends[1]);
    EXPECT_EQUAL(ssocket_receive(ends[0], bytes, sizeof bytes, true, &descriptor), 4);
    const sgate_page_t *page;
    EXPECT_EQUAL(ssocket_gate_map(descriptor, &page), 0);
    close(descriptor);
    EXPECT_EQUAL(ssocket_receive(ends[0], bytes, sizeof bytes, true, NULL), 7);
    EXPECT_EQUAL(kill(child, SIGKILL), 0);
    EXPECT_EQUAL(waitpid(child, NULL, 0), child);
    EXPECT_EQUAL(ssocket_receive(ends[0], bytes, sizeof bytes, true, NULL), 0);

    const sgate_grant_t grant = sgate_page_grant(page);
    EXPECT_EQUAL(grant.attenuation, 3584);
    EXPECT_EQUAL(grant.ramp_ms, 40);
    EXPECT_EQUAL(grant.serial, 99);
    EXPECT(!grant.paused);
    EXPECT_NEAR(sgate_page_volume(page).gain, 0.25, 0);
    ssocket_gate_unmap(page);
    close(ends[0]);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Returns the number of gate mappings of this process.
static unsigned mappings(void) {
    FILE *file = fopen("/proc/self/maps", "r");
    unsigned count = 0;
    for (char line[512]; fgets(line, sizeof line, file) != NULL;) {
        count += strstr(line, "audiosession-gate") != NULL;
    }
    fclose(file);
    return count;
}

TEST(nothing_stays_mapped) {
    const int before = open_descriptors();
    for (unsigned i = 0; i < 1000; i++) {
        sgate_page_t *page;
        const sgate_page_t *reading;
        const int descriptor = ssocket_gate_create(&page);
        EXPECT_EQUAL(ssocket_gate_map(descriptor, &reading), 0);
        if (i == 0) {
            EXPECT_EQUAL(mappings(), 2);
        }
        close(descriptor);
        ssocket_gate_unmap(reading);
        ssocket_gate_unmap(page);
    }
    EXPECT_EQUAL(mappings(), 0);
    EXPECT_EQUAL(open_descriptors(), before);
}

int main(void) {
    RUN(reader_sees_what_the_maker_writes);
    RUN(readers_cannot_write);
    RUN(what_could_go_away_is_not_mapped);
    RUN(what_is_no_memory_file_is_not_mapped);
    RUN(last_word_outlives_the_writer);
    RUN(nothing_stays_mapped);
    return test_result();
}
