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

// ---- Cross-fades --------------------------------------------------------------------------------------------------------------------

enum { fade = 240 }; // swap_frames, as configured

/// Bus 0 on route 0 by `matrix`.
static rcore_plan_t *mapped_plan(const stage_t *stage, const rcore_matrix_t *matrix) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage->gate};
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, matrix), RCORE_OK);
    return plan;
}

/// A map that changes while sound plays fades from the old to the new, from its frame on, whatever the period.
TEST(a_changed_map_fades) {
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    const float gains[] = {0, 1, -0.5f, 0};
    rcore_matrix_t *crossed = rcore_matrix_create(2, 2, gains, NULL);
    const uint32_t periods[] = {1, 64, 3000, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 4; p++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, 0);
        EXPECT_EQUAL(rcore_post_plan(stage.port, mapped_plan(&stage, crossed), 1000), RCORE_OK);
        stage_render(&stage, 3000, periods[p]);
        EXPECT_EQUAL(first_other(stage.out[0], 0, 3000, 0.5f), -1); // the same by either
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

/// What only joins is heard at once, also in the midst of a fade: a first note keeps its attack.
TEST(what_joins_begins_at_once) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.port, mapped_plan(&stage, half), 500), RCORE_OK);
    rcore_plan_t *more = mapped_plan(&stage, half);
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_add_bus(more, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(more, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, more, 600), RCORE_OK);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 5;
    stage_start(&stage, &params, 600);
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

/// A bus that joins in the midst of a fade and goes before its end is forgotten: when it comes back, it begins afresh.
TEST(what_joins_and_goes_is_forgotten) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    rcore_plan_t *plans[4];
    for (unsigned i = 0; i < 4; i++) { // a fade begins at 500; bus 5 is there from 550 to 600, and from 1000 on
        plans[i] = mapped_plan(&stage, half);
        if (i % 2 == 1) {
            const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
            EXPECT_EQUAL(rcore_plan_add_bus(plans[i], &bus), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_connect(plans[i], 5, 0, NULL), RCORE_OK);
        }
        const uint64_t times[] = {500, 550, 600, 1000};
        EXPECT_EQUAL(rcore_post_plan(stage.port, plans[i], times[i]), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_post_bus_gain(stage.port, 5, 0.125f, 0, 560), RCORE_OK);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 5;
    stage_start(&stage, &params, 700); // unheard until its bus comes, and then it fades in
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

/// A gain that is told while its bus's plan waits holds once the bus is there.
TEST(what_is_expected_can_be_told) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.25f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.port, mapped_plan(&stage, half), 100), RCORE_OK);
    rcore_plan_t *more = mapped_plan(&stage, NULL); // changes what is heard, so it waits
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_add_bus(more, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(more, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, more, 150), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.port, 5, 0.5f, 0, 160), RCORE_OK);
    EXPECT_EQUAL(rcore_post_stop(stage.port, voice, 10, 1000), RCORE_OK);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 5;
    stage_start(&stage, &params, 1100);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, 0.125f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A plan that comes in the midst of a fade and changes what is heard waits for its end; of several, the newest.
TEST(the_newest_waits) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 0.5f);
    stage_play(&stage, buffer, 0);
    rcore_matrix_t *maps[3];
    for (unsigned i = 0; i < 3; i++) {
        const float level = 0.25f * (float)(i + 1);
        const float gains[] = {level, 0, 0, level};
        maps[i] = rcore_matrix_create(2, 2, gains, NULL);
        EXPECT_EQUAL(rcore_post_plan(stage.port, mapped_plan(&stage, maps[i]), 100 + 50 * i), RCORE_OK);
    }
    stage_render(&stage, 200, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 4); // all may still be looked at
    stage_render(&stage, 1800, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
    EXPECT_NEAR(stage.out[0][100 + fade - 1], 0.125, 1e-6); // the first one whole
    EXPECT_NEAR(stage.out[0][100 + fade], 0.125 + 0.25 / fade, 1e-6);
    EXPECT_EQUAL(first_other(stage.out[0], 100 + 2 * fade - 1, 2000, 0.375f), -1);
    EXPECT_EQUAL(find_click(stage.out[0], 1, 2000, 0.5f / fade + 1e-6f), -1);
    stage_close(&stage);
    for (unsigned i = 0; i < 3; i++) {
        rcore_matrix_destroy(maps[i]);
    }
    rcore_buffer_release(buffer);
}

/// A bus that goes, a parent that changes, a route that moves to other outputs: no click anywhere, and no gap.
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
                continue; // gone
            }
            const rcore_bus_description_t description = {
                .slot = bus, .channels = 1 + (turn + bus) % 2, .parent = parents[bus]};
            EXPECT_EQUAL(rcore_plan_add_bus(plan, &description), RCORE_OK);
        }
        const rcore_route_description_t route = {.slot = 0, .channels = 2 - turn / 7 % 2, .first_output = turn / 3 % 2};
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
        EXPECT_EQUAL(rcore_post_plan(stage.port, plan, turn % 2 ? RCORE_NOW : stage.nframes + 33), RCORE_OK);
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

/// A child's channel map, as a route's.
TEST(children_have_maps_too) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ramp = ramp_buffer(1000);
    const float swap[] = {0, 1, 0.5f, 0};
    rcore_matrix_t *swapped = rcore_matrix_create(2, 2, swap, NULL);
    rcore_matrix_t *narrow = rcore_matrix_create(1, 2, swap, NULL);
    rcore_plan_t *plan = mapped_plan(&stage, NULL);
    rcore_bus_description_t child = {.slot = 1, .channels = 2, .parent = 0, .matrix = narrow};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_BAD_ARGUMENT);
    child.matrix = swapped;
    child.parent = RCORE_NONE;
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_BAD_ARGUMENT); // a map to nowhere
    child.parent = 0;
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &child), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.port, plan, RCORE_NOW), RCORE_OK);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = ramp;
    params.bus = 1;
    stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 500, 64);
    for (unsigned i = 0; i < 500; i++) {
        EXPECT(stage.out[0][i] == -ramp_sample(i) && stage.out[1][i] == 0.5f * ramp_sample(i));
    }
    stage_close(&stage);
    rcore_matrix_destroy(swapped);
    rcore_matrix_destroy(narrow);
    rcore_buffer_release(ramp);
}

int main(void) {
    RUN(a_swap_changes_not_one_bit);
    RUN(flat_gains_are_identical_over_a_swap);
    RUN(a_timed_plan_is_exact);
    RUN(plans_come_back);
    RUN(a_slot_that_left_is_forgotten);
    RUN(a_changed_map_fades);
    RUN(what_joins_begins_at_once);
    RUN(what_joins_and_goes_is_forgotten);
    RUN(what_is_expected_can_be_told);
    RUN(the_newest_waits);
    RUN(any_change_is_smooth);
    RUN(children_have_maps_too);
    return test_result();
}
