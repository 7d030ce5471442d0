// The server's transport: a core follows it, and reports beats as its leader.
#include "transport_stage.h"

#include <string.h>

/// A core that follows a server, and the report of the next cycle.
typedef struct follower {
    stage_t stage;
    rcore_server_transport_t report;
} follower_t;

static follower_t follower_open(void) {
    follower_t follower = {.stage = stage_open(NULL)};
    expect_ok(rcore_post_transport_source(follower.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&follower.stage, 16, 16);
    return follower;
}

/// Renders cycles, and moves the server's transport.
static void follow(follower_t *follower, uint32_t cycles, uint32_t period) {
    for (uint32_t i = 0; i < cycles; i++) {
        rcore_follow_transport(follower->stage.core, &follower->report);
        stage_render(&follower->stage, period, period);
        follower->report.frame += follower->report.is_rolling ? period : 0;
        follower->report.is_after_gap = false;
    }
}

static rcore_transport_t position(const follower_t *follower) { return rcore_read_transport(follower->stage.core); }

/// Sets what a leader of a constant tempo reports for the next cycle, rounded to ticks.
static void set_beats(follower_t *follower, double tempo, double ticks, double offset) {
    rcore_server_transport_t *report = &follower->report;
    const double beat = report->frame * tempo / (60.0 * STAGE_RATE) + offset;
    report->has_beats = true;
    report->beat = ticks > 0 ? floor(beat * ticks) / ticks : beat;
    report->beat_resolution = ticks > 0 ? 1 / ticks : 0;
    report->beats_per_minute = tempo;
    report->bar = (int32_t)floor(beat / 4);
    report->bar_begin = 4 * floor(beat / 4);
    report->beats_per_bar = 4;
    report->beat_unit = 4;
}

TEST(a_core_follows_the_server) {
    follower_t follower = follower_open();
    stage_t *stage = &follower.stage;
    rcore_transport_t at = position(&follower);
    EXPECT(at.source == RCORE_TRANSPORT_SERVER && !at.is_rolling && !at.has_leader && at.pass == 1);
    rcore_buffer_t *impulse = impulse_buffer(2);
    follower.report.is_starting = true;
    follow(&follower, 3, 100);
    at = position(&follower);
    EXPECT(at.is_starting && !at.is_rolling && at.pass == 1 && at.frame == 0);
    (void)play_impulse(stage, impulse, rcore_beat_time(1, 0));
    (void)play_impulse(stage, impulse, rcore_beat_time(1, 0.5));
    follower.report.is_starting = false;
    follower.report.is_rolling = true;
    follow(&follower, 240, 100); // of the same pass
    at = position(&follower);
    EXPECT(!at.is_starting && at.is_rolling && at.pass == 1);
    EXPECT_EQUAL(at.frame, 24000);
    EXPECT_NEAR(at.beat, 1, 1e-12);
    const uint64_t expected[] = {316, 12316};
    expect_impulses(stage, 0, expected, 2);
    // Its own transport has no commands.
    expect_ok(rcore_post_transport_stop(stage->queue, RCORE_NOW));
    expect_ok(rcore_post_transport_locate(stage->queue, 9, RCORE_NOW));
    follow(&follower, 1, 100);
    at = position(&follower);
    EXPECT(at.is_rolling && at.pass == 1 && at.frame == 24100);
    // It stops: at the same frame.
    follower.report.is_rolling = false;
    follow(&follower, 2, 100);
    at = position(&follower);
    EXPECT(!at.is_rolling && at.pass == 2 && at.frame == 24100);
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    follow(&follower, 2, 100);
    EXPECT(!position(&follower).is_rolling);
    // Its own transport is stopped where the server's was.
    follower.report.is_rolling = true;
    follow(&follower, 2, 100);
    expect_ok(rcore_post_transport_source(stage->queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    follow(&follower, 2, 100);
    at = position(&follower);
    EXPECT(at.source == RCORE_TRANSPORT_OWN && !at.is_rolling && at.pass == 3);
    EXPECT_EQUAL(at.frame, 24300);
    expect_ok(rcore_post_transport_source(stage->queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    follow(&follower, 2, 100);
    EXPECT_EQUAL(position(&follower).pass, 3);
    stage_close(stage);
    rcore_buffer_release(impulse);
}

TEST(a_jump_begins_a_pass) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    const uint32_t frames[] = {0, 1000, 900, 899, 901, 400000, UINT32_MAX, 5};
    follow(&follower, 3, 100);
    EXPECT_EQUAL(position(&follower).pass, 1);
    for (uint32_t i = 0; i < 8; i++) {
        follower.report.frame = frames[i];
        follow(&follower, 1, 100);
        EXPECT_EQUAL(position(&follower).pass, i + 2);
        EXPECT_EQUAL(position(&follower).frame, (int64_t)frames[i] + 100);
    }
    follower.report.is_rolling = false;
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 10);
    follower.report.frame = 3; // also while it is stopped
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 11);
    EXPECT_EQUAL(position(&follower).frame, 3);
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 11);
    stage_close(&follower.stage);
}

TEST(a_jump_discards_and_ends) {
    follower_t follower = follower_open();
    rcore_buffer_t *constant = constant_buffer(100000, 1.0f);
    const rcore_voice_t plays = stage_play(&follower.stage, constant, rcore_beat_time(1, 0));
    const rcore_voice_t waits = stage_play(&follower.stage, constant, rcore_beat_time(1, 1));
    expect_ok(rcore_post_stop(follower.stage.queue, plays, 0, rcore_beat_time(1, 2)));
    follower.report.is_rolling = true;
    follow(&follower, 4, 64);
    follower.report.frame = 30000; // beyond the start that waits
    follow(&follower, 4, 64);
    EXPECT_EQUAL(rcore_voice_state(follower.stage.core, plays), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_state(follower.stage.core, waits), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(first_other(follower.stage.out[0], 16, 16 + 256, 1.0f), -1);
    EXPECT_EQUAL(first_other(follower.stage.out[0], 16 + 256, follower.stage.nframes, 0.0f), -1);
    EXPECT_EQUAL(rcore_read_counters(follower.stage.core).late_commands, 0);
    stage_close(&follower.stage);
    rcore_buffer_release(constant);
}

TEST(a_gap_is_not_a_jump) {
    follower_t follower = follower_open();
    rcore_buffer_t *impulse = impulse_buffer(2);
    follower.report.is_rolling = true;
    // The first one is within the gap.
    (void)play_impulse(&follower.stage, impulse, rcore_beat_time(1, 300.0 / TRANSPORT_BEAT));
    (void)play_impulse(&follower.stage, impulse, rcore_beat_time(1, 550.0 / TRANSPORT_BEAT));
    follow(&follower, 2, 100);
    follower.report.frame += 300;
    follower.report.is_after_gap = true;
    rcore_skip(follower.stage.core, 300);
    follow(&follower, 2, 100);
    EXPECT_EQUAL(position(&follower).pass, 1);
    EXPECT_EQUAL(position(&follower).frame, 700);
    const uint64_t expected[] = {216, 266};
    expect_impulses(&follower.stage, 0, expected, 2);
    EXPECT_EQUAL(rcore_read_counters(follower.stage.core).late_commands, 1);
    // Backwards, or stopped, it is one.
    follower.report.frame -= 1;
    follower.report.is_after_gap = true;
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 2);
    follower.report.is_rolling = false;
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 3);
    follower.report.is_rolling = follower.report.is_after_gap = true;
    follower.report.frame += 100;
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 4);
    stage_close(&follower.stage);
    rcore_buffer_release(impulse);
}

