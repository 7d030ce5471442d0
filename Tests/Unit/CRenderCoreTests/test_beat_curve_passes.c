// Curves that end at beats: late ones, passes that end, sessions and voices that pause, and limits.
#include "beat_curve_stage.h"

static const rcore_curve_t shapes[] = {RCORE_CURVE_LINEAR, RCORE_CURVE_EXPONENTIAL, RCORE_CURVE_S};
/// With frames 12000, 24000, 48000 and 72000.
static const struct point points[] = {{0.5, 1.0f, RCORE_CURVE_LINEAR},
                                      {1, 0.5f, RCORE_CURVE_S},
                                      {2, 0.125f, RCORE_CURVE_LINEAR},
                                      {3, 0.75f, RCORE_CURVE_EXPONENTIAL}};

/// Opens a stage whose transport rolls from frame 0 on, with a gain that follows `points`, which
/// take all of its curves.
static curve_stage_t rolling_stage(void) {
    rcore_config_t config = stage_config();
    config.max_curves = 3;
    curve_stage_t scene = curve_stage_open(&config);
    expect_ok(post_points(scene.stage.queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, points, 4));
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    return scene;
}

/// Expects that all curves are free, and closes the stage.
static void close_without_curves(curve_stage_t *scene) {
    EXPECT_EQUAL(post_points(scene->stage.queue, RCORE_PARAMETER_BUS_GAIN, 0, 0, points, 4), RCORE_OK);
    curve_stage_close(scene);
}

// ---- Passes

/// The curve that runs goes on in its frames, although the transport does not, or is elsewhere.
TEST(a_curve_that_runs_when_its_pass_ends_reaches_its_value) {
    curve_stage_t expected = rolling_stage();
    stage_render(&expected.stage, 80000, 480);
    for (unsigned i = 0; i < 4; i++) {
        curve_stage_t scene = rolling_stage();
        stage_t *stage = &scene.stage;
        expect_ok(i == 0   ? rcore_post_transport_stop(stage->queue, 30001)
                  : i == 1 ? rcore_post_transport_locate(stage->queue, 1.9, 30001)
                  : i == 2 ? rcore_post_transport_locate(stage->queue, 0, 30001)
                           : rcore_post_transport_renew(stage->queue, 30001));
        stage_render(stage, 40000, 480);
        post_tempo(stage->core, 300); // the pass has ended
        stage_render(stage, 60000, 480);
        for (uint64_t frame = 0; frame <= 48000; frame++) {
            if (stage->out[1][frame] != expected.stage.out[1][frame]) {
                EXPECT_EQUAL(frame, 48001);
                break;
            }
        }
        EXPECT_EQUAL(first_other(stage->out[1], 48000, 100000, 0.125f), -1);
        EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 0);
        close_without_curves(&scene);
    }
    curve_stage_close(&expected);
}

TEST(a_curve_does_not_begin_after_its_pass) {
    for (uint64_t stop = 23999; stop <= 24002; stop++) {
        curve_stage_t scene = rolling_stage();
        expect_ok(rcore_post_transport_stop(scene.stage.queue, stop));
        stage_render(&scene.stage, 80000, 480);
        EXPECT_NEAR(scene.stage.out[1][24000], 0.5, 0);
        EXPECT_EQUAL(first_other(scene.stage.out[1], 24000, 80000, 0.5f), stop < 24002 ? -1 : 24001);
        EXPECT_EQUAL(rcore_read_counters(scene.stage.core).late_commands, 0);
        close_without_curves(&scene);
    }
}

TEST(passes_leak_no_curves) {
    rcore_config_t config = stage_config();
    config.max_curves = 3;
    curve_stage_t scene = curve_stage_open(&config);
    stage_t *stage = &scene.stage;
    for (uint32_t pass = 0; pass < 3000; pass++) {
        // For this pass, for one that has ended, and one to come.
        const uint32_t posted = pass + (pass % 5 == 3 ? 1 : pass % 5 == 4 ? UINT32_MAX : 0);
        EXPECT_EQUAL(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, posted & 0x7FFF, points, 4),
                     RCORE_OK);
        expect_ok(rcore_post_transport_locate(stage->queue, 0, stage->nframes + 1 + pass % 3 * 12000));
        expect_ok(rcore_post_gain(stage->queue, scene.voice, 1, 0, stage->nframes + 1 + pass % 3 * 12000));
        expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
        stage_render(stage, 24500 * (pass % 3) + 10, 8192);
    }
    EXPECT_EQUAL(rcore_read_transport(stage->core).pass, 3000);
    curve_stage_close(&scene);
}

