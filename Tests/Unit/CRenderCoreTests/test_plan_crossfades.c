// A new plan during playback: the parts that it keeps stay bit-identical.
#include "expect.h"
#include "stage.h"

#include <string.h>

static void play_scene(stage_t *stage, const rcore_buffer_t *sine, bool swapping) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = sine;
    params.bus = 2;
    params.fade_in_frames = 3000;
    stage_start(stage, &params, 5);
    rcore_post_bus_gain(stage->queue, 2, 0.25f, 20000, 100);
    rcore_post_bus_gain(stage->queue, 0, 0.5f, 0, 50);
    stage_grant(stage, (sgate_grant_t){.attenuation = 14 * 256, .ramp_ms = 300});
    for (unsigned turn = 0; turn < 100; turn++) {
        if (swapping) {
            rcore_plan_t *plan = stage_plan(stage->gate);
            if (turn % 2) { // another bus and route alternately join and leave
                const rcore_bus_description_t bus = {.slot = 6, .channels = 1, .parent = 0};
                const rcore_route_description_t route = {.slot = 3, .channels = 4, .first_output = 9};
                EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
                EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
            }
            EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, turn % 3 ? RCORE_NOW : stage->nframes + 77), RCORE_OK);
        }
        stage_render(stage, 300, 64);
        if (swapping) {
            EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        }
    }
}

TEST(a_crossfade_changes_not_one_bit) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    stage_t still = stage_open(NULL), crossfaded = stage_open(NULL);
    play_scene(&still, sine, false);
    play_scene(&crossfaded, sine, true);
    // The times of plans split blocks, which may change the last bit of a ramp; everything else
    // must be equal.
    float largest = 0;
    for (unsigned i = 0; i < 30000; i++) {
        largest = fmaxf(largest, fabsf(still.out[0][i] - crossfaded.out[0][i]));
    }
    EXPECT_NEAR(largest, 0, 1e-7);
    EXPECT(first_other(still.out[0], 5, 30000, 0.0f) >= 0);
    stage_close(&still);
    stage_close(&crossfaded);
    rcore_buffer_release(sine);
}

/// With constant gains there is no ramp to differ in the last bit: the output is identical.
TEST(flat_gains_are_identical_over_a_crossfade) {
    rcore_buffer_t *ramp = ramp_buffer(30000);
    stage_t stage = stage_open(NULL);
    stage_play(&stage, ramp, 0);
    for (unsigned turn = 0; turn < 50; turn++) {
        const uint64_t when = turn % 2 ? RCORE_NOW : stage.nframes + 13;
        EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), when), RCORE_OK);
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
    config.crossfade_frames = 0;
    return stage_open(&config);
}

/// A timed plan takes effect at its exact frame.
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
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, 1234), RCORE_OK);
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

/// The core reports how many older plans it still holds. Plans that were never applied are freed
/// too.
TEST(plans_come_back) {
    stage_t stage = stage_open(NULL);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1); // posted, not applied
    for (unsigned i = 0; i < 5; i++) {
        EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
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
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(NULL), 100000), RCORE_OK);
    stage_close(&stage); // frees the plan that was never applied
}

/// A bus that a plan removes and a later plan restores is initialised again, with default gain and
/// gate.
TEST(a_slot_that_left_is_forgotten) {
    stage_t stage = open_without_fades();
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    const rcore_voice_t voice = stage_play_on(&stage, buffer, 1, 0);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 1, 0.5f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    rcore_plan_t *plan = rcore_plan_create(); // without any bus
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 100, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 200, 300, 0.5f), -1);
    // The voice continued.
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 300);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// ---- Crossfades ---------------------------------------------------------------------------------

// `crossfade_frames`, as configured.
enum { fade = 240 };

/// Returns a plan with bus 0 connected to route 0 with `matrix`.
static rcore_plan_t *mapped_plan(const stage_t *stage, const rcore_matrix_t *matrix) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage->gate};
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, matrix), RCORE_OK);
    return plan;
}

