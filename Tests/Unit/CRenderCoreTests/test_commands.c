// Timed commands take effect at exactly their frame, whatever the periods are.
#include "expect.h"
#include "stage.h"

#include <string.h>

static const uint32_t periods[] = {1, 7, 64, 256, 1000, 8192, STAGE_CHANGING_PERIODS};
enum { nperiods = sizeof periods / sizeof periods[0] };

TEST(a_start_is_exact_to_the_frame) {
    const uint64_t starts[] = {0, 1, 63, 64, 65, 255, 256, 257, 4095, 8191, 8192, 9001};
    rcore_buffer_t *impulse = impulse_buffer(2);
    for (unsigned p = 0; p < nperiods; p++) {
        for (unsigned s = 0; s < sizeof starts / sizeof starts[0]; s++) {
            stage_t stage = stage_open(NULL);
            stage_play(&stage, impulse, starts[s]);
            stage_render(&stage, 10000, periods[p]);
            EXPECT_EQUAL(first_other(stage.out[0], 0, 10000, 0.0f), starts[s]);
            EXPECT_NEAR(stage.out[0][starts[s]], 1, 0);
            EXPECT_EQUAL(first_other(stage.out[0], starts[s] + 1, 10000, 0.0f), -1);
            EXPECT_EQUAL(first_other(stage.out[1], 0, 10000, 0.0f), -1);
            EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
            stage_close(&stage);
        }
    }
    rcore_buffer_release(impulse);
}

/// One voice: start, gain, pause, resume, bus gain and stop, each at its frame and bit-exact around
/// it.
TEST(every_command_is_exact_to_the_frame) {
    rcore_buffer_t *buffer = ramp_buffer(20000);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, buffer, 100);
        EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, 777), RCORE_OK);
        EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 0, 1500), RCORE_OK);
        EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, 2501), RCORE_OK);
        EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.25f, 0, 5003), RCORE_OK);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, 9000), RCORE_OK);
        stage_render(&stage, 12000, periods[p]);

        uint64_t source = 0, wrong = 0;
        for (uint64_t frame = 0; frame < 12000; frame++) {
            float expected = 0.0f;
            if (frame >= 100 && frame < 9000 && !(frame >= 1500 && frame < 2501)) {
                expected = ramp_sample(source++) * (frame < 777 ? 1.0f : 0.5f) * (frame < 5003 ? 1.0f : 0.25f);
            }
            wrong += stage.out[0][frame] != expected || stage.out[1][frame] != -expected;
        }
        EXPECT_EQUAL(wrong, 0);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), source);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
        stage_close(&stage);
    }
    rcore_buffer_release(buffer);
}

/// Frames that are skipped count as time, but nothing is rendered in them.
TEST(skipped_frames_are_time_without_sound) {
    rcore_buffer_t *buffer = ramp_buffer(20000);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = stage_play(&stage, buffer, 100);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, 5000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.25f, 0, 10300), RCORE_OK);
    stage_render(&stage, 300, 64);
    const uint64_t before = rcore_voice_frames(stage.core, voice);
    EXPECT_EQUAL(before, 200);
    rcore_skip(stage.core, 9700);
    EXPECT_EQUAL(rcore_time(stage.core), 10000);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), before);
    stage_render(&stage, 600, 64);
    EXPECT_EQUAL(rcore_time(stage.core), 10600);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 1); // that of frame 5000
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < 600; i++) {
        wrong += stage.out[0][300 + i] != ramp_sample(before + i) * (i < 300 ? 0.5f : 0.25f);
    }
    EXPECT_EQUAL(wrong, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Commands posted in any order take effect in the order of their times; at the same time, in the
/// order of posting.
TEST(order_is_by_time_and_then_by_posting) {
    rcore_buffer_t *buffer = constant_buffer(4000, 1.0f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.125f, 0, 3000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.75f, 0, 2000), RCORE_OK);
    // The later one takes effect.
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.25f, 0, 2000), RCORE_OK);
    stage_render(&stage, 4000, 128);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 1000, 1.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 1000, 2000, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 2000, 3000, 0.25f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 3000, 4000, 0.125f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(an_untimed_command_takes_effect_at_the_next_cycle) {
    rcore_buffer_t *buffer = constant_buffer(4000, 1.0f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 333, 111);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 333, 111);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 333, 1.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 333, 666, 0.5f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_late_command_takes_effect_at_once_and_is_counted) {
    rcore_buffer_t *buffer = constant_buffer(4000, 1.0f);
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 500, 100);
    stage_play(&stage, buffer, 499);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 500, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 500, 600, 1.0f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A period of 0 frames applies due commands and renders nothing.