// ---- Late

TEST(points_that_have_passed_take_effect_at_once) {
    for (uint32_t due = 0; due < 2; due++) {
        curve_stage_t scene = curve_stage_open(NULL);
        stage_t *stage = &scene.stage;
        expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
        stage_render(stage, due == 0 ? 36000 : 90000, 480);
        expect_ok(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, points, 4));
        stage_render(stage, 60000, 480);
        EXPECT_EQUAL(first_other(stage->out[1], 0, due == 0 ? 36000 : 90000, 1.0f), -1);
        if (due == 0) { // in the middle of the third one: from the second point's value
            EXPECT_NEAR(stage->out[1][36000], 0.5 - 0.375 / 12001, 1e-6);
            EXPECT_NEAR(stage->out[1][42000], 0.3125, 1e-4);
            EXPECT(stage->out[1][47999] > 0.125f && stage->out[1][48000] == 0.125f && stage->out[1][48001] > 0.125f);
            EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 3);
        } else { // after all of them
            EXPECT_EQUAL(first_other(stage->out[1], 90000, 150000, 0.75f), -1);
            EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 4);
        }
        curve_stage_close(&scene);
    }
}

TEST(of_several_points_on_a_frame_the_last_one_counts) {
    curve_stage_t scene = curve_stage_open(NULL);
    stage_t *stage = &scene.stage;
    const double near = 0.2 / TRANSPORT_BEAT;
    const struct point close[] = {{0.5, 0.25f, RCORE_CURVE_S},
                                  {1, 0.5f, RCORE_CURVE_LINEAR},
                                  {1 + near, 0.75f, RCORE_CURVE_LINEAR},
                                  {1 + 2 * near, 0.875f, RCORE_CURVE_S},
                                  {1.25, 0.25f, RCORE_CURVE_LINEAR}};
    expect_ok(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, close, 5));
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    stage_render(stage, 40000, 480);
    EXPECT(stage->out[1][23999] < 0.5f);
    EXPECT_NEAR(stage->out[1][24000], 0.875, 0);
    EXPECT_NEAR(stage->out[1][24001], 0.875 - 0.625 / 6000, 1e-6);
    EXPECT_EQUAL(first_other(stage->out[1], 30000, 40000, 0.25f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 0);
    curve_stage_close(&scene);
}

TEST(another_command_ends_a_curve_and_the_next_point_goes_on_from_it) {
    curve_stage_t scene = rolling_stage();
    stage_t *stage = &scene.stage;
    expect_ok(rcore_post_gain(stage->queue, scene.voice, 0.875f, 0, 30000));
    stage_render(stage, 80000, 480);
    EXPECT_EQUAL(first_other(stage->out[1], 30000, 48001, 0.875f), -1);
    EXPECT(stage->out[1][48001] < 0.875f);
    EXPECT_EQUAL(first_other(stage->out[1], 72000, 80000, 0.75f), -1);
    curve_stage_close(&scene);
}

// ---- Pauses

/// Pauses the voice or its session in the second curve until `resume`, and expects that the points
/// from there on are exact.
static void play_pause(bool session, uint32_t resume, rcore_curve_t shape) {
    curve_stage_t scene = curve_stage_open(NULL);
    stage_t *stage = &scene.stage;
    struct point shaped[] = {{0.5, 1.0f, shape}, {1, 0.5f, shape}, {2, 0.125f, shape}};
    expect_ok(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, shaped, 3));
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    stage_render(stage, 30000, 480);
    if (session) {
        stage_grant(stage, (sgate_grant_t){.paused = true});
    } else {
        expect_ok(rcore_post_pause(stage->queue, scene.voice, 0, RCORE_NOW));
    }
    stage_render(stage, resume - 30000, 480);
    if (session) {
        stage_grant(stage, (sgate_grant_t){.paused = false});
    } else {
        expect_ok(rcore_post_resume(stage->queue, scene.voice, 0, RCORE_NOW));
    }
    stage_render(stage, 20000, 480);
    EXPECT_EQUAL(first_other(stage->out[1], 30000, resume, 0.0f), -1);
    if (resume < 48000) {
        // From where it was.
        EXPECT_NEAR(stage->out[1][resume], stage->out[1][29999], 1e-3);
        EXPECT(stage->out[1][47990] > 0.125f);
    }
    const uint64_t end = resume < 48000 ? 48000 : resume;
    EXPECT_EQUAL(first_other(stage->out[1], end, stage->nframes, 0.125f), -1);
    curve_stage_close(&scene);
}