TEST(a_cycle_without_a_report_is_stopped) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    for (unsigned i = 0; i < 2; i++) {
        set_beats(&follower, 100, 0, 0);
        follow(&follower, 1, 100);
    }
    stage_render(&follower.stage, 100, 100);
    const rcore_transport_t at = position(&follower);
    EXPECT(!at.is_rolling && at.pass == 2 && at.frame == 200 && at.has_leader);
    EXPECT_NEAR(at.beat, 200 * 100 / (60.0 * STAGE_RATE), 1e-12);
    stage_close(&follower.stage);
}

TEST(a_report_is_for_one_cycle_of_a_follower) {
    stage_t stage = stage_open(NULL);
    const rcore_server_transport_t report = {.frame = 5000, .is_rolling = true};
    rcore_follow_transport(stage.core, &report);
    expect_ok(rcore_post_transport_source(stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    stage_render(&stage, 200, 100);
    rcore_transport_t at = rcore_read_transport(stage.core);
    EXPECT(at.frame == 0 && at.pass == 1 && !at.is_rolling);
    const rcore_server_transport_t both = {.is_starting = true, .is_rolling = true};
    rcore_follow_transport(stage.core, &both);
    stage_render(&stage, 100, 100);
    at = rcore_read_transport(stage.core);
    EXPECT(at.is_rolling && !at.is_starting);
    stage_close(&stage);
}

TEST(a_core_that_ceases_to_follow_has_no_leader) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    set_beats(&follower, 90, 0, 0.5);
    follow(&follower, 1, 1000);
    EXPECT(position(&follower).has_leader);
    expect_ok(rcore_post_transport_source(follower.stage.queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    follow(&follower, 1, 1000);
    EXPECT(!position(&follower).has_leader);
    EXPECT_NEAR(position(&follower).beat, 1000.0 / TRANSPORT_BEAT, 1e-12);
    stage_close(&follower.stage);
}

TEST(a_new_sample_rate_keeps_the_beat_of_the_leader) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    set_beats(&follower, 90, 0, 0.5);
    follow(&follower, 1, 1000);
    const double beat = position(&follower).beat;
    expect_ok(rcore_set_sample_rate(follower.stage.core, 96000));
    stage_render(&follower.stage, 1000, 1000); // without a report
    EXPECT_NEAR(position(&follower).beat, beat, 1e-12);
    stage_close(&follower.stage);
}

TEST(the_frames_of_the_server_may_wrap) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    follower.report.frame = UINT32_MAX - 149;
    follow(&follower, 4, 100);
    EXPECT_EQUAL(position(&follower).pass, 2);
    EXPECT_EQUAL(position(&follower).frame, (int64_t)UINT32_MAX + 251);
    follower.report.frame = 0; // to the start
    follow(&follower, 1, 100);
    EXPECT_EQUAL(position(&follower).pass, 3);
    EXPECT_EQUAL(position(&follower).frame, 100);
    stage_close(&follower.stage);
}

// ---- Beats

/// Plays impulses on beats of an hour at 120.7 beats per minute, from the cycle `join` on, as a
/// leader reports them in ticks. Returns the sum of the frames, and expects each impulse on the
/// frame nearest to its beat.
static uint64_t play_an_hour(uint32_t join) {
    enum { PERIOD = 4096 };
    const double tempo = 120.7, rate = STAGE_RATE;
    follower_t follower = {.stage = stage_open(NULL)};
    rcore_buffer_t *impulse = impulse_buffer(2);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = impulse;
    params.one_shot = true;
    expect_ok(rcore_post_transport_source(follower.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    follow(&follower, 1, 16);
    follower.report.is_rolling = true;
    follower.report.frame = join * PERIOD;
    uint64_t sum = 0, next = (uint64_t)(join * PERIOD * tempo / (60 * rate)) + 2;
    uint32_t wrong = 0;
    const uint32_t pass = join == 0 ? 1 : 2;
    for (uint32_t cycle = join; cycle < 3600 * STAGE_RATE / PERIOD; cycle++) {
        set_beats(&follower, tempo, 1920, 0);
        const uint64_t begin = follower.report.frame, frame = (uint64_t)floor((double)next * 60 * rate / tempo + 0.5);
        const bool is_due = frame < begin + PERIOD;
        follow(&follower, 1, PERIOD);
        const float *out = follower.stage.out[0] + 16;
        wrong += first_other(out, 0, is_due ? frame - begin : PERIOD, 0.0f) != -1;
        if (is_due) {
            wrong += out[frame - begin] != 1.0f;
            sum += frame;
            next += 1 + cycle % 5;
            (void)stage_start(&follower.stage, &params, rcore_beat_time(pass, (double)next));
        } else if (cycle == join) {
            (void)stage_start(&follower.stage, &params, rcore_beat_time(pass, (double)next));
        }
        follower.stage.nframes = 16;
    }
    EXPECT_EQUAL(wrong, 0);
    EXPECT_EQUAL(position(&follower).pass, pass);
    EXPECT_EQUAL(rcore_read_counters(follower.stage.core).late_commands, 0);
    stage_close(&follower.stage);
    rcore_buffer_release(impulse);
    return sum;
}

TEST(coarse_ticks_stay_exact_for_an_hour) {
    EXPECT(play_an_hour(0) > 0);
    EXPECT(play_an_hour(17) > 0);
    EXPECT(play_an_hour(30011) > 0);
}

TEST(beats_that_do_not_begin_with_the_frames_have_an_anchor) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    set_beats(&follower, 100, 1920, 3.3);
    const double first = follower.report.beat;
    double worst = 0;
    for (unsigned i = 0; i < 5000; i++) {
        set_beats(&follower, 100, 1920, 3.3);
        follow(&follower, 1, 333);
        worst = fmax(worst, fabs(position(&follower).beat - (first + (i + 1) * 333 * 100 / (60.0 * STAGE_RATE))));
    }
    EXPECT(worst < 1e-9);
    EXPECT_EQUAL(position(&follower).pass, 2); // at first, the beat had jumped by 3.3
    stage_close(&follower.stage);
}

TEST(a_new_tempo_goes_on_from_the_beat) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    for (unsigned i = 0; i < 100; i++) {
        set_beats(&follower, 100, 1920, 0);
        follow(&follower, 1, 1000);
    }
    const double beat = position(&follower).beat;
    EXPECT_NEAR(beat, 100000 * 100 / (60.0 * STAGE_RATE), 1e-12);
    for (unsigned i = 0; i < 100; i++) { // faster, from this frame on
        set_beats(&follower, 140, 1920, beat - 100000 * 140 / (60.0 * STAGE_RATE));
        follow(&follower, 1, 1000);
    }
    const rcore_transport_t at = position(&follower);
    EXPECT_NEAR(at.beat, beat + 100000 * 140 / (60.0 * STAGE_RATE), 1e-12);
    EXPECT_NEAR(at.beats_per_minute, 140, 0);
    EXPECT_EQUAL(at.pass, 1);
    stage_close(&follower.stage);
}

TEST(beats_that_move_are_followed) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    set_beats(&follower, 120, 0, 0);
    follow(&follower, 1, 1000);
    set_beats(&follower, 120, 0, 0.75); // less than a beat: the pass goes on
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 0.75 + 2000.0 / TRANSPORT_BEAT, 1e-12);
    EXPECT_EQUAL(position(&follower).pass, 1);
    set_beats(&follower, 120, 0, 1.8);
    follow(&follower, 1, 1000);
    EXPECT_EQUAL(position(&follower).pass, 2);
    set_beats(&follower, 120, 0, 1.8 + 1.5e-6); // slightly more than the tolerance
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 1.8 + 1.5e-6 + 4000.0 / TRANSPORT_BEAT, 1e-9);
    set_beats(&follower, 120, 0, 1.8 + 1.0e-6); // less
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 1.8 + 1.5e-6 + 5000.0 / TRANSPORT_BEAT, 1e-9);
    // Without a leader, the beats go on until the pass ends; then the map assigns them.
    follower.report.has_beats = false;
    follow(&follower, 1, 1000);
    EXPECT(!position(&follower).has_leader);
    EXPECT_EQUAL(position(&follower).pass, 2);
    follower.report.is_rolling = false;
    follow(&follower, 1, 1000);
    EXPECT_EQUAL(position(&follower).pass, 3);
    EXPECT_NEAR(position(&follower).beat, 6000.0 / TRANSPORT_BEAT, 1e-12);
    stage_close(&follower.stage);
}

