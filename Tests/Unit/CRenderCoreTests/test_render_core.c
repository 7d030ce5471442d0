// The core as a whole: sizes, time, outputs, routing, meters.
#include "expect.h"
#include "stage.h"

#include <string.h>

static void expect_refused(rcore_config_t config) {
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_create(&config, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_create(&config, NULL) == NULL);
}

#define EXPECT_FIELD_REFUSED(field, value)                                                                             \
    do {                                                                                                               \
        rcore_config_t config = stage_config();                                                                        \
        config.field = (value);                                                                                        \
        expect_refused(config);                                                                                        \
    } while (0)

TEST(sizes_are_checked) {
    EXPECT_FIELD_REFUSED(sample_rate, RCORE_MIN_SAMPLE_RATE - 1);
    EXPECT_FIELD_REFUSED(sample_rate, RCORE_MAX_SAMPLE_RATE + 1);
    EXPECT_FIELD_REFUSED(max_voices, 0);
    EXPECT_FIELD_REFUSED(max_voices, 65537);
    EXPECT_FIELD_REFUSED(max_buses, 0);
    EXPECT_FIELD_REFUSED(max_buses, 1025);
    EXPECT_FIELD_REFUSED(max_routes, 0);
    EXPECT_FIELD_REFUSED(max_routes, 65);
    EXPECT_FIELD_REFUSED(max_channels, 0);
    EXPECT_FIELD_REFUSED(max_channels, RCORE_MAX_CHANNELS + 1);
    EXPECT_FIELD_REFUSED(block_frames, 15);
    EXPECT_FIELD_REFUSED(block_frames, RCORE_MAX_PERIOD + 1);
    EXPECT_FIELD_REFUSED(command_capacity, 0);
    EXPECT_FIELD_REFUSED(command_capacity, (1u << 20) + 1);
    EXPECT_FIELD_REFUSED(event_capacity, 0);
    EXPECT_FIELD_REFUSED(event_capacity, (1u << 20) + 1);

    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_create(NULL, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    rcore_destroy(NULL);
}

TEST(keeps_the_sizes_it_was_made_with) {
    rcore_config_t config = stage_config();
    config.command_capacity = 33;
    config.event_capacity = 100;
    rcore_t *core = rcore_create(&config, NULL);
    const rcore_config_t actual = rcore_configuration(core);
    EXPECT_EQUAL(actual.max_voices, config.max_voices);
    EXPECT_EQUAL(actual.block_frames, config.block_frames);
    EXPECT_EQUAL(actual.command_capacity, 64);
    EXPECT_EQUAL(actual.event_capacity, 128);
    EXPECT_EQUAL(rcore_set_sample_rate(core, 44100), RCORE_OK);
    EXPECT_EQUAL(rcore_set_sample_rate(core, 999), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_set_sample_rate(core, 768001), RCORE_BAD_ARGUMENT);
    rcore_destroy(core);
}

TEST(every_status_has_a_sentence) {
    for (int status = RCORE_OK; status <= RCORE_NO_SLOT + 1; status++) {
        const char *text = rcore_status_text((rcore_status_t)status);
        EXPECT(text != NULL && strlen(text) > 1);
    }
}

/// Without a plan, every output is silent, NULL planes are allowed, and the time counts frames.
TEST(without_a_plan_all_is_silence) {
    const rcore_config_t config = stage_config();
    rcore_t *core = rcore_create(&config, NULL);
    float left[512], right[512];
    memset(left, 0x7F, sizeof left);
    memset(right, 0x7F, sizeof right);
    float *outputs[] = {left, NULL, right};
    EXPECT_EQUAL(rcore_time(core), 0);
    rcore_process(core, NULL, 0, outputs, 3, 512);
    EXPECT_EQUAL(first_other(left, 0, 512, 0.0f), -1);
    EXPECT_EQUAL(first_other(right, 0, 512, 0.0f), -1);
    EXPECT_EQUAL(rcore_time(core), 512);
    rcore_process(core, NULL, 0, NULL, 0, 100);
    rcore_process(core, NULL, 0, outputs, 3, 0);
    EXPECT_EQUAL(rcore_time(core), 612);
    EXPECT_EQUAL(rcore_read_counters(core).cycles, 3);
    rcore_destroy(core);
}

/// Three outputs: one is not connected to any route, and one plane is missing.
TEST(outputs_that_no_route_feeds_are_silent) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(64, 0.5f);
    stage_play(&stage, buffer, RCORE_NOW);
    float left[64], other[64];
    memset(other, 0x7F, sizeof other);
    float *outputs[] = {left, NULL, other};
    rcore_process(stage.core, NULL, 0, outputs, 3, 64);
    EXPECT_EQUAL(first_other(left, 0, 64, 0.5f), -1);
    EXPECT_EQUAL(first_other(other, 0, 64, 0.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A route beyond the driver's outputs renders the channels that fit, without side effects.
TEST(a_route_may_lie_beyond_the_outputs) {
    stage_t stage = stage_open(NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .first_output = 1};
    const rcore_route_description_t far = {.slot = 1, .channels = 2, .first_output = UINT32_MAX - 1};
    rcore_buffer_t *buffer = constant_buffer(64, 0.5f);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    if (rcore_plan_add_route(plan, &far) == RCORE_OK) {
        EXPECT_EQUAL(rcore_plan_connect(plan, 0, 1, NULL), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 64, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 0, 64, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// One bus on two routes with a matrix each: channel and gain of the impulse are exact on all of
/// them.
TEST(impulses_reach_their_channels_at_their_gain) {
    stage_t stage = stage_open(NULL);
    const float exchange[] = {0, 0.5f, -1, 0};
    rcore_matrix_t *crossed = rcore_matrix_create(2, 2, exchange, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t first = {.slot = 0, .channels = 2, .first_output = 0};
    const rcore_route_description_t second = {.slot = 1, .channels = 2, .first_output = 2};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &first), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &second), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 1, crossed), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);

    rcore_buffer_t *impulse = impulse_buffer(2);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = impulse;
    params.gain = 0.25f;
    stage_start(&stage, &params, 37);
    float planes[4][64];
    float *outputs[] = {planes[0], planes[1], planes[2], planes[3]};
    rcore_process(stage.core, NULL, 0, outputs, 4, 64);
    const float at[] = {0.25f, 0, 0, -0.25f};
    for (unsigned output = 0; output < 4; output++) {
        EXPECT_EQUAL(first_other(planes[output], 0, 37, 0.0f), -1);
        EXPECT_NEAR(planes[output][37], at[output], 0);
        EXPECT_EQUAL(first_other(planes[output], 38, 64, 0.0f), -1);
    }
    stage_close(&stage);
    rcore_buffer_release(impulse);
    rcore_matrix_destroy(crossed);
}

/// Posts a plan with bus 0 connected to route 0, with a capture.
static void post_capturing_plan(stage_t *stage, rcore_fifo_t *capture) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .capture = capture};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
}

/// Samples that overflow to infinity never reach an output, a capture or a meter: they become
/// silence and are counted.
TEST(no_infinity_leaves) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *capture = rcore_fifo_create(2, 1024, NULL);
    post_capturing_plan(&stage, capture);
    rcore_buffer_t *buffer = constant_buffer(64, 16.0f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.gain = 3e38f;
    stage_start(&stage, &params, 0);
    // The sum is a NaN.
    params.gain = -3e38f;
    stage_start(&stage, &params, 16);
    stage_render(&stage, 128, 32);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 128, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 0, 128, 0.0f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).nonfinite_samples, 2 * (64 + 16));
    float frames[256] = {1};
    EXPECT(rcore_fifo_read_interleaved(capture, frames, 128));
    EXPECT_EQUAL(first_other(frames, 0, 256, 0.0f), -1);
    EXPECT_EQUAL(rcore_fifo_nonfinite_count(capture), 0);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 0, 0), 0, 0);
    // Later samples are not affected.
    stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 32, 32);
    EXPECT_EQUAL(first_other(stage.out[0], 128, 160, 16.0f), -1);
    stage_close(&stage);
    rcore_fifo_destroy(capture);
    rcore_buffer_release(buffer);
}

