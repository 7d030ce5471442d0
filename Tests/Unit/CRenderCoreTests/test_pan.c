// Pan: the laws to 1e-6, their ramps, balance, and the same bits whatever the periods.
#include "expect.h"
#include "stage.h"

#include <string.h>

static rcore_buffer_t *mono_buffer(uint64_t nframes, float level) {
    float *samples = malloc(sizeof(float) * nframes);
    for (uint64_t i = 0; i < nframes; i++) {
        samples[i] = level;
    }
    const float *planes[] = {samples};
    rcore_buffer_t *buffer = rcore_buffer_create(1, nframes, planes, NULL);
    free(samples);
    return buffer;
}

static rcore_voice_t pan_start(stage_t *stage, const rcore_buffer_t *buffer, rcore_pan_law_t law, float pan) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.pan_law = law;
    params.pan = pan;
    return stage_start(stage, &params, RCORE_NOW);
}

TEST(the_laws) {
    rcore_buffer_t *buffer = mono_buffer(64, 1.0f);
    for (int step = -20; step <= 20; step++) {
        const float pan = (float)step / 20.0f;
        const double angle = 0.78539816339744831 * (1.0 + (double)pan);
        stage_t power = stage_open(NULL), linear = stage_open(NULL);
        pan_start(&power, buffer, RCORE_PAN_EQUAL_POWER, pan);
        pan_start(&linear, buffer, RCORE_PAN_LINEAR, pan);
        stage_render(&power, 64, 64);
        stage_render(&linear, 64, 64);
        EXPECT_NEAR(power.out[0][63], cos(angle), 1e-6);
        EXPECT_NEAR(power.out[1][63], sin(angle), 1e-6);
        EXPECT_NEAR(linear.out[0][63], 0.5 * (1.0 - (double)pan), 1e-6);
        EXPECT_NEAR(linear.out[1][63], 0.5 * (1.0 + (double)pan), 1e-6);
        // Hard left or right: the full signal on one side, silence on the other.
        if (step == -20 || step == 20) {
            EXPECT(power.out[step > 0 ? 1 : 0][0] == 1.0f && power.out[step > 0 ? 0 : 1][0] == 0.0f);
        }
        stage_close(&power);
        stage_close(&linear);
    }
    rcore_buffer_release(buffer);
}

/// Stereo is balanced: at the center it is bit-identical; otherwise one side is attenuated and the
/// other is not.
TEST(stereo_is_balanced) {
    rcore_buffer_t *ramp = ramp_buffer(1000);
    const rcore_pan_law_t laws[] = {RCORE_PAN_EQUAL_POWER, RCORE_PAN_LINEAR};
    for (unsigned law = 0; law < 2; law++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = pan_start(&stage, ramp, laws[law], 0.0f);
        stage_render(&stage, 100, 64);
        for (unsigned i = 0; i < 100; i++) {
            EXPECT(stage.out[0][i] == ramp_sample(i) && stage.out[1][i] == -ramp_sample(i));
        }
        EXPECT_EQUAL(rcore_post_pan(stage.queue, voice, 1.0f, 0, RCORE_NOW), RCORE_OK);
        stage_render(&stage, 100, 64);
        EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.0f), -1);
        EXPECT(stage.out[1][150] == -ramp_sample(150));
        stage_close(&stage);
    }
    rcore_buffer_release(ramp);
}

