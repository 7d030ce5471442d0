// The gate: interruptions, mutes and the system volume take effect exactly and at once. Ducks:
// test_ducks.c.
#include "expect.h"
#include "stage.h"

static const uint32_t periods[] = {1, 64, 128, 333, 1024, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0] };

static const sgate_grant_t pass = {.ramp_ms = 5};
static const sgate_grant_t interrupted = {.paused = true, .ramp_ms = 5};
enum { fade = 240 }; // 5 ms

/// INT-1, INT-8: silent when the fade is over. Playback then resumes at the very next frame,
/// including the fade.
TEST(an_interruption_costs_no_frame) {
    rcore_buffer_t *buffer = ramp_buffer(60000);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, buffer, 0);
        stage_render(&stage, 10000, periods[p]);
        stage_grant(&stage, interrupted);
        stage_render(&stage, 10000, periods[p]);
        for (unsigned i = 0; i < fade; i++) {
            EXPECT_NEAR(stage.out[0][10000 + i] / ramp_sample(10000 + i), 1.0 - (i + 1.0) / fade, 1.0 / fade);
        }
        EXPECT_EQUAL(first_other(stage.out[0], 10000 + fade, 20000, 0.0f), -1);
        EXPECT_EQUAL(first_other(stage.out[1], 10000 + fade, 20000, 0.0f), -1);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 10000 + fade);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PLAYING);
        EXPECT_NEAR(rcore_bus_gate_gain(stage.core, 0), 0, 0);

        stage_grant(&stage, pass);
        stage_render(&stage, 10000, periods[p]);
        const uint64_t next = 10000 + fade;
        for (unsigned i = 0; i < fade; i++) {
            EXPECT_NEAR(stage.out[0][20000 + i] / ramp_sample(next + i), (i + 1.0) / fade, 1.0 / fade);
        }
        uint64_t wrong = 0;
        for (unsigned i = fade; i < 10000; i++) {
            wrong += stage.out[0][20000 + i] != ramp_sample(next + i);
        }
        EXPECT_EQUAL(wrong, 0);
        stage_close(&stage);
    }
    rcore_buffer_release(buffer);
}

/// INT-8: resumed without a fade, playback continues bit-exactly with the frame after the last
/// rendered one.
TEST(resumption_is_exact_without_a_fade) {
    rcore_buffer_t *buffer = ramp_buffer(30000);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, 0);
        uint64_t next = 0;
        for (unsigned turn = 0; turn < 5; turn++) {
            const uint64_t from = stage.nframes;
            stage_grant(&stage, (sgate_grant_t){.paused = false});
            stage_render(&stage, 1500, periods[p]);
            for (unsigned i = 0; i < 1500; i++) {
                EXPECT_NEAR(stage.out[0][from + i], ramp_sample(next + i), 0);
            }
            stage_grant(&stage, interrupted);
            stage_render(&stage, 1500, periods[p]);
            next += 1500 + fade;
        }
        stage_close(&stage);
    }
    rcore_buffer_release(buffer);
}

/// INT-1: events report when a grant takes effect, with its serial.
TEST(grants_are_echoed) {
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 1000, 100);
    rcore_event_t event;
    while (rcore_next_event(stage.core, &event)) {
    }
    const uint32_t serial = stage_grant(&stage, interrupted);
    stage_render(&stage, 1000, 100);
    EXPECT(rcore_next_event(stage.core, &event));
    EXPECT_EQUAL(event.kind, RCORE_EVENT_GATE_APPLIED);
    EXPECT_EQUAL(event.bus, 0);
    EXPECT_EQUAL(event.value, serial);
    EXPECT_EQUAL(event.frame, 1000);
    EXPECT(rcore_next_event(stage.core, &event));
    EXPECT_EQUAL(event.kind, RCORE_EVENT_GATE_SETTLED);
    EXPECT_EQUAL(event.value, serial);
    EXPECT_EQUAL(event.frame, 1000 + fade);
    EXPECT(!rcore_next_event(stage.core, &event));
    stage_close(&stage);
}

/// If an interruption ends during its fade, the gain rises again from its current value.
TEST(a_fade_can_turn_round) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(10000, 0.5f);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 1000, 60);
    stage_grant(&stage, interrupted);
    stage_render(&stage, 120, 60);
    stage_grant(&stage, pass);
    stage_render(&stage, 1000, 60);
    EXPECT_EQUAL(find_click(stage.out[0], 1, stage.nframes, 0.51f / fade), -1);
    EXPECT_NEAR(stage.out[0][1119], 0.25, 0.01);
    EXPECT_EQUAL(first_other(stage.out[0], 1120 + fade, stage.nframes, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// VOL-2: while muted, the sources keep running; mute and unmute use a ramp.
TEST(a_mute_lets_the_sources_run) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(10000);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    stage_render(&stage, 1000, 64);
    stage_grant(&stage, (sgate_grant_t){.muted = true, .ramp_ms = 5});
    stage_render(&stage, 2000, 64);
    EXPECT(stage.out[0][1000] != 0.0f);
    EXPECT_EQUAL(first_other(stage.out[0], 1000 + fade, 3000, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 3000);
    stage_grant(&stage, (sgate_grant_t){.muted = false});
    stage_render(&stage, 100, 64);
    for (unsigned i = 3000; i < 3100; i++) {
        EXPECT_NEAR(stage.out[0][i], ramp_sample(i), 0);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(the_system_volume_ramps_and_is_exact) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(10000, 0.5f);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 100, 100);
    sgate_page_set_volume(stage.gate, (sgate_volume_t){.gain = 0.25f, .ramp_ms = 10});
    stage_render(&stage, 1000, 100);
    EXPECT_EQUAL(find_click(stage.out[0], 1, 1100, 0.5f * 0.76f / 480), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 100 + 480, 1100, 0.125f), -1);
    sgate_page_set_volume(stage.gate, (sgate_volume_t){.gain = 1.0f});
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 1200, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// With a page that grants nothing yet (ACT-1), playback is silent and no source advances.
TEST(before_a_grant_nothing_moves) {
    stage_t stage = stage_open(NULL);
    sgate_page_t *page = sgate_page_create();
    rcore_buffer_t *buffer = ramp_buffer(1000);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(page), RCORE_NOW), RCORE_OK);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 500, 50);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 500, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 0);
    stage_close(&stage);
    sgate_page_destroy(page);
    rcore_buffer_release(buffer);
}

