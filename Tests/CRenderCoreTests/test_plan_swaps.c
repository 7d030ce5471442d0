// A new plan while sound plays: what it keeps is not touched, not by one bit.
#include "expect.h"
#include "stage.h"

#include <string.h>

static void play_scene(stage_t *stage, const rcore_buffer_t *sine, bool swapping) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = sine;
    params.bus = 2;
    params.fade_in_frames = 3000;
    stage_start(stage, &params, 5);
    rcore_post_bus_gain(stage->port, 2, 0.25f, 20000, 100);
    rcore_post_bus_gain(stage->port, 0, 0.5f, 0, 50);
    stage_verdict(stage, (sgate_verdict_t){.attenuation = 14 * 256, .ramp_ms = 300});
    for (unsigned turn = 0; turn < 100; turn++) {
        if (swapping) {
            rcore_plan_t *plan = stage_plan(stage->gate);
            if (turn % 2) { // and another bus and route come and go
                const rcore_bus_description_t bus = {.slot = 6, .channels = 1, .parent = 0};
                const rcore_route_description_t route = {.slot = 3, .channels = 4, .first_output = 9};
                EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
                EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
            }
            EXPECT_EQUAL(rcore_post_plan(stage->port, plan, turn % 3 ? RCORE_NOW : stage->nframes + 77), RCORE_OK);
        }
        stage_render(stage, 300, 64);
        if (swapping) {
            EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        }
    }
}

TEST(a_swap_changes_not_one_bit) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    stage_t still = stage_open(NULL), swapped = stage_open(NULL);
    play_scene(&still, sine, false);
    play_scene(&swapped, sine, true);
    // Timed swaps cut slices, which may move a ramp's last bit; nothing else may differ.
    float largest = 0;
    for (unsigned i = 0; i < 30000; i++) {
        largest = fmaxf(largest, fabsf(still.out[0][i] - swapped.out[0][i]));
    }
    EXPECT_NEAR(largest, 0, 1e-7);
    EXPECT(first_other(still.out[0], 5, 30000, 0.0f) >= 0);
    stage_close(&still);
    stage_close(&swapped);
    rcore_buffer_release(sine);
}

/// With flat gains there is no ramp's last bit: identical.
TEST(flat_gains_are_identical_over_a_swap) {
    rcore_buffer_t *ramp = ramp_buffer(30000);
    stage_t stage = stage_open(NULL);
    stage_play(&stage, ramp, 0);
    for (unsigned turn = 0; turn < 50; turn++) {
        const uint64_t when = turn % 2 ? RCORE_NOW : stage.nframes + 13;
        EXPECT_EQUAL(rcore_post_plan(stage.port, stage_plan(stage.gate), when), RCORE_OK);
        stage_render(&stage, 301, 64);
        rcore_collect_plans(stage.core);
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < stage.nframes; i++) {
        wrong += stage.out[0][i] != ramp_sample(i) || stage.out[1][i] != -ramp_sample(i);
    }
    EXPECT_EQUAL(wrong, 0);
    stage_close(&stage);
    rcore_buffer_release(ramp);
}

static stage_t open_without_fades(void) {
    rcore_config_t config = stage_config();
    config.swap_frames = 0;
    return stage_open(&config);
}

/// A timed plan takes effect on its frame.
TEST(a_timed_plan_is_exact) {
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    const float gains[] = {0, 1, 0.5f, 0};
    rcore_matrix_t *crossed = rcore_matrix_create(2, 2, gains, NULL);
    const uint32_t periods[] = {1, 64, 8192};
    for (unsigned p = 0; p < 3; p++) {
        stage_t stage = open_without_fades();
        rcore_plan_t *plan = rcore_plan_create();
        const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate};
        const rcore_route_description_t route = {.slot = 0, .channels = 2};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, crossed), RCORE_OK);
        stage_play(&stage, buffer, 0);
        EXPECT_EQUAL(rcore_post_plan(stage.port, plan, 1234), RCORE_OK);
        EXPECT(rcore_collect_plans(stage.core) >= 1);
        stage_render(&stage, 3000, periods[p]);
        EXPECT_EQUAL(first_other(stage.out[1], 0, 1234, 0.5f), -1);
        EXPECT_EQUAL(first_other(stage.out[0], 0, 3000, 0.5f), -1);
        EXPECT_EQUAL(first_other(stage.out[1], 1234, 3000, 0.25f), -1);
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
        stage_close(&stage);
    }
    rcore_matrix_destroy(crossed);
    rcore_buffer_release(buffer);
}

/// The core says when it has let go of older plans; plans that it never used are freed too.
TEST(plans_come_back) {
    stage_t stage = stage_open(NULL);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1); // posted, not applied
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQUAL(rcore_post_plan(stage.port, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 6);
    stage_render(&stage, 10, 10);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
    rcore_event_t event;
    uint64_t last = 0;
    while (rcore_next_event(stage.core, &event)) {
        if (event.kind == RCORE_EVENT_PLAN_APPLIED) {
            EXPECT(event.value > last);
            last = event.value;
        }
    }
    EXPECT_EQUAL(last, 6);
    EXPECT_EQUAL(rcore_post_plan(stage.port, stage_plan(NULL), 100000), RCORE_OK);
    stage_close(&stage); // frees the one that never came
}

/// A bus that leaves and comes back begins afresh; its gain and gate are forgotten.
TEST(a_slot_that_left_is_forgotten) {
    stage_t stage = open_without_fades();
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 1;
    const rcore_voice_t voice = stage_start(&stage, &params, 0);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.port, 1, 0.5f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    rcore_plan_t *plan = rcore_plan_create(); // without any bus
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_post_plan(stage.port, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 100, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 200, 300, 0.5f), -1);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 300); // the voice ran on
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(a_swap_changes_not_one_bit);
    RUN(flat_gains_are_identical_over_a_swap);
    RUN(a_timed_plan_is_exact);
    RUN(plans_come_back);
    RUN(a_slot_that_left_is_forgotten);
    return test_result();
}
