// Sessions and crossfades: no signal bypasses a closed gate, a suspended session resumes smoothly,
// and nothing runs twice.
#include "expect.h"
#include "mixer_stage.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>

enum { most = 60000 };

static rcore_plan_t *plan_of(const rcore_bus_description_t *buses, uint32_t count) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    for (uint32_t i = 0; i < count; i++) {
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &buses[i]), RCORE_OK);
        if (buses[i].parent == RCORE_NONE) {
            EXPECT_EQUAL(rcore_plan_connect(plan, buses[i].slot, 0, NULL), RCORE_OK);
        }
    }
    return plan;
}

/// A plan is refused if it moves a bus to another session while a signal of the first session is
/// still routed to it: the signal would bypass its own gate.
TEST(no_crossfade_bypasses_a_gate) {
    stage_t stage = stage_open(NULL);
    const rcore_bus_description_t gate_above[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate},
                                                  {.slot = 1, .channels = 2, .parent = 0}};
    const rcore_bus_description_t gate_below[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE},
                                                  {.slot = 1, .channels = 2, .parent = 0, .gate = stage.gate}};
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(gate_above, 2), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 64);
    rcore_plan_t *other = plan_of(gate_below, 2);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, other, RCORE_NOW), RCORE_CONFLICT);
    // In two steps: without the bus that feeds it, then with that bus.
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(gate_below, 1), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, other, RCORE_NOW), RCORE_OK);
    stage_close(&stage);
}

TEST(a_limiter_does_not_change_its_output_in_one_step) {
    stage_t stage = stage_open(NULL);
    rcore_limiter_t *limiter =
        rcore_limiter_create(&(rcore_limiter_description_t){.channels = 2, .sample_rate = STAGE_RATE}, NULL);
    for (uint32_t round = 0; round < 3; round++) {
        rcore_plan_t *plan = rcore_plan_create();
        const rcore_route_description_t route = {
            .slot = round == 2, .channels = 2, .first_output = round == 1 ? 2 : 0, .limiter = limiter};
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
        const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
        const rcore_status_t status = rcore_post_plan(stage.queue, plan, RCORE_NOW);
        EXPECT_EQUAL(status, round == 0 ? RCORE_OK : RCORE_CONFLICT);
        if (status != RCORE_OK) {
            rcore_plan_destroy(plan);
        }
        stage_render(&stage, 1000, 64);
    }
    stage_close(&stage);
    rcore_limiter_destroy(limiter);
}

TEST(a_bus_is_connected_to_a_route_once) {
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    rcore_plan_t *plan = plan_of(&bus, 1);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
}

TEST(live_buses_may_not_add_up_to_more_than_the_longest_latency) {
    stage_t stage = stage_open(NULL);
    struct mixer_effect effects[2];
    rcore_bus_description_t buses[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE, .compensation_exempt = true},
                                       {.slot = 1, .channels = 2, .parent = 0, .compensation_exempt = true}};
    for (uint32_t i = 0; i < 2; i++) {
        mixer_effect_open(&effects[i], 2, 0, 1.0f);
        buses[i].insert = mixer_effect_insert(&effects[i]);
        buses[i].insert.latency_frames = RCORE_MAX_LATENCY;
    }
    rcore_plan_t *plan = plan_of(buses, 2);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    stage_close(&stage);
    for (uint32_t i = 0; i < 2; i++) {
        mixer_effect_close(&effects[i]);
    }
}

