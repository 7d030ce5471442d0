// Voices: handles, positions, loops, streams, pausing.
#include "expect.h"
#include "stage.h"

TEST(handles_go_stale) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.5f);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    EXPECT(voice != 0);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_WAITING);
    // Never started.
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_FREE);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_STALE);

    const rcore_voice_t next = rcore_voice_acquire(stage.core);
    // Even if it is the same slot again.
    EXPECT(next != voice);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &params, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 1, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, 0, 1, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, UINT64_MAX, 1, 0, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 0);
    EXPECT_EQUAL(rcore_voice_state(stage.core, UINT64_MAX), RCORE_VOICE_FREE);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_voice_state(stage.core, next), RCORE_VOICE_WAITING);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(the_pool_empties_and_fills) {
    stage_t stage = stage_open(NULL);
    rcore_voice_t voices[64];
    const uint32_t count = rcore_configuration(stage.core).max_voices;
    for (unsigned turn = 0; turn < 3; turn++) {
        for (unsigned i = 0; i < count; i++) {
            voices[i] = rcore_voice_acquire(stage.core);
            EXPECT(voices[i] != 0);
        }
        EXPECT_EQUAL(rcore_voice_acquire(stage.core), 0);
        for (unsigned i = 0; i < count; i++) {
            EXPECT_EQUAL(rcore_voice_release(stage.core, voices[i]), RCORE_OK);
        }
    }
    stage_close(&stage);
}

TEST(a_voice_that_plays_cannot_be_released) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    // Its start is pending.
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_FULL);
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_FULL);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1, 1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 100);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// 500 plays on 32 voices: a released voice can be acquired again.
TEST(voices_serve_again_and_again) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(10, 0.5f);
    for (unsigned turn = 0; turn < 500; turn++) {
        const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 16, 16);
        EXPECT_EQUAL(first_other(stage.out[0], turn * 16, turn * 16 + 10, 0.5f), -1);
        EXPECT_EQUAL(first_other(stage.out[0], turn * 16 + 10, turn * 16 + 16, 0.0f), -1);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(loops_join_without_a_gap) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(77);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.start_frame = 70;
    params.loop_count = 3;
    const rcore_voice_t voice = stage_start(&stage, &params, 9);
    stage_render(&stage, 400, 64);
    const uint64_t length = 7 + 3 * 77;
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < length; i++) {
        wrong += stage.out[0][9 + i] != ramp_sample((70 + i) % 77);
    }
    EXPECT_EQUAL(wrong, 0);
    EXPECT_EQUAL(first_other(stage.out[0], 9 + length, 400, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), length);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_loop_of_one_frame_goes_on_for_ever) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1, 0.5f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.loop_count = UINT64_MAX;
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 20000, STAGE_CHANGING_PERIODS);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 20000, 0.5f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PLAYING);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// The next frame played is the one after the last rendered, including the fade.
TEST(a_pause_loses_no_frame) {
    rcore_buffer_t *buffer = ramp_buffer(30000);
    const uint32_t ramps[] = {0, 1, 240, 1000}, periods[] = {1, 64, 333, 8192};
    for (unsigned r = 0; r < 4; r++) {
        for (unsigned p = 0; p < 4; p++) {
            stage_t stage = stage_open(NULL);
            const rcore_voice_t voice = stage_play(&stage, buffer, 0);
            EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, ramps[r], 5000), RCORE_OK);
            stage_render(&stage, 10000, periods[p]);
            const uint64_t played = 5000 + ramps[r];
            EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), played);
            EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PAUSED);
            EXPECT_EQUAL(first_other(stage.out[0], played, 10000, 0.0f), -1);
            if (ramps[r] > 1) { // a uniform ramp to silence
                const float limit = ramp_sample(played) / (float)ramps[r] + ramp_sample(0);
                EXPECT_EQUAL(find_click(stage.out[0], 5000, played + 1, 1.01f * limit), -1);
            }

            EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
            stage_render(&stage, 100, periods[p]);
            for (unsigned i = 0; i < 100; i++) {
                EXPECT_NEAR(stage.out[0][10000 + i], ramp_sample(played + i), 0);
            }
            stage_close(&stage);
        }
    }
    rcore_buffer_release(buffer);
}