/// A changed matrix crossfades from the old to the new one, from its frame on, whatever the period.
TEST(a_changed_map_fades) {
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    const float gains[] = {0, 1, -0.5f, 0};
    rcore_matrix_t *crossed = rcore_matrix_create(2, 2, gains, NULL);
    const uint32_t periods[] = {1, 64, 3000, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 4; p++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, 0);
        EXPECT_EQUAL(rcore_post_plan(stage.queue, mapped_plan(&stage, crossed), 1000), RCORE_OK);
        stage_render(&stage, 3000, periods[p]);
        // Equal with either matrix.
        EXPECT_EQUAL(first_other(stage.out[0], 0, 3000, 0.5f), -1);
        EXPECT_EQUAL(first_other(stage.out[1], 0, 1000, 0.5f), -1);
        for (unsigned i = 0; i < fade; i++) {
            EXPECT_NEAR(stage.out[1][1000 + i], 0.5 - 0.75 * (i + 1) / fade, 1e-6);
        }
        EXPECT_EQUAL(first_other(stage.out[1], 1000 + fade, 3000, -0.25f), -1);
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
        stage_close(&stage);
    }
    rcore_matrix_destroy(crossed);
    rcore_buffer_release(buffer);
}

/// A bus that a plan only adds is audible at once, even during a crossfade: its first note keeps
/// its attack.
TEST(what_joins_begins_at_once) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, mapped_plan(&stage, half), 500), RCORE_OK);
    rcore_plan_t *more = mapped_plan(&stage, half);
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_add_bus(more, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(more, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, more, 600), RCORE_OK);
    stage_play_on(&stage, buffer, 5, 600);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 500, 0.25f), -1);
    for (unsigned i = 0; i < fade; i++) {
        const double kept = 0.25 - 0.125 * (i + 1) / fade;
        EXPECT_NEAR(stage.out[0][500 + i], kept + (i >= 100 ? 0.25 : 0.0), 1e-6);
    }
    EXPECT_EQUAL(first_other(stage.out[0], 500 + fade, 2000, 0.375f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A bus that joins during a crossfade and is removed before its end loses its state: when a plan
/// restores it, it is initialised again.
TEST(what_joins_and_goes_is_forgotten) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    rcore_plan_t *plans[4];
    // A crossfade starts at 500; bus 5 exists from 550 to 600, and from 1000 on.
    for (unsigned i = 0; i < 4; i++) {
        plans[i] = mapped_plan(&stage, half);
        if (i % 2 == 1) {
            const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
            EXPECT_EQUAL(rcore_plan_add_bus(plans[i], &bus), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_connect(plans[i], 5, 0, NULL), RCORE_OK);
        }
        const uint64_t times[] = {500, 550, 600, 1000};
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plans[i], times[i]), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 5, 0.125f, 0, 560), RCORE_OK);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 5;
    // Silent until its bus exists, then it fades in.
    stage_start(&stage, &params, 700);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 500 + fade, 1000, 0.125f), -1);
    for (unsigned i = 0; i < fade; i++) {
        EXPECT_NEAR(stage.out[0][1000 + i], 0.125 + 0.25 * (i + 1) / fade, 1e-6);
    }
    EXPECT_EQUAL(first_other(stage.out[0], 1000 + fade, 2000, 0.375f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A gain that is posted while the bus's plan waits applies once the bus exists.
TEST(what_is_expected_can_be_notified) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, mapped_plan(&stage, half), 100), RCORE_OK);
    // Changes the output, so it waits.
    rcore_plan_t *more = mapped_plan(&stage, NULL);
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_add_bus(more, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(more, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, more, 150), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 5, 0.5f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 10, 1000), RCORE_OK);
    stage_play_on(&stage, buffer, 5, 1100);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, 0.125f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A plan that arrives during a crossfade and changes the output waits for its end. Of several
/// waiting plans, the newest one is applied.
TEST(the_newest_waits) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    stage_play(&stage, buffer, 0);
    rcore_matrix_t *maps[3];
    for (unsigned i = 0; i < 3; i++) {
        const float level = 0.25f * (float)(i + 1);
        const float gains[] = {level, 0, 0, level};
        maps[i] = rcore_matrix_create(2, 2, gains, NULL);
        EXPECT_EQUAL(rcore_post_plan(stage.queue, mapped_plan(&stage, maps[i]), 100 + 50 * i), RCORE_OK);
    }
    stage_render(&stage, 200, 64);
    // The core may still read all of them.
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 4);
    stage_render(&stage, 1800, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
    // The first crossfade is complete.
    EXPECT_NEAR(stage.out[0][100 + fade - 1], 0.125, 1e-6);
    EXPECT_NEAR(stage.out[0][100 + fade], 0.125 + 0.25 / fade, 1e-6);
    EXPECT_EQUAL(first_other(stage.out[0], 100 + 2 * fade - 1, 2000, 0.375f), -1);
    EXPECT_EQUAL(find_click(stage.out[0], 1, 2000, 0.5f / fade + 1e-6f), -1);
    stage_close(&stage);
    for (unsigned i = 0; i < 3; i++) {
        rcore_matrix_destroy(maps[i]);
    }
    rcore_buffer_release(buffer);
}

