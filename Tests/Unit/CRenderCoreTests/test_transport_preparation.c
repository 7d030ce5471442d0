// The transport waits until its pass is prepared; its beats go on without their leader; the order
// of a stop and of a beat on one frame.
#include "transport_stage.h"

/// A stage whose passes must be prepared, with an impulse.
typedef struct scene {
    stage_t stage;
    rcore_buffer_t *impulse;
} scene_t;

static scene_t scene_open(void) {
    scene_t scene = {.stage = stage_open(NULL), .impulse = impulse_buffer(2)};
    rcore_require_preparation(scene.stage.core, true);
    return scene;
}

static void scene_close(scene_t *scene) {
    stage_close(&scene->stage);
    rcore_buffer_release(scene->impulse);
}

static rcore_transport_t position(const scene_t *scene) { return rcore_read_transport(scene->stage.core); }

/// Posts an impulse for a beat of the current pass, and reports that it is prepared.
static void prepare(scene_t *scene, double beat) {
    (void)play_impulse(&scene->stage, scene->impulse, at_beat(&scene->stage, beat));
    rcore_report_prepared(scene->stage.core, position(scene).pass);
}

TEST(a_prepared_pass_starts_on_its_frame) {
    scene_t scene = scene_open();
    prepare(&scene, 0);
    expect_ok(rcore_post_transport_start(scene.stage.queue, 777));
    stage_render(&scene.stage, 2000, 256);
    expect_impulses(&scene.stage, 0, (uint64_t[]){777}, 1);
    scene_close(&scene);
}

TEST(the_transport_waits_for_its_preparation) {
    scene_t scene = scene_open();
    expect_ok(rcore_post_transport_start(scene.stage.queue, 100));
    stage_render(&scene.stage, 1000, 250);
    EXPECT(!position(&scene).is_rolling && position(&scene).is_starting);
    EXPECT_EQUAL(position(&scene).frame, 0);
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW)); // does nothing
    prepare(&scene, 0);
    stage_render(&scene.stage, 1000, 250);
    EXPECT(position(&scene).is_rolling && !position(&scene).is_starting);
    EXPECT_EQUAL(position(&scene).pass, 0);
    // A jump while it rolls, and another before it goes on.
    expect_ok(rcore_post_transport_locate(scene.stage.queue, 8, RCORE_NOW));
    stage_render(&scene.stage, 500, 250);
    expect_ok(rcore_post_transport_locate(scene.stage.queue, 16, RCORE_NOW));
    rcore_report_prepared(scene.stage.core, position(&scene).pass);
    stage_render(&scene.stage, 500, 250);
    EXPECT(position(&scene).is_starting);
    EXPECT_EQUAL(position(&scene).frame, 16 * TRANSPORT_BEAT);
    prepare(&scene, 16);
    stage_render(&scene.stage, 1000, 250);
    expect_impulses(&scene.stage, 0, (uint64_t[]){1000, 3000}, 2);
    EXPECT_EQUAL(rcore_read_counters(scene.stage.core).late_commands, 0);
    scene_close(&scene);
}

TEST(a_stop_ends_the_wait) {
    scene_t scene = scene_open();
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 500, 250);
    expect_ok(rcore_post_transport_stop(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 500, 250);
    EXPECT(!position(&scene).is_starting && !position(&scene).is_rolling);
    // A jump of a stopped transport does not start it.
    expect_ok(rcore_post_transport_locate(scene.stage.queue, 4, RCORE_NOW));
    stage_render(&scene.stage, 500, 250);
    prepare(&scene, 4);
    stage_render(&scene.stage, 500, 250);
    EXPECT(!position(&scene).is_starting && !position(&scene).is_rolling);
    scene_close(&scene);
}

TEST(the_wait_has_a_bound) {
    scene_t scene = scene_open();
    const uint32_t limit = RCORE_PREPARATION_SECONDS * STAGE_RATE;
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, limit, 480);
    EXPECT(position(&scene).is_starting);
    stage_render(&scene.stage, 960, 480);
    EXPECT(position(&scene).is_rolling && !position(&scene).is_starting);
    scene_close(&scene);
}

