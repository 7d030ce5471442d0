// Sample buffers.
#include "expect.h"
#include "rcore_buffer.h"

TEST(keeps_its_shape) {
    const float left[] = {1, 2, 3}, right[] = {4, 5, 6};
    const float *planes[] = {left, right};
    rcore_status_t status = RCORE_FULL;
    rcore_buffer_t *buffer = rcore_buffer_create(2, 3, planes, &status);
    EXPECT_EQUAL(status, RCORE_OK);
    EXPECT_EQUAL(rcore_buffer_channels(buffer), 2);
    EXPECT_EQUAL(rcore_buffer_nframes(buffer), 3);
    EXPECT_EQUAL(rcore_buffer_nonfinite_count(buffer), 0);
    EXPECT(rcore_buffer_retain(buffer) == buffer);
    rcore_buffer_release(buffer);
    // The first reference is still valid.
    EXPECT_EQUAL(rcore_buffer_nframes(buffer), 3);
    rcore_buffer_release(buffer);
    rcore_buffer_release(NULL);
}

TEST(silences_and_counts_what_is_no_number) {
    const float samples[] = {NAN, 1, INFINITY, -INFINITY, 2, 3};
    rcore_buffer_t *buffer = rcore_buffer_create_interleaved(2, 3, samples, NULL);
    EXPECT_EQUAL(rcore_buffer_nonfinite_count(buffer), 3);
    rcore_buffer_release(buffer);
    const float *planes[] = {samples};
    buffer = rcore_buffer_create(1, 6, planes, NULL);
    EXPECT_EQUAL(rcore_buffer_nonfinite_count(buffer), 3);
    rcore_buffer_release(buffer);
}

TEST(copies_what_it_holds) {
    const float samples[] = {1, 2, 3, 4, 5, 6};
    rcore_buffer_t *buffer = rcore_buffer_create_interleaved(2, 3, samples, NULL);
    float copy[8] = {0};
    EXPECT_EQUAL(rcore_buffer_read_interleaved(buffer, 1, copy, 4), 2);
    for (unsigned i = 0; i < 8; i++) {
        EXPECT(copy[i] == (i < 4 ? samples[i + 2] : 0));
    }
    EXPECT_EQUAL(rcore_buffer_read_interleaved(buffer, 0, copy, 1), 1);
    EXPECT(copy[0] == 1 && copy[1] == 2 && copy[2] == 5);
    EXPECT_EQUAL(rcore_buffer_read_interleaved(buffer, 3, copy, 1), 0);
    EXPECT_EQUAL(rcore_buffer_read_interleaved(buffer, UINT64_MAX, copy, 1), 0);
    rcore_buffer_release(buffer);
}

static void expect_refused(uint32_t channels, uint64_t nframes, const float *frames) {
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_buffer_create_interleaved(channels, nframes, frames, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_buffer_create_interleaved(channels, nframes, frames, NULL) == NULL);

    const float *planes[RCORE_MAX_CHANNELS + 1] = {frames, frames};
    status = RCORE_OK;
    EXPECT(rcore_buffer_create(channels, nframes, frames != NULL ? planes : NULL, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
}

TEST(refuses_what_is_out_of_range) {
    const float frames[2] = {0};
    expect_refused(0, 1, frames);
    expect_refused(RCORE_MAX_CHANNELS + 1, 1, frames);
    expect_refused(1, 0, frames);
    expect_refused(1, (UINT64_C(1) << 40) + 1, frames);
    expect_refused(1, UINT64_MAX, frames);
    expect_refused(2, 1, NULL);
}

int main(void) {
    RUN(keeps_its_shape);
    RUN(silences_and_counts_what_is_no_number);
    RUN(copies_what_it_holds);
    RUN(refuses_what_is_out_of_range);
    return test_result();
}
