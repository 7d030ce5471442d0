// Buses without voices and routes without connections: the cycle skips them, with no audible
// difference.
#include "expect.h"
#include "stage.h"

#include <math.h>
#include <string.h>

static rcore_plan_t *plan_of(uint32_t buses, uint32_t routes, rcore_fifo_t *capture_of_last) {
    rcore_plan_t *plan = rcore_plan_create();
    for (uint32_t slot = 0; slot < routes; slot++) {
        const rcore_route_description_t route = {
            .slot = slot, .channels = 1, .first_output = slot, .capture = slot == routes - 1 ? capture_of_last : NULL};
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    }
    for (uint32_t slot = 0; slot < buses; slot++) {
        const rcore_bus_description_t bus = {.slot = slot, .channels = 1, .parent = RCORE_NONE};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    }
    return plan;
}

/// Connections may be added in any order; each bus gets its own.
TEST(connections_in_any_order) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *quiet = constant_buffer(64, 0.25f), *loud = constant_buffer(64, 0.5f);
    rcore_plan_t *plan = plan_of(2, 2, NULL);
    const rcore_bus_description_t late = {.slot = 2, .channels = 1, .parent = RCORE_NONE};
    EXPECT_EQUAL(rcore_plan_connect(plan, 1, 1, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &late), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 2, 0, NULL), RCORE_OK);
    // Added after those of later buses.
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    // The crossfade is over.
    stage_render(&stage, 1024, 64);
    stage_play_on(&stage, quiet, 0, RCORE_NOW);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1024, 1088, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 1024, 1088, 0.0f), -1);
    stage_play_on(&stage, quiet, 1, RCORE_NOW);
    stage_play_on(&stage, loud, 2, RCORE_NOW);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1088, 1152, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 1088, 1152, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(quiet);
    rcore_buffer_release(loud);
}

/// Samples left in a bus when its last voice ended are not heard again, neither at once nor when
/// the bus is used again; nor those of its parent.
TEST(nothing_stays_behind) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(64, 0.5f);
    for (uint64_t turn = 0; turn < 3; turn++) {
        const uint64_t begun = stage.nframes;
        stage_play_on(&stage, buffer, 1, RCORE_NOW); // a child of bus 0
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(first_other(stage.out[0], begun, begun + 64, 0.5f), -1);
        stage_play_on(&stage, buffer, 2, RCORE_NOW);
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(first_other(stage.out[0], begun + 64, begun + 128, 0.5f), -1);
        stage_render(&stage, 128, 64);
        EXPECT_EQUAL(first_other(stage.out[0], begun + 128, begun + 256, 0.0f), -1);
        EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, 0u);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A stolen voice, or one that ends within a period, is subtracted from the voice count exactly
/// once.
TEST(voices_are_counted_out) {
    rcore_config_t sizes = stage_config();
    sizes.max_playing = 1;
    sizes.steal_frames = 32;
    stage_t stage = stage_open(&sizes);
    rcore_buffer_t *buffer = constant_buffer(100, 0.5f);
    for (uint32_t i = 0; i < 4; i++) {
        stage_play_on(&stage, buffer, 1 + i % 2, RCORE_NOW);
        stage_render(&stage, 64, 64);
    }
    stage_render(&stage, 128, 64);
    const uint64_t silent = stage.nframes;
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], silent, silent + 64, 0.0f), -1);
    stage_play_on(&stage, buffer, 1, RCORE_NOW);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(first_other(stage.out[0], silent + 64, silent + 164, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A capture of a route records its silence.
TEST(an_idle_route_is_captured) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *capture = rcore_fifo_create(1, 4096, NULL);
    rcore_plan_t *plan = plan_of(1, 2, capture);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1024, 64);
    EXPECT_EQUAL(rcore_fifo_readable(capture), 1024u);
    float samples[1024];
    EXPECT(rcore_fifo_read_interleaved(capture, samples, 1024));
    EXPECT_EQUAL(first_other(samples, 0, 1024, 0.0f), -1);
    stage_close(&stage);
    rcore_fifo_destroy(capture);
}

/// The first signal mixed into a route is added to silence: the same bits as after another signal.
TEST(the_first_is_added_to_silence) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *capture = rcore_fifo_create(1, 4096, NULL);
    rcore_buffer_t *silence = constant_buffer(4096, 0.0f);
    rcore_plan_t *plan = plan_of(1, 1, capture);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, -1.0f, 0, RCORE_NOW), RCORE_OK);
    stage_play_on(&stage, silence, 0, RCORE_NOW);
    stage_render(&stage, 1024, 64);
    float samples[1024];
    EXPECT(rcore_fifo_read_interleaved(capture, samples, 1024));
    for (uint32_t i = 0; i < 1024; i++) {
        EXPECT_EQUAL(signbit(samples[i]), 0); // 0 · -1 is -0
    }
    stage_close(&stage);
    rcore_buffer_release(silence);
    rcore_fifo_destroy(capture);
}