/// During a long ramp the pan follows the law: the power is constant throughout.
TEST(a_moving_pan_keeps_its_power) {
    rcore_buffer_t *buffer = mono_buffer(20000, 0.5f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = pan_start(&stage, buffer, RCORE_PAN_EQUAL_POWER, -1.0f);
    EXPECT_EQUAL(rcore_post_pan(stage.queue, voice, 1.0f, 9600, 100), RCORE_OK);
    stage_render(&stage, 12000, 64);
    for (unsigned i = 100; i < 9700; i++) {
        const double place = 1.5707963267948966 * (i - 99) / 9600.0;
        // Between two points of the polyline.
        EXPECT_NEAR(stage.out[0][i], 0.5 * cos(place), 1e-4);
        EXPECT_NEAR(stage.out[1][i], 0.5 * sin(place), 1e-4);
    }
    EXPECT_EQUAL(first_other(stage.out[1], 9699, 12000, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 9699, 12000, 0.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

static void play_moves(stage_t *stage, const rcore_buffer_t *mono, const rcore_buffer_t *stereo, uint32_t period) {
    const rcore_voice_t voice = pan_start(stage, mono, RCORE_PAN_EQUAL_POWER, 0.3f);
    const rcore_voice_t pair = pan_start(stage, stereo, RCORE_PAN_LINEAR, 0.0f);
    rcore_post_pan(stage->queue, voice, -0.8f, 777, 50);
    rcore_post_pan(stage->queue, voice, 0.9f, 1000, 333); // during the previous ramp
    rcore_post_gain(stage->queue, voice, 0.25f, 500, 200);
    rcore_post_gain(stage->queue, voice, 0.5f, 100, 900); // gain, pan and fade at once
    rcore_post_pause(stage->queue, voice, 300, 950);
    rcore_post_resume(stage->queue, voice, 300, 1100);
    rcore_post_pan(stage->queue, pair, 1.0f, 2000, 10);
    stage_render(stage, 3000, period);
}

TEST(the_same_wherever_periods_end) {
    rcore_buffer_t *mono = mono_buffer(5000, 0.25f), *stereo = sine_buffer(5000, 330, 0.25f);
    stage_t whole = stage_open(NULL), cut = stage_open(NULL), single = stage_open(NULL);
    play_moves(&whole, mono, stereo, 3000);
    play_moves(&cut, mono, stereo, STAGE_CHANGING_PERIODS);
    play_moves(&single, mono, stereo, 1);
    // Products of two ramps may differ in the last bit if one of them is applied to a longer
    // segment.
    for (unsigned channel = 0; channel < 2; channel++) {
        float largest = 0.0f;
        for (unsigned i = 0; i < 3000; i++) {
            largest = fmaxf(largest, fabsf(whole.out[channel][i] - cut.out[channel][i]));
            largest = fmaxf(largest, fabsf(whole.out[channel][i] - single.out[channel][i]));
        }
        EXPECT_NEAR(largest, 0, 1e-7);
        EXPECT(largest_step(whole.out[channel], 1, 3000) < 0.02f);
    }
    stage_close(&whole);
    stage_close(&cut);
    stage_close(&single);
    rcore_buffer_release(mono);
    rcore_buffer_release(stereo);
}

/// With a matrix, the law balances the matrix's first two outputs.
TEST(a_map_and_a_pan) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = mono_buffer(1000, 1.0f);
    const float gains[] = {0.5f, 0.25f};
    rcore_matrix_t *map = rcore_matrix_create(1, 2, gains, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.matrix = map;
    params.pan_law = RCORE_PAN_LINEAR;
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    rcore_post_pan(stage.queue, voice, 0.5f, 0, 100);
    rcore_post_pan(stage.queue, voice, -1.0f, 150, 200);
    stage_render(&stage, 500, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 100, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 0, 200, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 349, 500, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[1], 349, 500, 0.0f), -1);
    stage_close(&stage);
    rcore_matrix_destroy(map);
    rcore_buffer_release(buffer);
}

TEST(bad_pans_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = mono_buffer(1000, 1.0f);
    const float bad[] = {1.01f, -1.01f, NAN, INFINITY};
    const rcore_voice_t voice = pan_start(&stage, buffer, RCORE_PAN_LINEAR, 0.0f);
    const rcore_voice_t plain = stage_play(&stage, buffer, RCORE_NOW);
    const rcore_voice_t other = rcore_voice_acquire(stage.core);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQUAL(rcore_post_pan(stage.queue, voice, bad[i], 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        params.pan = bad[i];
        EXPECT_EQUAL(rcore_post_start(stage.queue, other, &params, RCORE_NOW), RCORE_BAD_ARGUMENT);
    }
    params.pan = 0.0f;
    params.pan_law = (rcore_pan_law_t)3;
    EXPECT_EQUAL(rcore_post_start(stage.queue, other, &params, RCORE_NOW), RCORE_BAD_ARGUMENT);
    params.pan_law = RCORE_PAN_NONE;
    params.priority = RCORE_MAX_PRIORITY + 1;
    EXPECT_EQUAL(rcore_post_start(stage.queue, other, &params, RCORE_NOW), RCORE_BAD_ARGUMENT);
    // The voice has no pan law.
    EXPECT_EQUAL(rcore_post_pan(stage.queue, plain, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_voice_release(stage.core, other), RCORE_OK);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(the_laws);
    RUN(stereo_is_balanced);
    RUN(a_moving_pan_keeps_its_power);
    RUN(the_same_wherever_periods_end);
    RUN(a_map_and_a_pan);
    RUN(bad_pans_are_refused);
    return test_result();
}