TEST(a_bar_advances_within_a_cycle) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    set_beats(&follower, 120, 0, 3.9);
    follow(&follower, 1, 1000); // to beat 3.94
    EXPECT_EQUAL(position(&follower).bar, 0);
    set_beats(&follower, 120, 0, 3.9);
    follow(&follower, 1, 2000); // to beat 4.025
    EXPECT_EQUAL(position(&follower).bar, 1);
    EXPECT_NEAR(position(&follower).bar_begin, 4, 0);
    stage_close(&follower.stage);
}

TEST(invalid_beats_are_ignored) {
    follower_t follower = follower_open();
    set_beats(&follower, 120, 0, 0);
    const rcore_server_transport_t good = follower.report;
    for (unsigned i = 0; i < 16; i++) {
        follower.report = good;
        follow(&follower, 1, 64);
        EXPECT(position(&follower).has_leader);
        rcore_server_transport_t *report = &follower.report;
        double *const fields[] = {&report->beat, &report->beat_resolution, &report->beats_per_minute,
                                  &report->bar_begin};
        const double values[] = {NAN, INFINITY, -1e300};
        if (i < 12) {
            *fields[i / 3] = values[i % 3];
        } else {
            report->beats_per_bar = i == 12 ? 0 : i == 13 ? 65 : 4;
            report->beat_unit = i == 14 ? 0 : 4;
            report->beat_resolution = i == 15 ? 1.5 : 0;
        }
        follow(&follower, 1, 64);
        EXPECT(!position(&follower).has_leader);
        EXPECT(isfinite(position(&follower).beat) && isfinite(position(&follower).bar_begin));
    }
    EXPECT_EQUAL(position(&follower).pass, 1);
    stage_close(&follower.stage);
}