TEST(peaks_are_the_greatest_magnitude_since_the_last_call) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(256);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 256, 64);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 0, 0), ramp_sample(255), 0);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 0, 1), ramp_sample(255), 0);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 0, 0), 0, 0);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 99, 0), 0, 0);
    EXPECT_NEAR(rcore_take_route_peak(stage.core, 0, 99), 0, 0);
    EXPECT_NEAR(rcore_bus_gate_gain(stage.core, 0), 1, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A capture contains exactly the output of the route. A full capture drops whole periods and
/// counts them.
TEST(a_capture_takes_what_the_route_puts_out) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *capture = rcore_fifo_create(2, 1024, NULL);
    post_capturing_plan(&stage, capture);
    rcore_buffer_t *buffer = ramp_buffer(4096);
    stage_play(&stage, buffer, 5);
    stage_render(&stage, 1024, 128);
    float frames[2048];
    EXPECT_EQUAL(rcore_fifo_readable(capture), 1024);
    EXPECT(rcore_fifo_read_interleaved(capture, frames, 1024));
    unsigned wrong = 0;
    for (unsigned frame = 0; frame < 1024; frame++) {
        wrong += frames[frame * 2] != stage.out[0][frame] || frames[frame * 2 + 1] != stage.out[1][frame];
    }
    EXPECT_EQUAL(wrong, 0);
    EXPECT_EQUAL(rcore_fifo_overrun_count(capture), 0);
    stage_render(&stage, 1280, 128);
    EXPECT(rcore_fifo_overrun_count(capture) > 0);
    EXPECT_EQUAL(first_other(stage.out[0], 5 + 4096, stage.nframes, 0.0f), -1);
    stage_close(&stage);
    rcore_fifo_destroy(capture);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(sizes_are_checked);
    RUN(keeps_the_sizes_it_was_made_with);
    RUN(every_status_has_a_sentence);
    RUN(without_a_plan_all_is_silence);
    RUN(outputs_that_no_route_feeds_are_silent);
    RUN(a_route_may_lie_beyond_the_outputs);
    RUN(impulses_reach_their_channels_at_their_gain);
    RUN(no_infinity_leaves);
    RUN(peaks_are_the_greatest_magnitude_since_the_last_call);
    RUN(a_capture_takes_what_the_route_puts_out);
    return test_result();
}
