// Plans: invalid parts are refused without side effects.
#include "expect.h"
#include "stage.h"

static rcore_status_t add_bus(rcore_plan_t *plan, uint32_t slot, uint32_t channels, uint32_t parent) {
    const rcore_bus_description_t bus = {.slot = slot, .channels = channels, .parent = parent};
    return rcore_plan_add_bus(plan, &bus);
}

static rcore_status_t add_route(rcore_plan_t *plan, uint32_t slot, uint32_t channels, rcore_fifo_t *capture) {
    const rcore_route_description_t route = {.slot = slot, .channels = channels, .capture = capture};
    return rcore_plan_add_route(plan, &route);
}

TEST(buses_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(add_bus(plan, 3, 2, RCORE_NONE), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 3, 2, RCORE_NONE), RCORE_BAD_ARGUMENT); // slot in use
    EXPECT_EQUAL(add_bus(plan, 4, 2, 9), RCORE_BAD_ARGUMENT);          // unknown parent
    EXPECT_EQUAL(add_bus(plan, 4, 2, 4), RCORE_BAD_ARGUMENT);          // its own parent
    EXPECT_EQUAL(add_bus(plan, 4, 0, RCORE_NONE), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_bus(plan, 4, RCORE_MAX_CHANNELS + 1, RCORE_NONE), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_bus(plan, RCORE_NONE, 2, RCORE_NONE), RCORE_BAD_ARGUMENT);
    // The refusal reserved no slot.
    EXPECT_EQUAL(add_bus(plan, 4, 2, 3), RCORE_OK);
    rcore_plan_destroy(plan);
    rcore_plan_destroy(NULL);
}

TEST(routes_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_fifo_t *stereo = rcore_fifo_create(2, 64, NULL);
    EXPECT_EQUAL(add_route(plan, 0, 2, NULL), RCORE_OK);
    EXPECT_EQUAL(add_route(plan, 0, 2, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_route(plan, 1, 0, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_route(plan, 1, RCORE_MAX_CHANNELS + 1, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_route(plan, 1, 1, stereo), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_route(plan, RCORE_NONE, 2, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_route(plan, 1, 2, stereo), RCORE_OK);
    rcore_plan_destroy(plan);
    rcore_fifo_destroy(stereo);
}

TEST(connections_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_matrix_t *map = rcore_matrix_create_standard(2, 4, NULL);
    EXPECT_EQUAL(add_bus(plan, 0, 2, RCORE_NONE), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 2, 0), RCORE_OK);
    EXPECT_EQUAL(add_route(plan, 0, 2, NULL), RCORE_OK);
    EXPECT_EQUAL(add_route(plan, 1, 4, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 5, 0, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 5, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_connect(plan, 1, 0, NULL), RCORE_BAD_ARGUMENT); // has a parent
    // The matrix has four outputs.
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, map), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 1, map), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    rcore_plan_destroy(plan);
    rcore_matrix_destroy(map);
}

/// A plan beyond the core's sizes is refused as a whole and remains the caller's. Playback
/// continues.
TEST(a_core_refuses_slots_that_it_has_not) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    stage_play(&stage, buffer, 0);
    const rcore_config_t config = rcore_configuration(stage.core);

    rcore_plan_t *plan = rcore_plan_create();
    // The plan cannot know the core's sizes.
    EXPECT_EQUAL(add_bus(plan, config.max_buses, 2, RCORE_NONE), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_NO_SLOT);
    rcore_plan_destroy(plan);

    plan = rcore_plan_create();
    EXPECT_EQUAL(add_route(plan, config.max_routes, 2, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_NO_SLOT);
    rcore_plan_destroy(plan);

    plan = rcore_plan_create();
    EXPECT_EQUAL(add_bus(plan, 0, config.max_channels + 1, RCORE_NONE), RCORE_OK);
    EXPECT(rcore_post_plan(stage.queue, plan, RCORE_NOW) != RCORE_OK);
    rcore_plan_destroy(plan);

    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 1000, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(buses_are_checked);
    RUN(routes_are_checked);
    RUN(connections_are_checked);
    RUN(a_core_refuses_slots_that_it_has_not);
    return test_result();
}