/// A new gate applies its page even if that contains zeros only: volume 0.
TEST(a_page_of_zeros_is_applied) {
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 2048, 64);
    sgate_page_t *page = sgate_page_create();
    sgate_page_set_grant(page, (sgate_grant_t){.serial = 0});
    sgate_page_set_volume(page, (sgate_volume_t){.gain = 0.0f});
    rcore_plan_t *plan = stage_plan(stage.gate);
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE, .gate = page};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    rcore_buffer_t *buffer = constant_buffer(1024, 1.0f);
    stage_play_on(&stage, buffer, 5, RCORE_NOW);
    stage_render(&stage, 512, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 2048, 2560, 0.0f), -1);
    stage_close(&stage);
    sgate_page_destroy(page);
    rcore_buffer_release(buffer);
}

/// Two sessions on one route: one is interrupted, the other is bit-identical to before. Child buses
/// are suspended with their session.
TEST(a_session_is_interrupted_alone) {
    stage_t stage = stage_open(NULL);
    sgate_page_t *other = sgate_page_create();
    sgate_page_set_grant(other, (sgate_grant_t){.serial = 1});
    rcore_plan_t *plan = stage_plan(stage.gate);
    const rcore_bus_description_t bus = {.slot = 5, .channels = 2, .parent = RCORE_NONE, .gate = other};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 5, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    rcore_buffer_t *ramp = ramp_buffer(20000), *constant = constant_buffer(20000, 1.0f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = ramp;
    params.bus = 5;
    stage_start(&stage, &params, 0);
    params.buffer = constant;
    params.bus = 2;
    const rcore_voice_t child = stage_start(&stage, &params, 0);
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    stage_render(&stage, 5000, STAGE_CHANGING_PERIODS);
    for (unsigned i = 0; i < 5000; i++) {
        EXPECT_NEAR(stage.out[0][i], ramp_sample(i), 0);
    }
    EXPECT_EQUAL(rcore_voice_frames(stage.core, child), 0);
    stage_close(&stage);
    sgate_page_destroy(other);
    rcore_buffer_release(ramp);
    rcore_buffer_release(constant);
}

/// INT-8: timed commands due during an interruption take effect at resumption and are counted as
/// late.
TEST(commands_in_an_interruption_wait_for_its_end) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(10000);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, 1500), RCORE_OK);
    stage_render(&stage, 1000, 100);
    stage_grant(&stage, interrupted);
    stage_render(&stage, 1000, 100);
    const rcore_voice_t later = stage_play(&stage, buffer, 2500); // also during the interruption
    stage_render(&stage, 1000, 100);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, later), 0);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 2);
    stage_grant(&stage, (sgate_grant_t){.paused = false});
    stage_render(&stage, 500, 100);
    for (unsigned i = 0; i < 500; i++) {
        EXPECT_NEAR(stage.out[0][3000 + i], 0.5f * ramp_sample(1000 + fade + i) + ramp_sample(i), 0);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Ramp lengths follow the sample rate of the server, which may change.
TEST(ramps_follow_the_sample_rate) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(10000, 0.5f);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_set_sample_rate(stage.core, 96000), RCORE_OK);
    stage_grant(&stage, interrupted);
    stage_render(&stage, 1000, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 100 + 480, 1100, 0.0f), -1);
    EXPECT(stage.out[0][100 + 470] > 0.0f);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// INT-1: silent within the fade, even if a slower ramp to silence was running.
TEST(a_faster_grant_overtakes_a_slower_one) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100000, 1.0f);
    stage_play(&stage, buffer, RCORE_NOW);
    stage_grant(&stage, (sgate_grant_t){.muted = true, .ramp_ms = 500});
    stage_render(&stage, 480, 64);
    stage_grant(&stage, (sgate_grant_t){.paused = true, .ramp_ms = 5});
    stage_render(&stage, 480, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 480 + 240, 960, 0.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(an_interruption_costs_no_frame);
    RUN(resumption_is_exact_without_a_fade);
    RUN(grants_are_echoed);
    RUN(a_fade_can_turn_round);
    RUN(a_mute_lets_the_sources_run);
    RUN(the_system_volume_ramps_and_is_exact);
    RUN(before_a_grant_nothing_moves);
    RUN(a_page_of_zeros_is_applied);
    RUN(a_session_is_interrupted_alone);
    RUN(commands_in_an_interruption_wait_for_its_end);
    RUN(ramps_follow_the_sample_rate);
    RUN(a_faster_grant_overtakes_a_slower_one);
    return test_result();
}
