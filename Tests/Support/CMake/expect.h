/// Assertions for the C tests. A failed assertion prints its location and the expression, is
/// counted, and lets the test continue.
///
///     TEST(reads_what_was_written) { EXPECT(answer == 42); EXPECT_EQUAL(frames, 64); }
///     int main(void) { RUN(reads_what_was_written); return test_result(); }
#ifndef EXPECT_H
#define EXPECT_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned expect_failures;
static unsigned expect_tests;
static const char *expect_test = "";

#define TEST(name) static void name(void)
#define RUN(name) (expect_test = #name, expect_tests++, name())
/// Runs a test that QEMU's user-mode emulation cannot run, except there (EXPECT_EMULATED is set).
/// Prints the reason, which Scripts/arm64 repeats.
#define RUN_UNLESS_EMULATED(name, reason)                                                                              \
    do {                                                                                                               \
        if (getenv("EXPECT_EMULATED") == NULL) {                                                                       \
            RUN(name);                                                                                                 \
        } else {                                                                                                       \
            printf("not emulated: %s: %s\n", #name, reason);                                                           \
        }                                                                                                              \
    } while (0)

static inline void expect_fail(const char *file, int line) {
    expect_failures++;
    fprintf(stderr, "%s:%d: %s: ", file, line, expect_test);
}

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            expect_fail(__FILE__, __LINE__);                                                                           \
            fprintf(stderr, "expected %s\n", #condition);                                                              \
        }                                                                                                              \
    } while (0)

/// Expects two integers to be equal.
#define EXPECT_EQUAL(value, expected)                                                                                  \
    do {                                                                                                               \
        const int64_t expect_value = (int64_t)(value), expect_expected = (int64_t)(expected);                          \
        if (expect_value != expect_expected) {                                                                         \
            expect_fail(__FILE__, __LINE__);                                                                           \
            fprintf(stderr, "%s is %" PRId64 ", expected %" PRId64 "\n", #value, expect_value, expect_expected);       \
        }                                                                                                              \
    } while (0)

/// Expects a number to lie within `tolerance` of another; a tolerance of 0 means equality.
#define EXPECT_NEAR(value, expected, tolerance)                                                                        \
    do {                                                                                                               \
        const double expect_value = (value), expect_expected = (expected);                                             \
        if (!(fabs(expect_value - expect_expected) <= (tolerance))) {                                                  \
            expect_fail(__FILE__, __LINE__);                                                                           \
            fprintf(stderr, "%s is %.9g, expected %.9g ± %g\n", #value, expect_value, expect_expected,                 \
                    (double)(tolerance));                                                                              \
        }                                                                                                              \
    } while (0)

/// Returns the exit status for main: success when all expectations held.
static inline int test_result(void) {
    if (expect_failures > 0) {
        fprintf(stderr, "%u expectations failed\n", expect_failures);
        return EXIT_FAILURE;
    }
    printf("%u tests passed\n", expect_tests);
    return EXIT_SUCCESS;
}

#endif