TEST(without_a_leader_the_map_assigns_beats) {
    follower_t follower = follower_open();
    follower.report.is_rolling = true;
    follower.report.frame = 24000;
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 25000.0 / TRANSPORT_BEAT, 1e-12);
    post_tempo(follower.stage.core, 60);
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 25000.0 / TRANSPORT_BEAT + 1000 / 48000.0, 1e-12);
    EXPECT_EQUAL(position(&follower).pass, 2);
    follower.report.frame = 48000; // a jump
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 49000 / 48000.0, 1e-12);
    // So it does once the transport stops after the leader has gone, also if the tempo has changed
    // meanwhile.
    set_beats(&follower, 60, 0, 0);
    follow(&follower, 1, 1000);
    post_tempo(follower.stage.core, 90);
    set_beats(&follower, 60, 0, 0);
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 51000 / 48000.0, 1e-12);
    follower.report.has_beats = false;
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 52000 / 48000.0, 1e-12);
    follower.report.is_rolling = false;
    follow(&follower, 1, 1000);
    EXPECT_NEAR(position(&follower).beat, 52000 / 32000.0, 1e-12);
    stage_close(&follower.stage);
}

// ---- The leader

/// Renders a cycle of both cores. The first one is the leader.
static void cycle_of_both(follower_t *leader, follower_t *other, bool is_jump, uint32_t period) {
    follow(leader, 1, period);
    follow(other, 1, period);
    rcore_lead_transport(leader->stage.core, leader->report.frame, is_jump, &leader->report);
    other->report = leader->report;
}