TEST(a_server_is_answered_for_the_frame_where_the_core_is) {
    scene_t scene = scene_open();
    rcore_t *core = scene.stage.core;
    rcore_report_prepared(core, 0);
    EXPECT(!rcore_is_prepared(core, 0)); // it does not follow the server yet
    expect_ok(rcore_post_transport_source(scene.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&scene.stage, 256, 256);
    EXPECT(!rcore_is_prepared(core, 0));
    rcore_report_prepared(core, position(&scene).pass);
    EXPECT(rcore_is_prepared(core, 0));
    EXPECT(!rcore_is_prepared(core, 1));
    rcore_require_preparation(core, false);
    EXPECT(rcore_is_prepared(core, 1));
    scene_close(&scene);
}

TEST(a_stop_is_before_a_beat_of_its_frame) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    (void)play_impulse(&stage, impulse, at_beat(&stage, 0.5));
    (void)play_impulse(&stage, impulse, at_beat(&stage, 0.25));
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 12000, 500);
    expect_ok(rcore_post_transport_stop(stage.queue, RCORE_NOW)); // at beat 0.5
    stage_render(&stage, 1000, 500);
    expect_impulses(&stage, 0, (uint64_t[]){6000}, 1);
    EXPECT_EQUAL(rcore_read_transport(stage.core).frame, 12000);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

/// Renders cycles of a followed transport.
static void follow(scene_t *scene, rcore_server_transport_t *report, uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        rcore_follow_transport(scene->stage.core, report);
        stage_render(&scene->stage, 480, 480);
        report->frame += report->is_rolling ? 480 : 0;
        report->beat += report->is_rolling ? 480 * report->beats_per_minute / (60.0 * STAGE_RATE) : 0;
    }
}

TEST(beats_go_on_without_their_leader_until_the_pass_ends) {
    scene_t scene = scene_open();
    rcore_require_preparation(scene.stage.core, false);
    expect_ok(rcore_post_transport_source(scene.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&scene.stage, 16, 16);
    rcore_server_transport_t report = {.is_rolling = true,
                                       .has_beats = true,
                                       .beat = 100,
                                       .bar = 25,
                                       .bar_begin = 100,
                                       .beats_per_minute = 60,
                                       .beats_per_bar = 4,
                                       .beat_unit = 4};
    follow(&scene, &report, 10);
    const uint32_t pass = position(&scene).pass;
    report.has_beats = false;
    follow(&scene, &report, 100);
    EXPECT(!position(&scene).has_leader);
    EXPECT_EQUAL(position(&scene).pass, pass);
    EXPECT_NEAR(position(&scene).beat, 100 + 110 * 480 / 48000.0, 1e-6);
    EXPECT_NEAR(position(&scene).beats_per_minute, 60, 0);
    // A leader that goes on there, with another tempo.
    report.has_beats = true;
    report.beats_per_minute = 90;
    follow(&scene, &report, 10);
    EXPECT_EQUAL(position(&scene).pass, pass);
    EXPECT_NEAR(position(&scene).beat, report.beat, 1e-6);
    report.has_beats = false;
    report.is_rolling = false;
    follow(&scene, &report, 1);
    EXPECT_NEAR(position(&scene).beats_per_minute, 120, 0);
    EXPECT_NEAR(position(&scene).beat, position(&scene).frame / (double)TRANSPORT_BEAT, 1e-6);
    scene_close(&scene);
}

TEST(another_map_of_a_stopped_transport_begins_a_pass) {
    scene_t scene = scene_open();
    prepare(&scene, 0.5);
    post_tempo(scene.stage.core, 60);
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_starting && position(&scene).pass == 1);
    prepare(&scene, 0.5); // what was posted for the first pass is discarded
    stage_render(&scene.stage, 48000, 480);
    expect_impulses(&scene.stage, 0, (uint64_t[]){24480}, 1);
    post_tempo(scene.stage.core, 90); // while it rolls, the pass goes on
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_rolling && position(&scene).pass == 1);
    scene_close(&scene);
}