TEST(a_voice_may_begin_paused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(1000);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.paused = true;
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 500, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 500, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PAUSED);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 0);
    EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, 620), RCORE_OK);
    stage_render(&stage, 500, 100);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 1000, 0.0f), 620);
    EXPECT_NEAR(stage.out[0][620], ramp_sample(0), 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(gain_ramps_are_linear_and_arrive) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(5000, 1.0f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.25f, 1000, 500), RCORE_OK);
    stage_render(&stage, 5000, 97);
    for (unsigned i = 0; i < 1000; i++) {
        EXPECT_NEAR(stage.out[0][500 + i], 1.0 - 0.75 * i / 1000, 0.75 / 1000 + 1e-5);
    }
    EXPECT_EQUAL(first_other(stage.out[0], 1500, 5000, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A bus that no plan contains is silent; the voice advances.
TEST(an_unknown_bus_is_silence) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.5f);
    const rcore_voice_t voice = stage_play_on(&stage, buffer, 7, RCORE_NOW);
    stage_render(&stage, 60, 20);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 60);
    stage_render(&stage, 60, 20);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 120, 0.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(mono_spreads_by_its_map) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(1);
    const float gains[] = {0.5f, -0.25f};
    rcore_matrix_t *map = rcore_matrix_create(1, 2, gains, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = impulse;
    params.matrix = map;
    stage_start(&stage, &params, 3);
    params.matrix = NULL; // channel to channel: left only
    stage_start(&stage, &params, 5);
    stage_render(&stage, 16, 16);
    EXPECT_NEAR(stage.out[0][3], 0.5, 0);
    EXPECT_NEAR(stage.out[1][3], -0.25, 0);
    EXPECT_NEAR(stage.out[0][5], 1, 0);
    EXPECT_NEAR(stage.out[1][5], 0, 0);
    stage_close(&stage);
    rcore_buffer_release(impulse);
    rcore_matrix_destroy(map);
}

static void feed(rcore_fifo_t *fifo, uint64_t from, uint32_t count) {
    float frames[2048];
    for (uint32_t i = 0; i < count; i++) {
        frames[i * 2] = ramp_sample(from + i);
        frames[i * 2 + 1] = -ramp_sample(from + i);
    }
    EXPECT(rcore_fifo_write_interleaved(fifo, frames, count));
}

TEST(a_stream_plays_what_it_is_fed_and_ends) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *fifo = rcore_fifo_create(2, 1024, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    feed(fifo, 0, 1000);
    const rcore_voice_t voice = stage_start(&stage, &params, 11);
    for (unsigned turn = 0; turn < 10; turn++) {
        stage_render(&stage, 500, 60);
        feed(fifo, 1000 + turn * 500, 500);
    }
    rcore_fifo_finish(fifo);
    stage_render(&stage, 2000, 60);
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < 6000; i++) {
        wrong += stage.out[0][11 + i] != ramp_sample(i) || stage.out[1][11 + i] != -ramp_sample(i);
    }
    EXPECT_EQUAL(wrong, 0);
    EXPECT_EQUAL(first_other(stage.out[0], 11 + 6000, 7000, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 6000);
    EXPECT_EQUAL(rcore_voice_underrun_frames(stage.core, voice), 0);
    EXPECT_EQUAL(rcore_read_counters(stage.core).underrun_frames, 0);
    stage_close(&stage);
    rcore_fifo_destroy(fifo);
}

/// A stream that underruns is silent and counted, and continues where it was: no frame is lost.
TEST(a_late_stream_is_silent_and_loses_nothing) {
    stage_t stage = stage_open(NULL);
    rcore_fifo_t *fifo = rcore_fifo_create(2, 1024, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    feed(fifo, 0, 100);
    const rcore_voice_t voice = stage_start(&stage, &params, 0);
    stage_render(&stage, 256, 64);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 100);
    EXPECT_EQUAL(rcore_voice_underrun_frames(stage.core, voice), 156);
    EXPECT_EQUAL(rcore_read_counters(stage.core).underrun_frames, 156);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_PLAYING);
    feed(fifo, 100, 64);
    stage_render(&stage, 64, 64);
    for (unsigned i = 0; i < 64; i++) {
        EXPECT_NEAR(stage.out[0][256 + i], ramp_sample(100 + i), 0);
    }
    stage_close(&stage);
    rcore_fifo_destroy(fifo);
}