/// Delay lines that were added while a session was suspended, or that were still being filled when
/// it was, are empty. The gate opens once signal has passed through them.
static void resume_over(uint32_t crossfade_at) {
    enum { latency = 2400, paused_at = 3000, resumed_at = 12000 };
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *sine = sine_buffer(most, 197, 0.5f);
    struct mixer_effect effect;
    mixer_effect_open(&effect, 2, latency, 1.0f);
    rcore_bus_description_t buses[] = {{.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate},
                                       {.slot = 1, .channels = 2, .parent = 0},
                                       {.slot = 2, .channels = 2, .parent = 0}};
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(buses, 2), RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, sine, 1, RCORE_NOW);
    buses[2].insert = mixer_effect_insert(&effect);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(buses, 3), crossfade_at), RCORE_OK);
    stage_render(&stage, paused_at, 64);
    stage_grant(&stage, (sgate_grant_t){.paused = true, .ramp_ms = 10});
    stage_render(&stage, resumed_at - paused_at, 64);
    stage_grant(&stage, (sgate_grant_t){.ramp_ms = 10});
    stage_render(&stage, 20000, 64);
    // The largest step of a 197 Hz sine is 0.013; a ramp of 480 frames adds 0.001.
    EXPECT_EQUAL(find_click(stage.out[0], 100, stage.nframes, 0.02f), -1);
    // The sine is audible again.
    EXPECT(largest_step(stage.out[0], resumed_at + 2 * latency + 480, stage.nframes) > 0.01f);
    stage_close(&stage);
    mixer_effect_close(&effect);
    rcore_buffer_release(sine);
}

TEST(a_session_that_stood_still_in_a_crossfade_comes_back_softly) {
    resume_over(6000);  // the whole crossfade falls into the pause
    resume_over(2000);  // it starts before the pause
    resume_over(11000); // it ends after the pause
}

/// A bus that is audible only through the outgoing plan: a third plan that routes it elsewhere
/// waits until the crossfade has ended.
TEST(a_third_plan_does_not_step_on_what_fades) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(most, 0.5f);
    const rcore_bus_description_t first[] = {{.slot = 5, .channels = 2, .parent = RCORE_NONE},
                                             {.slot = 6, .channels = 2, .parent = RCORE_NONE},
                                             {.slot = 7, .channels = 2, .parent = 5}};
    rcore_bus_description_t second[] = {first[0], first[1], {.slot = 7, .channels = 2, .parent = 6}};
    rcore_bus_description_t third[] = {second[1], {.slot = 5, .channels = 2, .parent = 6}, second[2]};
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(first, 3), RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, buffer, 7, RCORE_NOW);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(second, 3), 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 6, 0.5f, 0, 500), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(third, 3), 1128), RCORE_OK);
    stage_render(&stage, 3000, 64);
    EXPECT_EQUAL(find_click(stage.out[0], 1000, stage.nframes, 0.5f / 240.0f * 1.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

static void write_nan(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    (void)context;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] = NAN;
        }
    }
}

/// NaNs in a muted session do not silence the other sessions.
TEST(nothing_leaves_a_gate_that_is_shut) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(most, 0.5f);
    const rcore_bus_description_t buses[] = {
        {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate, .insert = {write_nan, &stage, 0}},
        {.slot = 3, .channels = 2, .parent = RCORE_NONE}};
    stage_grant(&stage, (sgate_grant_t){.muted = true});
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan_of(buses, 2), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 64);
    stage_play_on(&stage, buffer, 3, RCORE_NOW);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1000, 2000, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A plan with more slots than any core has is refused, however it is built.
TEST(plans_have_bounds) {
    rcore_plan_t *plan = rcore_plan_create();
    for (uint32_t slot = 0; slot < 1024; slot++) {
        const rcore_bus_description_t bus = {.slot = slot, .channels = 1, .parent = RCORE_NONE};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
        const rcore_send_description_t send = {.slot = slot, .source = slot, .target = slot - 1};
        EXPECT_EQUAL(slot > 0 ? rcore_plan_add_send(plan, &send) : RCORE_OK, RCORE_OK);
    }
    const rcore_bus_description_t bus = {.slot = 1024, .channels = 1, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_BAD_ARGUMENT);
    rcore_send_description_t send = {.slot = 2000, .source = 1023, .target = 0};
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_OK); // number 1,024
    send.slot = 2001;
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
}

int main(void) {
    RUN(no_crossfade_bypasses_a_gate);
    RUN(a_limiter_does_not_change_its_output_in_one_step);
    RUN(a_bus_is_connected_to_a_route_once);
    RUN(live_buses_may_not_add_up_to_more_than_the_longest_latency);
    RUN(a_session_that_stood_still_in_a_crossfade_comes_back_softly);
    RUN(a_third_plan_does_not_step_on_what_fades);
    RUN(nothing_leaves_a_gate_that_is_shut);
    RUN(plans_have_bounds);
    return test_result();
}