TEST(a_core_is_the_leader_of_another) {
    follower_t leader = follower_open(), other = follower_open();
    rcore_buffer_t *impulse = impulse_buffer(2);
    const rcore_tempo_change_t changes[] = {{.beats_per_minute = 97.3, .beats_per_bar = 3, .beat_unit = 8},
                                            {.beat = 7, .beats_per_minute = 131, .beats_per_bar = 4, .beat_unit = 4}};
    expect_ok(rcore_post_tempo_map(leader.stage.core, rcore_tempo_map_create(changes, 2, NULL)));
    cycle_of_both(&leader, &other, true, 480);
    cycle_of_both(&leader, &other, false, 480);
    const uint32_t passes[] = {position(&leader).pass, position(&other).pass};
    leader.report.is_rolling = other.report.is_rolling = true;
    for (unsigned beat = 0; beat < 40; beat++) {
        expect_ok(rcore_post_bus_gain(leader.stage.queue, 0, (float)beat, 0, at_beat(&leader.stage, beat)));
        expect_ok(rcore_post_bus_gain(other.stage.queue, 0, (float)beat, 0, at_beat(&other.stage, beat)));
    }
    rcore_buffer_t *constant = constant_buffer(1u << 20, 1.0f);
    (void)stage_play(&leader.stage, constant, RCORE_NOW);
    (void)stage_play(&other.stage, constant, RCORE_NOW);
    for (unsigned i = 0; i < 1000; i++) {
        if (i == 700) { // a live change: the beat stays
            post_tempo(leader.stage.core, 171);
        }
        cycle_of_both(&leader, &other, i % 7 == 0, 480); // the position just goes on
        const rcore_transport_t a = position(&leader), b = position(&other);
        EXPECT(a.has_leader && b.has_leader && a.frame == b.frame && a.beat == b.beat && a.bar == b.bar);
    }
    EXPECT(position(&leader).pass == passes[0] && position(&other).pass == passes[1]);
    EXPECT(memcmp(leader.stage.out[0], other.stage.out[0], sizeof(float) * leader.stage.nframes) == 0);
    EXPECT(leader.stage.out[0][leader.stage.nframes - 1] > 15.0f);
    const double expected = 7 + (7 - 7 * 60 / 97.3) * 131 / 60 + 3 * 171 / 60.0;
    EXPECT_NEAR(position(&other).beat, expected, 1e-9);
    // After a jump, the map begins at frame 0 again.
    leader.report.frame = other.report.frame = 48000;
    rcore_lead_transport(leader.stage.core, 48000, true, &leader.report);
    other.report = leader.report;
    EXPECT_NEAR(leader.report.beat, 171 / 60.0, 1e-12);
    cycle_of_both(&leader, &other, false, 480);
    EXPECT_NEAR(position(&leader).beat, 48480 / 48000.0 * 171 / 60, 1e-12);
    EXPECT_NEAR(position(&other).beat, 48480 / 48000.0 * 171 / 60, 1e-12);
    EXPECT_NEAR(leader.report.beat, 48480 / 48000.0 * 171 / 60, 1e-12);
    EXPECT_EQUAL(position(&other).pass, 2);
    stage_close(&leader.stage);
    stage_close(&other.stage);
    rcore_buffer_release(impulse);
    rcore_buffer_release(constant);
}

