// What a bus and a send begin with: what the plan says, and what is told of them while it waits.
#include "expect.h"
#include "stage.h"

#include <math.h>

// Bus 0 leads to the route by `map`; buses 5 and 6 lead there too, 6 over a send to 0 as well.
static rcore_plan_t *plan_with(const stage_t *stage, const rcore_matrix_t *map, bool has_more) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    const rcore_bus_description_t first = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage->gate};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &first), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, map), RCORE_OK);
    for (uint32_t slot = 5; has_more && slot < 7; slot++) {
        const rcore_bus_description_t bus = {.slot = slot, .channels = 2, .parent = 0, .pan_law = RCORE_PAN_LINEAR};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    }
    const rcore_send_description_t send = {.slot = 3, .source = 6, .target = 5};
    if (has_more) {
        EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_OK);
    }
    return plan;
}

static void play_on(stage_t *stage, const rcore_buffer_t *buffer, uint32_t bus, uint64_t when) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = bus;
    stage_start(stage, &params, when);
}

/// From the first frame on, and only where the slot begins afresh.
TEST(a_bus_and_a_send_begin_as_the_plan_says) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    for (unsigned round = 0; round < 2; round++) {
        rcore_plan_t *plan = plan_with(&stage, NULL, true);
        const float gain = round == 0 ? 0.5f : 0.125f; // the second is not a beginning
        EXPECT_EQUAL(rcore_plan_begin_bus(plan, 6, gain, -1.0f, false, false), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_begin_send(plan, 3, gain), RCORE_OK);
        EXPECT_EQUAL(rcore_post_plan(stage.port, plan, 100 + 500 * round), RCORE_OK);
    }
    play_on(&stage, buffer, 6, 200);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 200, 1000, 0.125f + 0.0625f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 0, 1000, 0.0f), -1); // the pan is at the left
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_bus_begins_muted_or_soloed) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    rcore_plan_t *plan = plan_with(&stage, NULL, true);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 5, 1.0f, 0.0f, true, false), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 6, 1.0f, 0.0f, false, true), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan, 100), RCORE_OK);
    play_on(&stage, buffer, 0, 400); // bus 0 was there before: it falls silent in a fade
    play_on(&stage, buffer, 5, 400);
    play_on(&stage, buffer, 6, 400);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 400, 1000, 0.25f), -1); // of three, the soloed one
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// What is told of a slot holds although the plan that was to bring it gives way to a newer one.
TEST(what_is_told_outlives_the_plan_that_waits) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, half, false), 100), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, NULL, true), 150), RCORE_OK); // these two wait
    EXPECT_EQUAL(rcore_post_bus_gain(stage.port, 6, 0.5f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage.port, 3, 0.0f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, NULL, true), 170), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(stage.port, voice, 10, 1000), RCORE_OK);
    play_on(&stage, buffer, 6, 1100);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, 0.125f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A slot that only the plan had that gave way is told nothing: it begins afresh.
TEST(what_is_told_ends_with_the_last_plan_that_waits) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, half, false), 100), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, NULL, true), 150), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.port, 6, 0.5f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage.port, 3, 0.0f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, NULL, false), 170), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(stage.port, voice, 10, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan_with(&stage, NULL, true), 1050), RCORE_OK);
    play_on(&stage, buffer, 6, 1100);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, 0.5f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

TEST(bad_beginnings_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_plan_t *plan = plan_with(&stage, NULL, true);
    EXPECT_EQUAL(rcore_plan_begin_bus(NULL, 6, 1.0f, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 7, 1.0f, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 6, NAN, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 6, 1.0f, 1.5f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_bus(plan, 6, 1.0f, NAN, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_send(NULL, 3, 1.0f), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_send(plan, 4, 1.0f), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_begin_send(plan, 3, INFINITY), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    stage_close(&stage);
}

int main(void) {
    RUN(a_bus_and_a_send_begin_as_the_plan_says);
    RUN(a_bus_begins_muted_or_soloed);
    RUN(what_is_told_outlives_the_plan_that_waits);
    RUN(what_is_told_ends_with_the_last_plan_that_waits);
    RUN(bad_beginnings_are_refused);
    return test_result();
}
