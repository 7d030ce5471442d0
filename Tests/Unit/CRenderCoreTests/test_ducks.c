// Ducking: its level, its attack and release, and voices that start during a duck.
#include "expect.h"
#include "stage.h"

static const uint32_t periods[] = {1, 64, 128, 333, 1024, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0] };

#define DECIBELS(x) ((uint16_t)((x)*SGATE_ATTENUATION_PER_DECIBEL))
static const sgate_grant_t interrupted = {.paused = true, .ramp_ms = 5};

/// DUCK-3, DUCK-5: −14 dB after the attack, linear in decibels during it, exactly unity after the
/// release.
TEST(a_duck_is_linear_in_decibels_and_returns_exactly) {
    rcore_buffer_t *buffer = constant_buffer(100000, 0.5f);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, 0);
        stage_render(&stage, 1000, periods[p]);
        stage_grant(&stage, (sgate_grant_t){.attenuation = DECIBELS(14), .ramp_ms = 50});
        stage_render(&stage, 9000, periods[p]);
        const unsigned attack = 2400;
        for (unsigned i = 0; i < attack; i++) {
            EXPECT_NEAR(decibels(stage.out[0][1000 + i] / 0.5), -14.0 * (i + 1) / attack, 0.02);
        }
        for (unsigned i = 1000 + attack; i < 10000; i++) {
            EXPECT_NEAR(decibels(stage.out[0][i] / 0.5), -14.0, 0.001);
        }
        stage_grant(&stage, (sgate_grant_t){.attenuation = 0, .ramp_ms = 500});
        stage_render(&stage, 40000, periods[p]);
        const unsigned release = 24000;
        for (unsigned i = 0; i < release; i++) {
            EXPECT_NEAR(decibels(stage.out[0][10000 + i] / 0.5), -14.0 + 14.0 * (i + 1) / release, 0.02);
        }
        EXPECT_EQUAL(first_other(stage.out[0], 10000 + release, 50000, 0.5f), -1);
        EXPECT_NEAR(rcore_bus_gate_gain(stage.core, 0), 1, 0);
        stage_close(&stage);
    }
    rcore_buffer_release(buffer);
}

/// DUCK-3: a release during the attack continues from the current level.
TEST(a_duck_can_turn_round) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(30000, 0.5f);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 1000, 64);
    stage_grant(&stage, (sgate_grant_t){.attenuation = DECIBELS(14), .ramp_ms = 50});
    stage_render(&stage, 1200, 64);
    EXPECT_NEAR(decibels(stage.out[0][2199] / 0.5), -7, 0.02);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 0, .ramp_ms = 100});
    stage_render(&stage, 10000, 64);
    EXPECT_NEAR(decibels(stage.out[0][2200 + 2400] / 0.5), -3.5, 0.02);
    EXPECT_EQUAL(first_other(stage.out[0], 2200 + 4800, stage.nframes, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// DUCK-7: a signal that starts during a duck starts ducked: a new voice, the bus of a new plan, a
/// resumed session.
TEST(what_starts_during_a_duck_starts_ducked) {
    const float ducked = 0.5f * powf(10.0f, -14.0f / 20.0f);
    rcore_buffer_t *buffer = constant_buffer(20000, 0.5f);
    const sgate_grant_t duck = {.attenuation = DECIBELS(14), .ramp_ms = 50};

    stage_t stage = stage_open(NULL);
    stage_render(&stage, 100, 100);
    stage_grant(&stage, duck);
    stage_render(&stage, 4900, 100);
    stage_play(&stage, buffer, 5000);
    stage_render(&stage, 100, 100);
    EXPECT_NEAR(stage.out[0][5000], ducked, 1e-6);
    EXPECT_NEAR(stage.out[0][5099], ducked, 1e-6);

    // Interrupted, then resumed into the duck: no frame is louder than the duck.
    stage_grant(&stage, interrupted);
    stage_render(&stage, 1000, 100);
    sgate_grant_t resumed = duck;
    resumed.ramp_ms = 5;
    stage_grant(&stage, resumed);
    stage_render(&stage, 1000, 100);
    for (unsigned i = 6100; i < 7100; i++) {
        EXPECT(stage.out[0][i] <= ducked + 1e-6f);
    }
    EXPECT_NEAR(stage.out[0][7099], ducked, 1e-6);
    stage_close(&stage);

    // The duck is in effect before the first cycle.
    stage = stage_open(NULL);
    stage_grant(&stage, duck);
    stage_play(&stage, buffer, 0);
    stage_render(&stage, 1000, 100);
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT(stage.out[0][i] <= ducked + 1e-6f);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// DUCK-7: the duck is an independent factor: a volume set during the duck is the volume after it.
TEST(the_duck_is_stored_in_no_volume) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(50000, 1.0f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    stage_grant(&stage, (sgate_grant_t){.attenuation = DECIBELS(35)});
    stage_render(&stage, 1000, 128);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 128);
    EXPECT_NEAR(decibels(stage.out[0][1500] / 0.25), -35, 0.01);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 0});
    stage_render(&stage, 1000, 128);
    EXPECT_EQUAL(first_other(stage.out[0], 2000, 3000, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// DUCK-7: a session that resumes during a duck resumes ducked, even if the pause fell into the
// duck's own ramp.
TEST(a_pause_in_the_middle_of_a_duck_ends_its_ramp) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100000, 1.0f);
    stage_play(&stage, buffer, RCORE_NOW);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 14 * 256, .ramp_ms = 500});
    stage_render(&stage, 480, 64);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 14 * 256, .ramp_ms = 5, .paused = true});
    stage_render(&stage, 480, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 480 + 240, 960, 0.0f), -1);
    stage_grant(&stage, (sgate_grant_t){.attenuation = 14 * 256, .ramp_ms = 5});
    stage_render(&stage, 480, 64);
    EXPECT_NEAR(decibels(stage.out[0][1439]), -14.0, 0.01);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(a_duck_is_linear_in_decibels_and_returns_exactly);
    RUN(a_duck_can_turn_round);
    RUN(what_starts_during_a_duck_starts_ducked);
    RUN(the_duck_is_stored_in_no_volume);
    RUN(a_pause_in_the_middle_of_a_duck_ends_its_ramp);
    return test_result();
}