/// A removed bus, a changed parent, a route that moves to other outputs: no click and no gap.
TEST(any_change_is_smooth) {
    enum { turns = 40 };
    rcore_buffer_t *sine = sine_buffer(48000, 110, 0.2f);
    const float smooth = 3 * 0.2f * (2.0f * 3.1416f * 110 / 48000 + 1.0f / fade);
    stage_t stage = stage_open(NULL);
    for (uint32_t bus = 0; bus < 3; bus++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = sine;
        params.bus = bus;
        params.loop_count = UINT64_MAX;
        stage_start(&stage, &params, 0);
    }
    for (unsigned turn = 0; turn < turns; turn++) {
        rcore_plan_t *plan = rcore_plan_create();
        const uint32_t parents[] = {RCORE_NONE, turn % 3 == 0 ? RCORE_NONE : 0u, turn % 5 < 2 ? 0u : 1u};
        for (uint32_t bus = 0; bus < 3; bus++) {
            if (bus == 2 && turn % 4 == 1) {
                continue; // removed
            }
            const rcore_bus_description_t description = {
                .slot = bus, .channels = 1 + (turn + bus) % 2, .parent = parents[bus]};
            EXPECT_EQUAL(rcore_plan_add_bus(plan, &description), RCORE_OK);
        }
        const rcore_route_description_t route = {.slot = 0, .channels = 2 - turn / 7 % 2, .first_output = turn / 3 % 2};
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, turn % 2 ? RCORE_NOW : stage.nframes + 33), RCORE_OK);
        stage_render(&stage, 700, 64);
        rcore_collect_plans(stage.core);
    }
    for (unsigned channel = 0; channel < 2; channel++) {
        EXPECT_EQUAL(find_click(stage.out[channel], 1, stage.nframes, smooth), -1);
        EXPECT(largest_step(stage.out[channel], 1, stage.nframes) > 0.002f);
    }
    stage_close(&stage);
    rcore_buffer_release(sine);
}

/// The channel matrix of a child bus works like that of a route.
TEST(children_have_maps_too) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ramp = ramp_buffer(1000);
    const float cross[] = {0, 1, 0.5f, 0};
    rcore_matrix_t *crossed = rcore_matrix_create(2, 2, cross, NULL);
    rcore_matrix_t *narrow = rcore_matrix_create(1, 2, cross, NULL);
    rcore_plan_t *plan = mapped_plan(&stage, NULL);
    rcore_bus_description_t child = {.slot = 1, .channels = 2, .parent = 0, .matrix = narrow};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_BAD_ARGUMENT);
    child.matrix = crossed;
    child.parent = RCORE_NONE;
    // A matrix without a destination.
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_BAD_ARGUMENT);
    child.parent = 0;
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, ramp, 1, RCORE_NOW);
    stage_render(&stage, 500, 64);
    for (unsigned i = 0; i < 500; i++) {
        EXPECT(stage.out[0][i] == -ramp_sample(i) && stage.out[1][i] == 0.5f * ramp_sample(i));
    }
    stage_close(&stage);
    rcore_matrix_destroy(crossed);
    rcore_matrix_destroy(narrow);
    rcore_buffer_release(ramp);
}

int main(void) {
    RUN(a_crossfade_changes_not_one_bit);
    RUN(flat_gains_are_identical_over_a_crossfade);
    RUN(a_timed_plan_is_exact);
    RUN(plans_come_back);
    RUN(a_slot_that_left_is_forgotten);
    RUN(a_changed_map_fades);
    RUN(what_joins_begins_at_once);
    RUN(what_joins_and_goes_is_forgotten);
    RUN(what_is_expected_can_be_notified);
    RUN(the_newest_waits);
    RUN(any_change_is_smooth);
    RUN(children_have_maps_too);
    return test_result();
}