TEST(a_curve_is_held_in_a_pause_and_still_ends_at_its_beat) {
    for (unsigned i = 0; i < 6; i++) {
        play_pause(i % 2 == 0, 40000, shapes[i / 2]);
        play_pause(i % 2 == 0, 60000, shapes[i / 2]);
    }
}

/// Points in the pause are late; the curve that would run afterwards goes on to its end.
TEST(points_within_a_pause_are_late) {
    curve_stage_t scene = rolling_stage();
    stage_t *stage = &scene.stage;
    stage_render(stage, 30000, 480);
    stage_grant(stage, (sgate_grant_t){.paused = true});
    stage_render(stage, 30000, 480);
    EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 1);
    stage_grant(stage, (sgate_grant_t){.paused = false});
    stage_render(stage, 20000, 480);
    EXPECT_NEAR(stage->out[1][60000], stage->out[1][29999], 1e-3);
    EXPECT_EQUAL(first_other(stage->out[1], 72000, 80000, 0.75f), -1);
    EXPECT(stage->out[1][71990] < 0.75f);
    curve_stage_close(&scene);
}

// ---- Voices

TEST(a_voice_that_ends_takes_its_curves_with_it) {
    rcore_config_t config = stage_config();
    config.max_curves = 3;
    curve_stage_t scene = curve_stage_open(&config);
    stage_t *stage = &scene.stage;
    expect_ok(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, points, 4));
    EXPECT_EQUAL(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, points, 2), RCORE_FULL);
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    // When the second one is to begin.
    expect_ok(rcore_post_stop(stage->queue, scene.voice, 0, 24001));
    stage_render(stage, 80000, 480);
    EXPECT_EQUAL(first_other(stage->out[1], 24001, 80000, 0.0f), -1);
    EXPECT_EQUAL(rcore_post_curve_to_beat(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 1, RCORE_CURVE_S,
                                          rcore_beat_time(0, 5), rcore_beat_time(0, 4)),
                 RCORE_STALE);
    // All curves are free again.
    EXPECT_EQUAL(post_points(stage->queue, RCORE_PARAMETER_BUS_GAIN, 0, 0, points, 4), RCORE_OK);
    curve_stage_close(&scene);
}

TEST(a_voice_may_start_with_the_first_point) {
    curve_stage_t scene = curve_stage_open(NULL);
    stage_t *stage = &scene.stage;
    expect_ok(rcore_post_stop(stage->queue, scene.voice, 0, RCORE_NOW));
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = scene.ones;
    params.loop_count = UINT64_MAX;
    const rcore_voice_t voice = rcore_voice_acquire(stage->core);
    expect_ok(rcore_transaction_begin(stage->queue));
    expect_ok(rcore_post_start(stage->queue, voice, &params, rcore_beat_time(0, 1)));
    const struct {
        float value;
        double from, to;
    } curves[] = {{0.25f, 1, 2}, {1, 2, 2.5}};
    expect_ok(rcore_post_gain(stage->queue, voice, 0.75f, 0, rcore_beat_time(0, 1)));
    for (unsigned i = 0; i < 2; i++) {
        expect_ok(rcore_post_curve_to_beat(stage->queue, RCORE_PARAMETER_VOICE_GAIN, voice, curves[i].value,
                                           RCORE_CURVE_S, rcore_beat_time(0, curves[i].to),
                                           rcore_beat_time(0, curves[i].from)));
    }
    expect_ok(rcore_transaction_commit(stage->queue));
    expect_ok(rcore_post_transport_start(stage->queue, 100));
    stage_render(stage, 70000, 480);
    EXPECT_EQUAL(first_other(stage->out[1], 0, 24100, 0.0f), -1);
    EXPECT_NEAR(stage->out[1][24100], 0.75, 0);
    EXPECT_NEAR(stage->out[1][36100], 0.5, 1e-4);
    EXPECT_NEAR(stage->out[1][48100], 0.25, 0);
    EXPECT_EQUAL(first_other(stage->out[1], 60100, 70000, 1.0f), -1);
    curve_stage_close(&scene);
}

