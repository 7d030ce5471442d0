// Channel matrices.
#include "expect.h"
#include "rcore_matrix.h"

TEST(keeps_gains_row_by_output) {
    const float gains[] = {1, 2, 3, 4, 5, 6};
    rcore_status_t status = RCORE_FULL;
    rcore_matrix_t *matrix = rcore_matrix_create(3, 2, gains, &status);
    EXPECT_EQUAL(status, RCORE_OK);
    EXPECT_EQUAL(rcore_matrix_inputs(matrix), 3);
    EXPECT_EQUAL(rcore_matrix_outputs(matrix), 2);
    for (uint32_t output = 0; output < 2; output++) {
        for (uint32_t input = 0; input < 3; input++) {
            EXPECT_NEAR(rcore_matrix_gain(matrix, output, input), gains[output * 3 + input], 0);
        }
    }
    EXPECT_NEAR(rcore_matrix_gain(matrix, 2, 0), 0, 0);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 0, 3), 0, 0);
    EXPECT_NEAR(rcore_matrix_gain(matrix, UINT32_MAX, UINT32_MAX), 0, 0);
    rcore_matrix_destroy(matrix);
    rcore_matrix_destroy(NULL);
}

static void expect_refused(uint32_t inputs, uint32_t outputs, const float *gains) {
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_matrix_create(inputs, outputs, gains, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_matrix_create(inputs, outputs, gains, NULL) == NULL);
}

TEST(refuses_what_is_out_of_range) {
    float gains[RCORE_MAX_CHANNELS + 1] = {0};
    expect_refused(0, 1, gains);
    expect_refused(1, 0, gains);
    expect_refused(RCORE_MAX_CHANNELS + 1, 1, gains);
    expect_refused(1, RCORE_MAX_CHANNELS + 1, gains);
    expect_refused(1, 1, NULL);
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (unsigned i = 0; i < 3; i++) {
        gains[1] = bad[i];
        expect_refused(2, 1, gains);
    }
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_matrix_create_standard(0, 2, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    status = RCORE_OK;
    EXPECT(rcore_matrix_create_standard(2, RCORE_MAX_CHANNELS + 1, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
}

TEST(same_count_is_channel_to_channel) {
    for (uint32_t count = 1; count <= RCORE_MAX_CHANNELS; count++) {
        rcore_matrix_t *matrix = rcore_matrix_create_standard(count, count, NULL);
        for (uint32_t output = 0; output < count; output++) {
            for (uint32_t input = 0; input < count; input++) {
                EXPECT_NEAR(rcore_matrix_gain(matrix, output, input), output == input ? 1 : 0, 0);
            }
        }
        rcore_matrix_destroy(matrix);
    }
}

TEST(mono_goes_to_the_front_pair) {
    rcore_matrix_t *matrix = rcore_matrix_create_standard(1, 6, NULL);
    for (uint32_t output = 0; output < 6; output++) {
        EXPECT_NEAR(rcore_matrix_gain(matrix, output, 0), output < 2 ? 1 : 0, 0);
    }
    rcore_matrix_destroy(matrix);
}

TEST(fewer_to_more_is_channel_to_channel) {
    rcore_matrix_t *matrix = rcore_matrix_create_standard(2, 6, NULL);
    for (uint32_t output = 0; output < 6; output++) {
        for (uint32_t input = 0; input < 2; input++) {
            EXPECT_NEAR(rcore_matrix_gain(matrix, output, input), output == input ? 1 : 0, 0);
        }
    }
    rcore_matrix_destroy(matrix);
}

/// 5.1 (L R C LFE Ls Rs): center and surrounds 3 dB below the front, left and right symmetric.
TEST(surround_mixes_down_by_the_book) {
    rcore_matrix_t *matrix = rcore_matrix_create_standard(6, 2, NULL);
    const float front = rcore_matrix_gain(matrix, 0, 0);
    const double half = 0.70710678;
    EXPECT(front > 0);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 0, 1), 0, 0);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 0, 2), half * front, 1e-6);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 0, 4), half * front, 1e-6);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 0, 5), 0, 0);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 1, 1), front, 1e-6);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 1, 2), half * front, 1e-6);
    EXPECT_NEAR(rcore_matrix_gain(matrix, 1, 5), half * front, 1e-6);
    rcore_matrix_destroy(matrix);
}

/// Full scale on every channel at once does not clip, and only the LFE is dropped.
TEST(no_down_mix_clips) {
    for (uint32_t inputs = 1; inputs <= RCORE_MAX_CHANNELS; inputs++) {
        for (uint32_t outputs = 1; outputs <= inputs; outputs++) {
            rcore_matrix_t *matrix = rcore_matrix_create_standard(inputs, outputs, NULL);
            EXPECT(matrix != NULL);
            for (uint32_t output = 0; output < outputs; output++) {
                double sum = 0;
                for (uint32_t input = 0; input < inputs; input++) {
                    sum += fabs(rcore_matrix_gain(matrix, output, input));
                }
                EXPECT(sum <= 1.000001);
            }
            rcore_matrix_destroy(matrix);
        }
    }
}

int main(void) {
    RUN(keeps_gains_row_by_output);
    RUN(refuses_what_is_out_of_range);
    RUN(same_count_is_channel_to_channel);
    RUN(mono_goes_to_the_front_pair);
    RUN(fewer_to_more_is_channel_to_channel);
    RUN(surround_mixes_down_by_the_book);
    RUN(no_down_mix_clips);
    return test_result();
}
