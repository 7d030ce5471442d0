// Keys pages in shared memory: every process can write, nobody can truncate the page.
#define _GNU_SOURCE
#include "expect.h"
#include "session_socket.h"

#include "descriptors.h"

#include <errno.h>

enum { keys_seals = F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL };

static off_t system_page(void) { return (off_t)sysconf(_SC_PAGESIZE); }

TEST(all_users_see_what_one_states) {
    const int before = open_descriptors();
    sgate_keys_t *keys, *other;
    const int descriptor = ssocket_keys_create(&keys);
    EXPECT(descriptor >= 0);
    EXPECT_EQUAL(fcntl(descriptor, F_GETFD), FD_CLOEXEC);
    EXPECT_EQUAL(ssocket_keys_map(descriptor, &other), 0);
    EXPECT(ftruncate(descriptor, 0) == -1 && errno == EPERM);
    close(descriptor);
    EXPECT(other != keys);
    EXPECT_EQUAL(sgate_keys_audible(other), 0);
    sgate_keys_set(keys, 0, true);
    sgate_keys_set(other, 15, true);
    EXPECT_EQUAL(sgate_keys_audible(keys), 0x8001);
    sgate_keys_set(other, 16, true); // no key
    sgate_keys_set(other, 0, false);
    EXPECT_EQUAL(sgate_keys_audible(keys), 0x8000);
    ssocket_keys_unmap(keys);
    EXPECT_EQUAL(sgate_keys_audible(other), 0x8000);
    ssocket_keys_unmap(other);
    ssocket_keys_unmap(NULL);
    EXPECT_EQUAL(open_descriptors(), before);
}

/// Maps the descriptor, which must fail with `status`, and closes it.
static void expect_refused(int descriptor, int status) {
    sgate_keys_t *keys = (sgate_keys_t *)&keys;
    EXPECT_EQUAL(ssocket_keys_map(descriptor, &keys), status);
    EXPECT(keys == NULL);
    close(descriptor);
}

TEST(what_is_no_keys_page_is_not_mapped) {
    const int before = open_descriptors();
    sgate_keys_t *keys = sgate_keys_create();
    const size_t count = sgate_keys_size();
    const unsigned seals[] = {F_SEAL_GROW, F_SEAL_SHRINK, F_SEAL_SEAL};
    for (unsigned i = 0; i < 3; i++) {
        expect_refused(memory_with(keys, count, system_page(), keys_seals & ~seals[i]), -EPERM);
    }
    expect_refused(memory_with(keys, count - 1, (off_t)count - 1, keys_seals), -EINVAL);
    expect_refused(memory_with("", 0, system_page(), keys_seals), -EINVAL);
    sgate_page_t *gate; // a page of the other kind
    const int descriptor = ssocket_gate_create(&gate);
    expect_refused(descriptor, -EPERM);
    ssocket_gate_unmap(gate);
    expect_refused(-1, -EBADF);
    sgate_keys_destroy(keys);
    EXPECT_EQUAL(open_descriptors(), before);
}

int main(void) {
    RUN(all_users_see_what_one_states);
    RUN(what_is_no_keys_page_is_not_mapped);
    return test_result();
}