TEST(a_core_on_its_own_may_compute_reports) {
    stage_t stage = stage_open(NULL);
    rcore_server_transport_t report = {.is_rolling = true, .frame = 7, .beat_resolution = 1};
    rcore_lead_transport(stage.core, 5 * TRANSPORT_BEAT, false, &report);
    EXPECT(report.is_rolling && report.frame == 7 && report.has_beats);
    EXPECT_NEAR(report.beat, 5, 0);
    EXPECT_NEAR(report.beat_resolution, 0, 0);
    EXPECT_NEAR(report.beats_per_minute, 120, 0);
    EXPECT(report.bar == 1 && report.bar_begin == 4 && report.beats_per_bar == 4 && report.beat_unit == 4);
    stage_close(&stage);
}

// ---- Preparation

TEST(a_pass_is_prepared) {
    follower_t follower = follower_open();
    rcore_t *core = follower.stage.core;
    EXPECT(rcore_is_prepared(core, 12345)); // not required
    rcore_require_preparation(core, true);
    EXPECT(!rcore_is_prepared(core, 0));
    rcore_report_prepared(core, 0); // has ended
    EXPECT(!rcore_is_prepared(core, 0));
    rcore_report_prepared(core, 1);
    EXPECT(rcore_is_prepared(core, 0));
    EXPECT(!rcore_is_prepared(core, 500)); // the core does not know this jump
    follower.report.frame = 500;
    follower.report.is_starting = true;
    follow(&follower, 1, 64);
    EXPECT(!rcore_is_prepared(core, 500));
    EXPECT(position(&follower).pass == 2 && position(&follower).is_starting);
    rcore_report_prepared(core, 2);
    EXPECT(rcore_is_prepared(core, 500));
    rcore_require_preparation(core, false);
    EXPECT(rcore_is_prepared(core, 1));
    stage_close(&follower.stage);
    // Pass 0, before anything was reported.
    stage_t stage = stage_open(NULL);
    rcore_require_preparation(stage.core, true);
    EXPECT(!rcore_is_prepared(stage.core, 0));
    stage_close(&stage);
}

TEST(changes_of_the_server_wake_control) {
    follower_t follower = follower_open();
    follow(&follower, 2, 64);
    (void)rcore_try_wait(follower.stage.core);
    follow(&follower, 2, 64);
    EXPECT(!rcore_try_wait(follower.stage.core));
    follower.report.is_starting = true;
    follow(&follower, 1, 64);
    EXPECT(rcore_try_wait(follower.stage.core));
    set_beats(&follower, 120, 0, 0); // the same tempo, but a leader
    follow(&follower, 1, 64);
    EXPECT(rcore_try_wait(follower.stage.core));
    follow(&follower, 1, 64);
    EXPECT(!rcore_try_wait(follower.stage.core));
    stage_close(&follower.stage);
}

int main(void) {
    RUN(a_core_follows_the_server);
    RUN(a_jump_begins_a_pass);
    RUN(a_jump_discards_and_ends);
    RUN(a_gap_is_not_a_jump);
    RUN(a_cycle_without_a_report_is_stopped);
    RUN(a_report_is_for_one_cycle_of_a_follower);
    RUN(a_core_that_ceases_to_follow_has_no_leader);
    RUN(a_new_sample_rate_keeps_the_beat_of_the_leader);
    RUN(the_frames_of_the_server_may_wrap);
    RUN(coarse_ticks_stay_exact_for_an_hour);
    RUN(beats_that_do_not_begin_with_the_frames_have_an_anchor);
    RUN(a_new_tempo_goes_on_from_the_beat);
    RUN(beats_that_move_are_followed);
    RUN(a_bar_advances_within_a_cycle);
    RUN(invalid_beats_are_ignored);
    RUN(without_a_leader_the_map_assigns_beats);
    RUN(a_core_is_the_leader_of_another);
    RUN(a_core_on_its_own_may_compute_reports);
    RUN(a_pass_is_prepared);
    RUN(changes_of_the_server_wake_control);
    return test_result();
}
