// Gaps of the input: any thread reads those that the cycle has reported.
#include "expect.h"
#include "stage.h"

#include <pthread.h>
#include <stdatomic.h>

TEST(gaps_are_read_in_order) {
    rcore_config_t config = rcore_config_default();
    rcore_t *core = rcore_create(&config, NULL);
    rcore_gap_t gap;
    EXPECT_EQUAL(rcore_gap_count(core), 0);
    EXPECT(!rcore_read_gap(core, 0, &gap));
    EXPECT_EQUAL(rcore_gap_limit(core), UINT64_MAX);
    rcore_set_gap_limit(core, 0);
    EXPECT_EQUAL(rcore_gap_limit(core), 0);
    rcore_set_gap_limit(core, UINT64_MAX);
    EXPECT_EQUAL(rcore_gap_limit(core), UINT64_MAX);
    const uint32_t count = 3 * RCORE_GAPS_KEPT;
    for (uint32_t i = 0; i < count; i++) {
        rcore_report_gap(core, (rcore_gap_t){.time = 1000 * i, .frames = i + 1});
        EXPECT(rcore_read_gap(core, i, &gap));
        EXPECT(gap.time == 1000 * i && gap.frames == i + 1);
        EXPECT(!rcore_read_gap(core, i + 1, &gap));
    }
    EXPECT_EQUAL(rcore_gap_count(core), count);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQUAL(rcore_read_gap(core, i, &gap), i > count - RCORE_GAPS_KEPT);
    }
    rcore_destroy(core);
}

static atomic_bool has_ended;

/// Reads the gaps as they come. Each states its number twice.
static void *read_gaps(void *argument) {
    const rcore_t *core = argument;
    bool is_right = true;
    uint64_t number = 0;
    while (!atomic_load(&has_ended) || number < rcore_gap_count(core)) {
        rcore_gap_t gap;
        if (rcore_read_gap(core, number, &gap)) {
            is_right = is_right && gap.time == number && gap.frames == number;
            number++;
        } else if (rcore_gap_count(core) > number + RCORE_GAPS_KEPT / 2) {
            number = rcore_gap_count(core) - RCORE_GAPS_KEPT / 2;
        }
    }
    return is_right ? argument : NULL;
}

TEST(a_gap_that_is_replaced_is_not_read) {
    rcore_config_t config = rcore_config_default();
    rcore_t *core = rcore_create(&config, NULL);
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) {
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, read_gaps, core), 0);
    }
    for (uint64_t i = 0; i < 300000; i++) {
        rcore_report_gap(core, (rcore_gap_t){.time = i, .frames = i});
    }
    atomic_store(&has_ended, true);
    for (int i = 0; i < 3; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        EXPECT(result != NULL);
    }
    rcore_destroy(core);
}

int main(void) {
    RUN(gaps_are_read_in_order);
    RUN(a_gap_that_is_replaced_is_not_read);
    return test_result();
}
