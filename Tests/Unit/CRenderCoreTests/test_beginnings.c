// Initial states of buses and sends: those in the plan, and those posted while the plan waits.
#include "expect.h"
#include "stage.h"

#include <math.h>

// Returns a plan in which bus 0 is connected to the route with `map`. With `has_more`, it also has
// buses 5 and 6 as children of bus 0, and a send from 6 to 5.
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

/// The initial state applies from the first frame on, and only when the slot is initialised.
TEST(a_bus_and_a_send_begin_as_the_plan_says) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    for (unsigned round = 0; round < 2; round++) {
        rcore_plan_t *plan = plan_with(&stage, NULL, true);
        // The second plan does not initialise the slot.
        const float gain = round == 0 ? 0.5f : 0.125f;
        EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 6, gain, -1.0f, false, false), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_set_initial_send_level(plan, 3, gain), RCORE_OK);
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, 100 + 500 * round), RCORE_OK);
    }
    stage_play_on(&stage, buffer, 6, 200);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 200, 1000, 0.125f + 0.0625f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 0, 1000, 0.0f), -1); // the pan is hard left
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_bus_begins_muted_or_soloed) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    rcore_plan_t *plan = plan_with(&stage, NULL, true);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 5, 1.0f, 0.0f, true, false), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 6, 1.0f, 0.0f, false, true), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, 100), RCORE_OK);
    // Bus 0 existed before: the solo fades it out.
    stage_play_on(&stage, buffer, 0, 400);
    stage_play_on(&stage, buffer, 5, 400);
    stage_play_on(&stage, buffer, 6, 400);
    stage_render(&stage, 1000, 64);
    // Only the soloed one of the three buses.
    EXPECT_EQUAL(first_other(stage.out[0], 400, 1000, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Posts values for a bus and a send while the plan that introduces them waits. Then replaces that
/// plan, by one with the same slots or by one without them, which a third plan introduces again.
/// Expects `value` of a voice on that bus.
static void expect_after_replacement(bool keeps_slots, float value) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_with(&stage, half, false), 100), RCORE_OK);
    // Both plans wait.
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_with(&stage, NULL, true), 150), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 6, 0.5f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage.queue, 3, 0.0f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_with(&stage, NULL, keeps_slots), 170), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 10, 1000), RCORE_OK);
    if (!keeps_slots) {
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_with(&stage, NULL, true), 1050), RCORE_OK);
    }
    stage_play_on(&stage, buffer, 6, 1100);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, value), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// Values posted for a slot persist even if a newer plan replaces the waiting plan that introduces
/// it.
TEST(what_is_notified_outlives_the_plan_that_waits) { expect_after_replacement(true, 0.125f); }

/// A slot that only the replaced plan contained loses the posted values: it is initialised again.
TEST(what_is_notified_ends_with_the_last_plan_that_waits) { expect_after_replacement(false, 0.5f); }

TEST(bad_beginnings_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_plan_t *plan = plan_with(&stage, NULL, true);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(NULL, 6, 1.0f, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 7, 1.0f, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 6, NAN, 0.0f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 6, 1.0f, 1.5f, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_bus_state(plan, 6, 1.0f, NAN, false, false), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_send_level(NULL, 3, 1.0f), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_send_level(plan, 4, 1.0f), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_set_initial_send_level(plan, 3, INFINITY), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    stage_close(&stage);
}

int main(void) {
    RUN(a_bus_and_a_send_begin_as_the_plan_says);
    RUN(a_bus_begins_muted_or_soloed);
    RUN(what_is_notified_outlives_the_plan_that_waits);
    RUN(what_is_notified_ends_with_the_last_plan_that_waits);
    RUN(bad_beginnings_are_refused);
    return test_result();
}