/// Meters of idle buses and routes also count their frames.
TEST(idle_buses_and_routes_are_metered) {
    stage_t stage = stage_open(NULL);
    const rcore_meter_description_t shape = {.channels = 1, .sample_rate = STAGE_RATE};
    rcore_meter_t *of_bus = rcore_meter_create(&shape, NULL), *of_route = rcore_meter_create(&shape, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 1, .channels = 1, .meter = of_route};
    const rcore_bus_description_t bus = {.slot = 0, .channels = 1, .parent = RCORE_NONE, .meter = of_bus};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1024, 64);
    EXPECT_EQUAL(rcore_meter_frames(of_bus), 1024u);
    EXPECT_EQUAL(rcore_meter_frames(of_route), 1024u);
    EXPECT_EQUAL(rcore_meter_read(of_bus, 0).greatest_peak, 0.0f);
    stage_close(&stage);
    rcore_meter_destroy(of_bus);
    rcore_meter_destroy(of_route);
}

/// A bus that is processed without a signal, here by its meter, still is after a crossfade of
/// plans.
TEST(an_idle_bus_is_metered_after_a_crossfade) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(8192, 0.5f);
    stage_play_on(&stage, buffer, 0, RCORE_NOW);
    stage_render(&stage, 2048, 64);
    const rcore_meter_description_t shape = {.channels = 2, .sample_rate = STAGE_RATE};
    rcore_meter_t *meter = rcore_meter_create(&shape, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    // Its voice is heard, so its pan law makes the plans crossfade.
    const rcore_bus_description_t heard = {
        .slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate, .pan_law = RCORE_PAN_LINEAR};
    const rcore_bus_description_t idle = {.slot = 5, .channels = 2, .parent = 0, .meter = meter};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &heard), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &idle), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 4096, 64);
    EXPECT_EQUAL(rcore_meter_frames(meter), 4096u);
    stage_close(&stage);
    rcore_meter_destroy(meter);
    rcore_buffer_release(buffer);
}

// Changes what is heard of bus 1: its gain, its pan, its mute, or the solo of another bus.
static rcore_status_t change(stage_t *stage, unsigned kind, uint32_t ramp_frames) {
    switch (kind) {
    case 0:
        return rcore_post_bus_gain(stage->queue, 1, 0.25f, ramp_frames, RCORE_NOW);
    case 1:
        return rcore_post_bus_pan(stage->queue, 1, 0.5f, ramp_frames, RCORE_NOW);
    case 2:
        return rcore_post_bus_mute(stage->queue, 1, true, ramp_frames, RCORE_NOW);
    default:
        return rcore_post_bus_solo(stage->queue, 2, true, ramp_frames, RCORE_NOW);
    }
}

// Plays on bus 1, 512 frames after the change.
static stage_t play_after_change(unsigned kind, uint32_t ramp_frames, const rcore_buffer_t *buffer) {
    stage_t stage = stage_open(NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    for (uint32_t slot = 0; slot < 3; slot++) {
        const rcore_bus_description_t bus = {.slot = slot,
                                             .channels = 2,
                                             .parent = slot == 0 ? RCORE_NONE : 0,
                                             .pan_law = slot == 0 ? RCORE_PAN_NONE : RCORE_PAN_LINEAR};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 2048, 64);
    EXPECT_EQUAL(change(&stage, kind, ramp_frames), RCORE_OK);
    stage_render(&stage, 512, 64);
    stage_play_on(&stage, buffer, 1, RCORE_NOW);
    stage_render(&stage, 256, 64);
    return stage;
}

/// The ramps of a bus also run while nothing plays on it: what plays afterwards is heard as after a
/// change without a ramp.
TEST(ramps_of_idle_buses_run) {
    rcore_buffer_t *buffer = constant_buffer(1024, 0.5f);
    for (unsigned kind = 0; kind < 4; kind++) {
        stage_t at_once = play_after_change(kind, 0, buffer), ramped = play_after_change(kind, 256, buffer);
        for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
            EXPECT(memcmp(at_once.out[channel], ramped.out[channel], sizeof(float) * at_once.nframes) == 0);
        }
        EXPECT(at_once.out[0][2560] != 0.5f);
        stage_close(&at_once);
        stage_close(&ramped);
    }
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(connections_in_any_order);
    RUN(nothing_stays_behind);
    RUN(voices_are_counted_out);
    RUN(an_idle_route_is_captured);
    RUN(the_first_is_added_to_silence);
    RUN(idle_buses_and_routes_are_metered);
    RUN(an_idle_bus_is_metered_after_a_crossfade);
    RUN(ramps_of_idle_buses_run);
    return test_result();
}
