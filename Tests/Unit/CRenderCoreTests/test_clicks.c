// No click wherever a ramp was requested, and proof that the detector finds one where none was.
#include "expect.h"
#include "stage.h"

/// Returns the largest step of the source itself, plus 1 %.
static float step_of(double hertz, float level) {
    return 1.01f * level * (float)(6.283185307179586 * hertz / STAGE_RATE);
}

static rcore_voice_t play_sine(stage_t *stage, const rcore_buffer_t *sine) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = sine;
    params.fade_in_frames = 240;
    return stage_start(stage, &params, 7);
}

TEST(no_ramp_clicks) {
    rcore_buffer_t *sine = sine_buffer(480000, 441, 0.5f);
    const uint32_t periods[] = {1, 64, 1000, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 4; p++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = play_sine(&stage, sine);
        stage_render(&stage, 3000, periods[p]);
        const sgate_grant_t grants[] = {
            {.paused = true, .ramp_ms = 5},
            {.paused = false, .ramp_ms = 5}, // INT-1
            {.attenuation = 14 * 256, .ramp_ms = 50},
            {.attenuation = 35 * 256, .ramp_ms = 50}, // DUCK-3
            {.attenuation = 0, .ramp_ms = 500},
            {.muted = true, .ramp_ms = 20},
            {.ramp_ms = 20}, // VOL-2
        };
        for (unsigned i = 0; i < sizeof grants / sizeof grants[0]; i++) {
            stage_grant(&stage, grants[i]);
            stage_render(&stage, 5011, periods[p]);
        }
        EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.3f, 480, RCORE_NOW), RCORE_OK);
        EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.8f, 480, 40000), RCORE_OK);
        EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 240, 41000), RCORE_OK);
        EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 240, 42000), RCORE_OK);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 240, 50000), RCORE_OK);
        stage_render(&stage, 20000, periods[p]);
        EXPECT_EQUAL(find_click(stage.out[0], 0, stage.nframes, step_of(441, 0.5f)), -1);
        // The sine was audible.
        EXPECT(largest_step(stage.out[0], 0, stage.nframes) > 0.98f * step_of(441, 0.5f));
        stage_close(&stage);
    }
    rcore_buffer_release(sine);
}

/// Injected: a stop without a ramp at the sine's crest. The detector must name the frame.
TEST(a_injected_click_is_found) {
    rcore_buffer_t *sine = sine_buffer(48000, 441, 0.5f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = play_sine(&stage, sine);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, 7 + 10 * 48000 / 441 + 27), RCORE_OK);
    stage_render(&stage, 5000, 64);
    EXPECT_EQUAL(find_click(stage.out[0], 0, 5000, step_of(441, 0.5f)), 7 + 10 * 48000 / 441 + 27);

    // A single nonzero sample in silence.
    stage.out[0][4000] = 0.06f;
    EXPECT_EQUAL(find_click(stage.out[0], 3000, 5000, step_of(441, 0.5f)), 4000);
    stage.out[0][4000] = NAN;
    EXPECT_EQUAL(find_click(stage.out[0], 3000, 5000, step_of(441, 0.5f)), 4000);
    stage_close(&stage);
    rcore_buffer_release(sine);
}

int main(void) {
    RUN(no_ramp_clicks);
    RUN(a_injected_click_is_found);
    return test_result();
}