TEST(another_meter_of_a_stopped_leader_begins_a_pass) {
    scene_t scene = scene_open();
    rcore_require_preparation(scene.stage.core, false);
    expect_ok(rcore_post_transport_source(scene.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&scene.stage, 16, 16);
    rcore_server_transport_t report = {.has_beats = true, .beats_per_minute = 60, .beats_per_bar = 4, .beat_unit = 4};
    follow(&scene, &report, 2);
    const uint32_t pass = position(&scene).pass;
    report.beats_per_minute = 90;
    follow(&scene, &report, 2);
    EXPECT_EQUAL(position(&scene).pass, pass);
    report.beats_per_bar = 6;
    report.beat_unit = 8;
    follow(&scene, &report, 2);
    EXPECT_EQUAL(position(&scene).pass, pass + 1);
    report.is_rolling = true;
    follow(&scene, &report, 2);
    report.beats_per_bar = 7;
    follow(&scene, &report, 2);
    EXPECT_EQUAL(position(&scene).pass, pass + 1);
    scene_close(&scene);
}

TEST(other_beats_of_a_stopped_leader_begin_a_pass) {
    scene_t scene = scene_open();
    rcore_require_preparation(scene.stage.core, false);
    expect_ok(rcore_post_transport_source(scene.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&scene.stage, 16, 16);
    rcore_server_transport_t report = {
        .frame = 48000, .has_beats = true, .beat = 2, .beats_per_minute = 120, .beats_per_bar = 4, .beat_unit = 4};
    follow(&scene, &report, 2);
    const uint32_t pass = position(&scene).pass;
    report.beats_per_minute = 108; // the leader counts with it from the start of the piece
    report.beat = 1.8;
    follow(&scene, &report, 2);
    EXPECT_EQUAL(position(&scene).pass, pass + 1);
    report.is_rolling = true;
    follow(&scene, &report, 2);
    report.beat += 0.2;
    follow(&scene, &report, 2);
    EXPECT_EQUAL(position(&scene).pass, pass + 1);
    scene_close(&scene);
}

TEST(a_pass_may_be_renewed) {
    scene_t scene = scene_open();
    prepare(&scene, 0.25);
    expect_ok(rcore_post_transport_renew(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 480, 480);
    EXPECT_EQUAL(position(&scene).pass, 1);
    prepare(&scene, 0.5);
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 4800, 480);
    prepare(&scene, 0.75); // discarded
    expect_ok(rcore_post_transport_renew(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_rolling && position(&scene).pass == 2);
    EXPECT_EQUAL(position(&scene).frame, 5280);
    prepare(&scene, 1);
    stage_render(&scene.stage, 48000, 480);
    expect_impulses(&scene.stage, 0, (uint64_t[]){24480}, 1);
    scene_close(&scene);
}

TEST(a_pass_that_was_prepared_before_it_was_required_again_is_not) {
    scene_t scene = scene_open();
    rcore_report_prepared(scene.stage.core, 0);
    rcore_require_preparation(scene.stage.core, true);
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_starting);
    // Time that passes without cycles does not count as waiting.
    rcore_skip(scene.stage.core, 3 * RCORE_PREPARATION_SECONDS * STAGE_RATE);
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_starting);
    rcore_report_prepared(scene.stage.core, 0);
    stage_render(&scene.stage, 480, 480);
    EXPECT(position(&scene).is_rolling);
    scene_close(&scene);
}

TEST(a_beat_of_a_suspended_session_is_not_made_up_for) {
    scene_t scene = scene_open();
    (void)stage_grant(&scene.stage, (sgate_grant_t){.paused = true});
    stage_render(&scene.stage, 4800, 480);
    rcore_voice_t voices[16];
    for (unsigned i = 0; i < 16; i++) {
        voices[i] = play_impulse(&scene.stage, scene.impulse, at_beat(&scene.stage, 0.1 * i));
    }
    rcore_report_prepared(scene.stage.core, 0);
    expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
    stage_render(&scene.stage, 48000, 480);
    for (unsigned i = 0; i < 16; i++) {
        EXPECT_EQUAL(rcore_voice_state(scene.stage.core, voices[i]), RCORE_VOICE_ENDED);
    }
    EXPECT_EQUAL(rcore_read_counters(scene.stage.core).late_commands, 16);
    scene_close(&scene);
}

int main(void) {
    RUN(other_beats_of_a_stopped_leader_begin_a_pass);
    RUN(a_pass_may_be_renewed);
    RUN(a_pass_that_was_prepared_before_it_was_required_again_is_not);
    RUN(a_beat_of_a_suspended_session_is_not_made_up_for);
    RUN(another_map_of_a_stopped_transport_begins_a_pass);
    RUN(another_meter_of_a_stopped_leader_begins_a_pass);
    RUN(a_prepared_pass_starts_on_its_frame);
    RUN(the_transport_waits_for_its_preparation);
    RUN(a_stop_ends_the_wait);
    RUN(the_wait_has_a_bound);
    RUN(a_server_is_answered_for_the_frame_where_the_core_is);
    RUN(a_stop_is_before_a_beat_of_its_frame);
    RUN(beats_go_on_without_their_leader_until_the_pass_ends);
    return test_result();
}
