/// The driver opens a client only if enough file descriptors are free; otherwise it does not call
/// libjack.
#include "expect.h"
#include "fake_jack.h"
#include "rcore_jack.h"

#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMIT = 256 };

/// Each call of `jack_client_open` fires this rule.
static const char *const script = "slow client_open every 0";

static long client_opens(void) {
    char report[16384];
    fake_jack_report(report, sizeof report);
    const char *found = strstr(report, "fired ");
    return found != NULL ? atol(found + strlen("fired ")) : -1;
}

/// The descriptors that a test has taken.
struct shortage {
    struct rlimit limit;
    int taken[LIMIT];
    uint32_t count;
};

/// Lowers the limit to LIMIT and takes all descriptors but `left`. The free ones lie in the middle.
static void take_all_but(struct shortage *shortage, uint32_t left) {
    EXPECT_EQUAL(getrlimit(RLIMIT_NOFILE, &shortage->limit), 0);
    const struct rlimit tight = {.rlim_cur = LIMIT, .rlim_max = shortage->limit.rlim_max};
    EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &tight), 0);
    int descriptor;
    for (shortage->count = 0; (descriptor = dup(STDERR_FILENO)) != -1; shortage->count++) {
        shortage->taken[shortage->count] = descriptor;
    }
    EXPECT(shortage->count >= 2 * left);
    for (uint32_t i = 0; i < left; i++) {
        const uint32_t place = (shortage->count - left) / 2 + i;
        close(shortage->taken[place]);
        shortage->taken[place] = -1;
    }
}

static void give_back(struct shortage *shortage) {
    for (uint32_t i = 0; i < shortage->count; i++) {
        if (shortage->taken[i] != -1) {
            close(shortage->taken[i]);
        }
    }
    EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &shortage->limit), 0);
}

static void expect_open(rcore_jack_monitor_t *monitor, rcore_jack_status_t expected) {
    rcore_jack_status_t status = RCORE_JACK_OK;
    rcore_jack_t *jack = rcore_jack_open("fake", "short", monitor, &status);
    EXPECT_EQUAL(status, expected);
    EXPECT((jack != NULL) == (expected == RCORE_JACK_OK));
    rcore_jack_close(jack);
}

TEST(free_descriptors_are_counted) {
    static const uint32_t counts[] = {0, 1, 5, 12, 31, 32, 33, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct shortage shortage;
        take_all_but(&shortage, counts[i]);
        EXPECT_EQUAL(rcore_jack_free_descriptors(UINT32_MAX), counts[i]);
        EXPECT_EQUAL(rcore_jack_free_descriptors(32), counts[i] < 32 ? counts[i] : 32);
        EXPECT_EQUAL(rcore_jack_free_descriptors(0), 0);
        give_back(&shortage);
    }
}

/// If all numbers below the limit are open, none is free, whatever lies above it.
TEST(descriptors_beyond_the_limit_are_not_free) {
    struct rlimit limit;
    EXPECT_EQUAL(getrlimit(RLIMIT_NOFILE, &limit), 0);
    const struct rlimit tight = {.rlim_cur = 3, .rlim_max = limit.rlim_max};
    EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &tight), 0);
    EXPECT_EQUAL(rcore_jack_free_descriptors(32), 0);
    EXPECT_EQUAL(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

TEST(too_few_descriptors_open_no_client) {
    static const uint32_t counts[] = {0, 5, 12, RCORE_JACK_MIN_DESCRIPTORS - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        EXPECT_EQUAL(fake_jack_begin(script), 0);
        rcore_jack_monitor_t *monitor = rcore_jack_monitor_create();
        struct shortage shortage;
        take_all_but(&shortage, counts[i]);
        expect_open(monitor, RCORE_JACK_NO_DESCRIPTORS);
        EXPECT_EQUAL(client_opens(), 0);
        EXPECT_EQUAL(rcore_jack_free_descriptors(UINT32_MAX), counts[i]);
        give_back(&shortage);
        expect_open(monitor, RCORE_JACK_OK);
        EXPECT_EQUAL(client_opens(), 1);
        rcore_jack_monitor_destroy(monitor);
    }
}

TEST(enough_descriptors_open_a_client) {
    static const uint32_t counts[] = {RCORE_JACK_MIN_DESCRIPTORS, RCORE_JACK_MIN_DESCRIPTORS + 1, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        EXPECT_EQUAL(fake_jack_begin(script), 0);
        rcore_jack_monitor_t *monitor = rcore_jack_monitor_create();
        struct shortage shortage;
        take_all_but(&shortage, counts[i]);
        expect_open(monitor, RCORE_JACK_OK);
        give_back(&shortage);
        rcore_jack_monitor_destroy(monitor);
    }
}

int main(void) {
    RUN(free_descriptors_are_counted);
    RUN(descriptors_beyond_the_limit_are_not_free);
    RUN(too_few_descriptors_open_no_client);
    RUN(enough_descriptors_open_a_client);
    return test_result();
}