TEST(a_voice_takes_commands_only_once_started) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.1f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    // The same slot: no state is left over.
    stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 64, 128, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(commands_before_a_timed_start_shape_it) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 100);
    EXPECT_EQUAL(rcore_post_gain(stage.queue, voice, 0.5f, 0, RCORE_NOW), RCORE_OK);
    const rcore_voice_t cancelled = stage_play(&stage, buffer, 100);
    EXPECT_EQUAL(rcore_post_stop(stage.queue, cancelled, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 200, 64);
    EXPECT_EQUAL(rcore_voice_state(stage.core, cancelled), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.25f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A stop that would end earlier than a running one shortens it; one that would end later has no
/// effect.
TEST(a_stop_can_be_hurried) {
    for (unsigned all = 0; all < 2; all++) {
        stage_t stage = stage_open(NULL);
        rcore_buffer_t *buffer = constant_buffer(100000, 0.5f);
        const rcore_voice_t slow = stage_play(&stage, buffer, RCORE_NOW),
                            slower = stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, slow, UINT32_MAX, RCORE_NOW), RCORE_OK);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, slower, 50000, RCORE_NOW), RCORE_OK);
        stage_render(&stage, 64, 64);
        if (all) {
            EXPECT_EQUAL(rcore_post_stop_all(stage.queue, RCORE_NONE, 100, RCORE_NOW), RCORE_OK);
        } else {
            EXPECT_EQUAL(rcore_post_stop(stage.queue, slow, 0, RCORE_NOW), RCORE_OK);
            EXPECT_EQUAL(rcore_post_stop(stage.queue, slower, 100, RCORE_NOW), RCORE_OK);
            EXPECT_EQUAL(rcore_post_stop(stage.queue, slower, 5000, RCORE_NOW), RCORE_OK);
        }
        stage_render(&stage, 128, 64);
        EXPECT_EQUAL(rcore_voice_state(stage.core, slow), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(rcore_voice_state(stage.core, slower), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(first_other(stage.out[0], 228, 256, 0.0f), -1);
        stage_close(&stage);
        rcore_buffer_release(buffer);
    }
}

/// A resume posted before the start overrides parameters that begin paused.
TEST(a_resume_before_the_start_holds) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(1000, 0.5f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.paused = true;
    const rcore_voice_t voice = stage_start(&stage, &params, 100);
    EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, 50), RCORE_OK);
    stage_render(&stage, 200, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 100, 200, 0.5f), -1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Stops all voices of one bus, and of all buses. Voices that were to start later never do.
TEST(all_of_a_bus_stop) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(10000, 0.125f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    rcore_voice_t voices[6];
    for (unsigned i = 0; i < 6; i++) {
        params.bus = i % 2;
        voices[i] = stage_start(&stage, &params, i < 4 ? RCORE_NOW : 500);
    }
    stage_render(&stage, 1, 1);
    EXPECT_EQUAL(rcore_post_stop_all(stage.queue, 1, 100, 100), RCORE_OK);
    stage_render(&stage, 299, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 1, 100, 0.5f), -1);
    EXPECT_NEAR(stage.out[0][149], 0.375, 1e-6);
    EXPECT_EQUAL(first_other(stage.out[0], 199, 300, 0.25f), -1);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, voices[5]), RCORE_END_STOPPED);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voices[4]), RCORE_VOICE_WAITING);
    EXPECT_EQUAL(rcore_post_stop_all(stage.queue, RCORE_NONE, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 700, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 300, 1000, 0.0f), -1);
    EXPECT_EQUAL(rcore_buffer_users(buffer), 0);
    EXPECT_EQUAL(rcore_post_stop_all(stage.queue, 99, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(handles_go_stale);
    RUN(the_pool_empties_and_fills);
    RUN(a_voice_that_plays_cannot_be_released);
    RUN(voices_serve_again_and_again);
    RUN(loops_join_without_a_gap);
    RUN(a_loop_of_one_frame_goes_on_for_ever);
    RUN(a_pause_loses_no_frame);
    RUN(a_voice_may_begin_paused);
    RUN(gain_ramps_are_linear_and_arrive);
    RUN(an_unknown_bus_is_silence);
    RUN(mono_spreads_by_its_map);
    RUN(a_stream_plays_what_it_is_fed_and_ends);
    RUN(a_late_stream_is_silent_and_loses_nothing);
    RUN(a_voice_takes_commands_only_once_started);
    RUN(commands_before_a_timed_start_shape_it);
    RUN(a_stop_can_be_hurried);
    RUN(a_resume_before_the_start_holds);
    RUN(all_of_a_bus_stop);
    return test_result();
}