TEST(an_empty_period_applies_commands) {
    rcore_buffer_t *buffer = constant_buffer(100, 1.0f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t now = stage_play(&stage, buffer, RCORE_NOW);
    const rcore_voice_t later = stage_play(&stage, buffer, 10);
    rcore_process(stage.core, NULL, 0, NULL, 0, 0);
    EXPECT_EQUAL(rcore_voice_state(stage.core, now), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_state(stage.core, later), RCORE_VOICE_WAITING);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, now), 0);
    EXPECT_EQUAL(rcore_time(stage.core), 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(bad_arguments_post_nothing) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 1.0f);
    rcore_fifo_t *fifo = rcore_fifo_create(2, 64, NULL);
    rcore_matrix_t *mono = rcore_matrix_create_standard(1, 2, NULL);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    rcore_voice_params_t good = rcore_voice_params_default(), bad;
    good.buffer = buffer;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, NULL, RCORE_NOW), RCORE_BAD_ARGUMENT);
    bad = good, bad.buffer = NULL;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad, RCORE_NOW), RCORE_BAD_ARGUMENT);
    bad = good, bad.fifo = fifo;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad, RCORE_NOW), RCORE_BAD_ARGUMENT);
    bad = good, bad.gain = NAN;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad, RCORE_NOW), RCORE_BAD_ARGUMENT);
    bad = good, bad.start_frame = 100;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad, RCORE_NOW), RCORE_BAD_ARGUMENT);
    bad = good, bad.matrix = mono;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, INFINITY, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, NAN, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, stage_config().max_buses, 1, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, NULL, RCORE_NOW), RCORE_BAD_ARGUMENT);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, 0);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 100, 0.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
    rcore_fifo_destroy(fifo);
    rcore_matrix_destroy(mono);
}

/// The same scene with ramps, in other periods: equal up to the last bits of a ramp. Twice in the
/// same periods: identical.
static void play_scene(stage_t *stage, const rcore_buffer_t *sine, const rcore_buffer_t *ramp, uint32_t period) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = sine;
    params.bus = 2;
    params.loop_count = UINT64_MAX;
    params.fade_in_frames = 1000;
    const rcore_voice_t first = stage_start(stage, &params, 10);
    params.buffer = ramp;
    params.bus = 1;
    const rcore_voice_t second = stage_start(stage, &params, 333);
    rcore_post_gain(stage->queue, first, 0.3f, 700, 2000);
    // While the other ramp is running.
    rcore_post_gain(stage->queue, first, 0.9f, 700, 2300);
    rcore_post_bus_gain(stage->queue, 1, 0.5f, 4800, 3000);
    rcore_post_pause(stage->queue, second, 240, 5000);
    rcore_post_resume(stage->queue, second, 240, 9000);
    rcore_post_stop(stage->queue, first, 480, 15000);
    stage_render(stage, 20000, period);
}

TEST(periods_make_no_difference) {
    rcore_buffer_t *sine = sine_buffer(4801, 440, 0.5f), *ramp = ramp_buffer(3001);
    stage_t reference = stage_open(NULL);
    play_scene(&reference, sine, ramp, 256);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t stage = stage_open(NULL);
        play_scene(&stage, sine, ramp, periods[p]);
        float largest = 0;
        for (unsigned frame = 0; frame < 20000; frame++) {
            largest = fmaxf(largest, fabsf(stage.out[0][frame] - reference.out[0][frame]));
            largest = fmaxf(largest, fabsf(stage.out[1][frame] - reference.out[1][frame]));
        }
        EXPECT_NEAR(largest, 0, 2e-6);
        stage_close(&stage);
    }
    stage_close(&reference);
    rcore_buffer_release(sine);
    rcore_buffer_release(ramp);
}

TEST(the_same_scene_twice_gives_identical_bits) {
    rcore_buffer_t *sine = sine_buffer(4801, 440, 0.5f), *ramp = ramp_buffer(3001);
    for (unsigned p = 0; p < nperiods; p++) {
        stage_t first = stage_open(NULL), second = stage_open(NULL);
        play_scene(&first, sine, ramp, periods[p]);
        play_scene(&second, sine, ramp, periods[p]);
        EXPECT(memcmp(first.out[0], second.out[0], 20000 * sizeof(float)) == 0);
        EXPECT(memcmp(first.out[1], second.out[1], 20000 * sizeof(float)) == 0);
        EXPECT(first_other(first.out[0], 0, 20000, 0.0f) >= 0);
        stage_close(&first);
        stage_close(&second);
    }
    rcore_buffer_release(sine);
    rcore_buffer_release(ramp);
}

TEST(commands_that_wait_keep_none_waiting) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100000, 0.5f);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 64, 64);
    const uint32_t capacity = rcore_configuration(stage.core).command_capacity;
    for (uint32_t i = 0; i < capacity; i++) {
        EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 1.0f, 0, 10000), RCORE_OK);
        stage_render(&stage, 1, 1); // the ring is empty again; the commands wait in the core
    }
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 1.0f, 0, 10000), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    stage_render(&stage, 20000, 64); // the commands become due, which makes room
    const rcore_voice_t next = stage_play(&stage, buffer, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, next, 1.0f, 0, 90000), RCORE_OK);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(a_start_is_exact_to_the_frame);
    RUN(every_command_is_exact_to_the_frame);
    RUN(skipped_frames_are_time_without_sound);
    RUN(order_is_by_time_and_then_by_posting);
    RUN(an_untimed_command_takes_effect_at_the_next_cycle);
    RUN(a_late_command_takes_effect_at_once_and_is_counted);
    RUN(an_empty_period_applies_commands);
    RUN(bad_arguments_post_nothing);
    RUN(periods_make_no_difference);
    RUN(the_same_scene_twice_gives_identical_bits);
    RUN(commands_that_wait_keep_none_waiting);
    return test_result();
}