// ---- Limits

TEST(bad_times_and_values_are_refused) {
    curve_stage_t scene = curve_stage_open(NULL);
    rcore_queue_t *queue = scene.stage.queue;
    const rcore_parameter_t gain = RCORE_PARAMETER_VOICE_GAIN;
    const uint64_t one = rcore_beat_time(0, 1), two = rcore_beat_time(0, 2), other = rcore_beat_time(1, 2);
    const struct {
        uint64_t until, when;
        bool is_valid;
    } times[] = {{two, one, true},    {one, one, true},        {one, two, false},
                 {other, one, false}, {two, RCORE_NOW, false}, {two, 100, false},
                 {100, one, false},   {RCORE_NOW, one, false}, {200, 100, false}};
    for (unsigned i = 0; i < 9; i++) {
        EXPECT_EQUAL(
            rcore_post_curve_to_beat(queue, gain, scene.voice, 1, RCORE_CURVE_S, times[i].until, times[i].when),
            times[i].is_valid ? RCORE_OK : RCORE_BAD_ARGUMENT);
    }
    const struct {
        rcore_parameter_t parameter;
        uint64_t of;
        float value;
        rcore_curve_t curve;
    } bad[] = {{gain, scene.voice, NAN, RCORE_CURVE_S},
               {RCORE_PARAMETER_VOICE_PAN, scene.voice, 0.5f, RCORE_CURVE_S}, // it has no pan law
               {RCORE_PARAMETER_VOICE_SPEED, scene.voice, 17, RCORE_CURVE_S},
               {RCORE_PARAMETER_BUS_PAN, 0, 1.5f, RCORE_CURVE_S},
               {RCORE_PARAMETER_BUS_GAIN, 99, 1, RCORE_CURVE_S},
               {RCORE_PARAMETER_BUS_GAIN, UINT64_C(1) << 32, 1, RCORE_CURVE_S},
               {(rcore_parameter_t)7, 0, 1, RCORE_CURVE_S},
               {gain, scene.voice, 1, (rcore_curve_t)0x80}};
    for (unsigned i = 0; i < 8; i++) {
        EXPECT_EQUAL(rcore_post_curve_to_beat(queue, bad[i].parameter, bad[i].of, bad[i].value, bad[i].curve, two, one),
                     RCORE_BAD_ARGUMENT);
    }
    curve_stage_close(&scene);
}

TEST(points_are_posted_all_or_none) {
    rcore_config_t config = stage_config();
    config.max_curves = 4;
    curve_stage_t scene = curve_stage_open(&config);
    stage_t *stage = &scene.stage;
    struct point many[6] = {{0}};
    for (unsigned i = 0; i < 6; i++) {
        many[i] = (struct point){0.125 * i, 0.5f, RCORE_CURVE_LINEAR}; // linear ones count too
    }
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, many, 6), RCORE_FULL);
    }
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    stage_render(stage, 20000, 480);
    EXPECT_EQUAL(first_other(stage->out[1], 0, 20000, 1.0f), -1);
    EXPECT_EQUAL(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, scene.voice, 0, many, 5), RCORE_OK);
    curve_stage_close(&scene);
}

int main(void) {
    RUN(a_curve_that_runs_when_its_pass_ends_reaches_its_value);
    RUN(a_curve_does_not_begin_after_its_pass);
    RUN(passes_leak_no_curves);
    RUN(points_that_have_passed_take_effect_at_once);
    RUN(of_several_points_on_a_frame_the_last_one_counts);
    RUN(another_command_ends_a_curve_and_the_next_point_goes_on_from_it);
    RUN(a_curve_is_held_in_a_pause_and_still_ends_at_its_beat);
    RUN(points_within_a_pause_are_late);
    RUN(a_voice_that_ends_takes_its_curves_with_it);
    RUN(a_voice_may_start_with_the_first_point);
    RUN(bad_times_and_values_are_refused);
    RUN(points_are_posted_all_or_none);
    return test_result();
}
