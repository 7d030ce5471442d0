// Long messages: the contents that a reader receives from a memfd can no longer change.
#define _GNU_SOURCE
#include "expect.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>
#include <string.h>

enum { message_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL, long_count = 1000003 };

static char sent[long_count], received[long_count];

TEST(contents_arrive_whole) {
    const int before = open_descriptors();
    for (size_t i = 0; i < long_count; i++) {
        sent[i] = (char)(i * 31 + i / 251);
    }
    const size_t counts[] = {0, 1, 4095, 4096, 4097, 65537, long_count};
    for (unsigned i = 0; i < 7; i++) {
        const int descriptor = ssocket_memory_create(sent, counts[i]);
        EXPECT(descriptor >= 0);
        EXPECT_EQUAL(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
        EXPECT_EQUAL(ssocket_memory_size(descriptor), counts[i]);
        for (unsigned again = 0; again < 2; again++) { // from the beginning each time
            memset(received, 0, sizeof received);
            EXPECT_EQUAL(ssocket_memory_read(descriptor, received, counts[i]), counts[i]);
            EXPECT(memcmp(sent, received, counts[i]) == 0);
        }
        if (counts[i] > 0) {
            received[0] = 'x';
            EXPECT_EQUAL(ssocket_memory_read(descriptor, received, counts[i] - 1), -EMSGSIZE);
            EXPECT_EQUAL(received[0], 'x');
        }
        close(descriptor);
    }
    EXPECT_EQUAL(open_descriptors(), before);
}

TEST(contents_stay) {
    const int descriptor = ssocket_memory_create("message", 7);
    const int again = reopened(descriptor);
    const int both[] = {descriptor, again};
    for (unsigned i = 0; i < 2; i++) {
        EXPECT(pwrite(both[i], "x", 1, 0) == -1 && errno == EPERM);
        EXPECT(ftruncate(both[i], 0) == -1 && errno == EPERM);
        EXPECT(ftruncate(both[i], 8) == -1 && errno == EPERM);
        EXPECT(mmap(NULL, 7, PROT_READ | PROT_WRITE, MAP_SHARED, both[i], 0) == MAP_FAILED && errno == EPERM);
        EXPECT(fcntl(both[i], F_ADD_SEALS, F_SEAL_FUTURE_WRITE) == -1 && errno == EPERM);
        close(both[i]);
    }
}

static void expect_refused(int descriptor, ssize_t status) {
    char bytes[16] = "untouched";
    EXPECT_EQUAL(ssocket_memory_size(descriptor), status);
    EXPECT_EQUAL(ssocket_memory_read(descriptor, bytes, sizeof bytes), status);
    EXPECT(strcmp(bytes, "untouched") == 0);
    close(descriptor);
}

TEST(what_could_change_is_refused) {
    const unsigned seals[] = {F_SEAL_GROW, F_SEAL_SHRINK, F_SEAL_WRITE, F_SEAL_SEAL};
    expect_refused(memory_with("message", 7, 7, 0), -EPERM);
    for (unsigned i = 0; i < 4; i++) {
        expect_refused(memory_with("message", 7, 7, message_seals & ~seals[i]), -EPERM);
    }
    sgate_page_t *page;
    expect_refused(ssocket_gate_create(&page), -EPERM); // a gate is not a message
    ssocket_gate_unmap(page);
    FILE *file = tmpfile();
    expect_refused(dup(fileno(file)), -EINVAL);
    fclose(file);
    expect_refused(open("/dev/zero", O_RDONLY), -EINVAL);
    expect_refused(-1, -EBADF);
    const sgate_page_t *reading;
    const int message = ssocket_memory_create("message", 7); // a message is not a gate
    EXPECT_EQUAL(ssocket_gate_map(message, &reading), -EPERM);
    close(message);
}

int main(void) {
    RUN(contents_arrive_whole);
    RUN(contents_stay);
    RUN(what_could_change_is_refused);
    return test_result();
}
