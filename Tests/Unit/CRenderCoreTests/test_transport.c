// The core's own transport, and commands for beats.
#include "instrument_stage.h"
#include "random.h"
#include "transport_stage.h"

#include <pthread.h>
#include <stdatomic.h>

TEST(a_new_core_is_stopped_at_its_start) {
    stage_t stage = stage_open(NULL);
    for (unsigned turn = 0; turn < 2; turn++) {
        const rcore_transport_t transport = rcore_read_transport(stage.core);
        EXPECT_EQUAL(transport.time, turn * 1000);
        EXPECT_EQUAL(transport.frame, 0);
        EXPECT_NEAR(transport.beat, 0, 0);
        EXPECT_NEAR(transport.beats_per_minute, 120, 0);
        EXPECT(transport.beats_per_bar == 4 && transport.beat_unit == 4 && transport.bar == 0);
        EXPECT_EQUAL(transport.pass, 0);
        EXPECT(!transport.is_rolling && !transport.is_starting && transport.source == RCORE_TRANSPORT_OWN &&
               !transport.has_leader);
        stage_render(&stage, 1000, 100);
    }
    stage_close(&stage);
}

/// Renders impulses at beats, starting in the middle of a period.
static void render_beats(uint32_t period) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    const double beats[] = {0, 1.0 / 3, 0.5, 1, 1.0001, 2};
    const uint64_t frames[] = {0, 8000, 12000, 24000, 24002, 48000};
    // In an order other than that of the beats.
    for (unsigned i = 0; i < 6; i++) {
        (void)play_impulse(&stage, impulse, rcore_beat_time(0, beats[(i * 5 + 3) % 6]));
    }
    stage_render(&stage, 10000, period); // it is stopped
    EXPECT_EQUAL(first_other(stage.out[0], 0, stage.nframes, 0.0f), -1);
    expect_ok(rcore_post_transport_start(stage.queue, 12345));
    stage_render(&stage, 55000, period);
    uint64_t expected[6];
    for (unsigned i = 0; i < 6; i++) {
        expected[i] = 12345 + frames[i];
    }
    expect_impulses(&stage, 0, expected, 6);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    const rcore_transport_t transport = rcore_read_transport(stage.core);
    EXPECT(transport.is_rolling);
    EXPECT_EQUAL(transport.time, stage.nframes);
    EXPECT_EQUAL(transport.frame, stage.nframes - 12345);
    EXPECT_NEAR(transport.beat, (double)transport.frame / TRANSPORT_BEAT, 1e-12);
    EXPECT_EQUAL(transport.pass, 0);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(commands_take_effect_on_the_frame_of_their_beat) {
    const uint32_t periods[] = {64, 1, 1023, 8192, 480, STAGE_CHANGING_PERIODS};
    for (unsigned i = 0; i < 6; i++) {
        render_beats(periods[i]);
    }
}

TEST(a_beat_between_two_frames_is_on_the_nearest) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    post_tempo(stage.core, 351.5625); // 8192 frames a beat: half frames have exact beats
    const double frames[] = {100.25, 200.75, 300.5, 400.5 - 1.0 / 2048, 500};
    for (unsigned i = 0; i < 5; i++) {
        (void)play_impulse(&stage, impulse, rcore_beat_time(1, frames[i] / 8192));
    }
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 1000, 64);
    const uint64_t expected[] = {100, 201, 301, 400, 500};
    expect_impulses(&stage, 0, expected, 5);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(times_of_beats_are_clamped_and_rounded) {
    const uint64_t first = UINT64_C(1) << 63;
    EXPECT(rcore_beat_time(0, 0) == first && rcore_beat_time(0, -1) == first && rcore_beat_time(0, NAN) == first);
    EXPECT(rcore_beat_time(0, 1) == first + (1u << 24));
    EXPECT(rcore_beat_time(0, 1 + 0.6 / 16777216) == first + (1u << 24) + 1);
    EXPECT(rcore_beat_time(0, 1e300) == rcore_beat_time(0, RCORE_MAX_BEAT));
    EXPECT(rcore_beat_time(0, INFINITY) < rcore_beat_time(1, 0));
    EXPECT(rcore_beat_time(0x8001, 2) == rcore_beat_time(1, 2));
}

TEST(at_one_frame_the_order_is_that_of_beats_then_of_posts) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *constant = constant_buffer(100000, 1.0f);
    (void)stage_play(&stage, constant, RCORE_NOW);
    // Four beats on frame 24000; the last of the latest one decides.
    const double near = 0.1 / TRANSPORT_BEAT;
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.1f, 0, rcore_beat_time(0, 1 + near)));
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.2f, 0, rcore_beat_time(0, 1 + near)));
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.3f, 0, rcore_beat_time(0, 1)));
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.4f, 0, rcore_beat_time(0, 1 - near)));
    // At a frame, commands for frames come first.
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, rcore_beat_time(0, 0.5)));
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.6f, 0, 12000));
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 30000, 512);
    EXPECT_EQUAL(first_other(stage.out[0], 12000, 24000, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 24000, 30000, 0.2f), -1);
    stage_close(&stage);
    rcore_buffer_release(constant);
}

TEST(a_transaction_may_be_at_a_beat) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *constant = constant_buffer(10, 0.25f);
    expect_ok(rcore_transaction_begin(stage.queue));
    for (unsigned i = 0; i < 3; i++) {
        (void)stage_play(&stage, constant, rcore_beat_time(0, 0.25));
    }
    expect_ok(rcore_post_transport_start(stage.queue, 77));
    expect_ok(rcore_transaction_commit(stage.queue));
    stage_render(&stage, 7000, STAGE_CHANGING_PERIODS);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 6077, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 6077, 6087, 0.75f), -1);
    stage_close(&stage);
    rcore_buffer_release(constant);
}

TEST(a_command_for_a_passed_beat_is_late) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    uint64_t late = 0;
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 24000, 480);
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1)); // just in time
    stage_render(&stage, 480, 480);
    EXPECT_EQUAL(late_since(&stage, &late), 0);
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1));
    stage_render(&stage, 480, 480);
    EXPECT_EQUAL(late_since(&stage, &late), 1);
    const uint64_t expected[] = {24000, 24480};
    expect_impulses(&stage, 0, expected, 2);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(a_skip_does_not_advance_the_transport) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1));
    stage_render(&stage, 1000, 100);
    rcore_skip(stage.core, 50000);
    stage_render(&stage, 23001, 100);
    const uint64_t expected[] = {24000};
    expect_impulses(&stage, 0, expected, 1);
    EXPECT_EQUAL(rcore_read_transport(stage.core).time, 74001);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

// ---- Passes

TEST(stopping_begins_a_pass) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    expect_ok(rcore_post_transport_stop(stage.queue, RCORE_NOW)); // it is stopped
    expect_ok(rcore_post_transport_start(stage.queue, 100));
    expect_ok(rcore_post_transport_start(stage.queue, 150)); // it rolls
    expect_ok(rcore_post_transport_stop(stage.queue, 1100));
    const rcore_voice_t voice = play_impulse(&stage, impulse, rcore_beat_time(0, 1000.0 / TRANSPORT_BEAT));
    stage_render(&stage, 2000, 512);
    // The stop is on the frame of the beat, and first.
    EXPECT_EQUAL(first_other(stage.out[0], 0, 2000, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, voice), RCORE_END_STOPPED);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    const rcore_transport_t transport = rcore_read_transport(stage.core);
    EXPECT_EQUAL(transport.frame, 1000);
    EXPECT_EQUAL(transport.pass, 1);
    EXPECT(!transport.is_rolling);
    // It goes on from there, in the new pass.
    (void)play_impulse(&stage, impulse, rcore_beat_time(1, 1000.0 / TRANSPORT_BEAT));
    (void)play_impulse(&stage, impulse, rcore_beat_time(1, 1010.0 / TRANSPORT_BEAT));
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1005.0 / TRANSPORT_BEAT)); // ended
    (void)play_impulse(&stage, impulse, rcore_beat_time(2, 1006.0 / TRANSPORT_BEAT)); // later
    expect_ok(rcore_post_transport_start(stage.queue, 2500));
    stage_render(&stage, 1000, 512);
    const uint64_t expected[] = {2500, 2510};
    expect_impulses(&stage, 0, expected, 2);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(the_transport_is_located_exactly) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    EXPECT_EQUAL(rcore_post_transport_locate(stage.queue, -0.1, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_transport_locate(stage.queue, NAN, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_transport_locate(stage.queue, RCORE_MAX_BEAT + 1, RCORE_NOW), RCORE_BAD_ARGUMENT);
    expect_ok(rcore_post_transport_locate(stage.queue, 8, RCORE_NOW)); // stopped
    stage_render(&stage, 100, 100);
    rcore_transport_t transport = rcore_read_transport(stage.core);
    EXPECT(transport.frame == 8 * TRANSPORT_BEAT && transport.pass == 1 && transport.bar == 2 && !transport.is_rolling);
    expect_ok(rcore_post_transport_start(stage.queue, 150));
    (void)play_impulse(&stage, impulse, rcore_beat_time(1, 8));
    (void)play_impulse(&stage, impulse, rcore_beat_time(1, 9)); // discarded
    // A loop of 101 frames: commands for the next pass are posted once it has begun.
    expect_ok(rcore_post_transport_locate(stage.queue, 4, rcore_beat_time(1, 8 + 101.0 / TRANSPORT_BEAT)));
    stage_render(&stage, 300, 64);
    transport = rcore_read_transport(stage.core);
    EXPECT_EQUAL(transport.pass, 2);
    EXPECT_EQUAL(transport.frame, 4 * TRANSPORT_BEAT + 149);
    EXPECT(transport.is_rolling);
    (void)play_impulse(&stage, impulse, rcore_beat_time(2, 4 + 200.0 / TRANSPORT_BEAT));
    stage_render(&stage, 60000, 64);
    const uint64_t expected[] = {150, 451};
    expect_impulses(&stage, 0, expected, 2);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(a_command_for_the_located_beat_is_on_its_frame) {
    struct random random = random_seeded(random_seed(2));
    stage_t stage = stage_open(NULL);
    post_tempo(stage.core, 1.3); // 2^-24 of a beat is a part of a frame that counts
    for (uint32_t i = 0; i < 500; i++) {
        const double beat = random_below(&random, 1u << 24) / 1000.0;
        expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
        expect_ok(rcore_post_transport_locate(stage.queue, beat, RCORE_NOW));
        expect_ok(rcore_post_transport_stop(stage.queue, rcore_beat_time(2 * i + 2, beat)));
        stage_render(&stage, 1, 1);
        const rcore_transport_t transport = rcore_read_transport(stage.core);
        EXPECT(!transport.is_rolling && transport.pass == 2 * i + 3);
        EXPECT_NEAR((double)transport.frame, beat * 60 / 1.3 * STAGE_RATE, 0.6);
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    stage_close(&stage);
}

TEST(the_middle_of_two_frames_is_the_second_one) {
    stage_t stage = stage_open(NULL);
    post_tempo(stage.core, 125); // 22.5 frames are 1/1024 of a beat; computed, it may be less
    for (int i = 1; i < 3000; i += 2) {
        expect_ok(rcore_post_transport_locate(stage.queue, i / 1024.0, RCORE_NOW));
        stage_render(&stage, 1, 1);
        EXPECT_EQUAL(rcore_read_transport(stage.core).frame, (45 * i + 1) / 2);
    }
    stage_close(&stage);
}

TEST(a_new_pass_ends_sounds) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *constant = constant_buffer(100, 0.25f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = constant;
    params.loop_end = 100;
    params.loop_count = UINT64_MAX;
    const rcore_voice_t stopped = stage_start(&stage, &params, rcore_beat_time(0, 0));
    const rcore_voice_t left = stage_start(&stage, &params, rcore_beat_time(0, 0));
    params.bus = 1;
    const rcore_voice_t all = stage_start(&stage, &params, rcore_beat_time(0, 0));
    expect_ok(rcore_post_stop(stage.queue, stopped, 0, rcore_beat_time(0, 4)));
    expect_ok(rcore_post_leave_loop(stage.queue, left, rcore_beat_time(0, 4)));
    expect_ok(rcore_post_stop_all(stage.queue, 1, 0, rcore_beat_time(0, 4)));
    expect_ok(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, rcore_beat_time(0, 3))); // discarded
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    expect_ok(rcore_post_transport_stop(stage.queue, 1050));
    stage_render(&stage, 2000, 512);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 1050, 0.75f), -1);
    // What would stop all voices of a bus is discarded: it would end those of others as well.
    EXPECT_EQUAL(first_other(stage.out[0], 1050, 1100, 0.5f), -1);
    EXPECT_EQUAL(first_other(stage.out[0], 1100, 2000, 0.25f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, all), RCORE_VOICE_PLAYING);
    // In a ring for another pass: the same.
    const rcore_voice_t next = stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 100, 100);
    expect_ok(rcore_post_stop(stage.queue, next, 0, rcore_beat_time(0, 4)));
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_voice_state(stage.core, next), RCORE_VOICE_ENDED);
    stage_close(&stage);
    rcore_buffer_release(constant);
}

TEST(stopping_all_voices_finds_those_that_wait_for_a_beat) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    const rcore_voice_t other = play_impulse(&stage, impulse, rcore_beat_time(0, 1));
    const rcore_voice_t voice = stage_play_on(&stage, impulse, 1, rcore_beat_time(0, 1));
    stage_render(&stage, 100, 100);
    expect_ok(rcore_post_stop_all(stage.queue, 1, 0, RCORE_NOW));
    stage_render(&stage, 100, 100);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_state(stage.core, other), RCORE_VOICE_WAITING);
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 30000, 100);
    const uint64_t expected[] = {24200};
    expect_impulses(&stage, 0, expected, 1);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(a_new_pass_leaks_nothing) {
    rcore_config_t config = stage_config();
    config.max_curves = 3;
    stage_t stage = stage_open(&config);
    rcore_buffer_t *impulse = impulse_buffer(2);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = impulse;
    params.one_shot = true;
    const unsigned passes = 33000; // more than the 2^15 that are compared
    unsigned full = 0;
    for (unsigned i = 0; i < passes; i++) {
        const uint32_t pass = i % 3 == 0 ? i + 1 : i; // not begun, or the current one
        const rcore_voice_t voice = rcore_voice_acquire(stage.core);
        full += rcore_post_start(stage.queue, voice, &params, rcore_beat_time(pass, 1 + i % 7)) != RCORE_OK;
        full += rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 0, 0.5f, RCORE_CURVE_S, 100,
                                 rcore_beat_time(pass, 2)) != RCORE_OK;
        full += rcore_post_transport_stop(stage.queue, rcore_beat_time(pass, 2)) != RCORE_OK;
        full += rcore_post_transport_locate(stage.queue, 0.5, RCORE_NOW) != RCORE_OK;
        stage_render(&stage, 1, 1);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_FREE);
    }
    EXPECT_EQUAL(full, 0);
    EXPECT_EQUAL(rcore_buffer_users(impulse), 0);
    EXPECT_EQUAL(rcore_read_transport(stage.core).pass, passes);
    // Every place is free.
    for (unsigned i = 0; i < config.max_curves; i++) {
        expect_ok(rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 0, 0.5f, RCORE_CURVE_S, 100, 1u << 30));
    }
    uint32_t places = config.max_curves;
    for (; rcore_post_bus_gain(stage.queue, 0, 1, 0, rcore_beat_time(passes, 3)) == RCORE_OK; places++) {
        stage_render(&stage, 1, 1);
    }
    EXPECT_EQUAL(places, config.command_capacity);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(a_new_pass_ends_notes) {
    rcore_buffer_t *constant = constant_buffer(100, 0.25f);
    rcore_zone_t zone = player_zone(constant);
    zone.loops = true;
    zone.loop_end = 100;
    player_t player = player_open(NULL, NULL, &zone, 1);
    stage_t *stage = &player.stage;
    player_send(&player, 0x90, 60, 100, rcore_beat_time(0, 0));
    player_send(&player, 0x90, 62, 100, rcore_beat_time(0, 0));
    player_send(&player, 0x90, 64, 100, rcore_beat_time(0, 0));
    player_send(&player, 0xB1, 64, 127, rcore_beat_time(0, 0));
    player_send(&player, 0x91, 64, 100, rcore_beat_time(0, 0));
    player_send(&player, 0x80, 60, 0, rcore_beat_time(0, 1));
    player_send(&player, 0x90, 62, 0, rcore_beat_time(0, 1));
    player_send(&player, 0x90, 66, 100, rcore_beat_time(0, 1)); // does not begin
    player_send(&player, 0x91, 64, 0, rcore_beat_time(0, 1));
    player_send(&player, 0xB1, 64, 0, rcore_beat_time(0, 2)); // releases the pedal
    player_send(&player, 0xB1, 7, 0, rcore_beat_time(0, 1));  // discarded
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    expect_ok(rcore_post_transport_stop(stage->queue, 1000));
    player_render_to(&player, 2000, 256);
    EXPECT_EQUAL(first_other(stage->out[0], INSTRUMENT_READY, 1000, 1.0f), -1);
    EXPECT_EQUAL(first_other(stage->out[0], 1000, 2000, 0.25f), -1); // key 64 of channel 0
    player_send(&player, 0xB0, 123, 0, rcore_beat_time(0, 9));
    player_render_to(&player, 3000, 256);
    EXPECT_EQUAL(first_other(stage->out[0], 2256, 3000, 0.25f), -1);
    player_send(&player, 0x80, 64, 0, rcore_beat_time(0, 9));
    player_render_to(&player, 4000, 256);
    EXPECT_EQUAL(first_other(stage->out[0], 3256, 4000, 0.0f), -1);
    player_close(&player);
    rcore_buffer_release(constant);
}

TEST(plans_have_no_beats) {
    stage_t stage = stage_open(NULL);
    rcore_plan_t *plan = stage_plan(stage.gate);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, rcore_beat_time(0, 1)), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
    stage_close(&stage);
}

TEST(beats_do_not_take_the_places_of_other_queues) {
    rcore_config_t config = stage_config();
    stage_t stage = stage_open(&config);
    for (uint32_t q = 0; q < config.max_queues; q++) {
        rcore_queue_t *queue = q == 0 ? stage.queue : rcore_queue_open(stage.core, NULL);
        for (uint32_t i = 0; i < config.command_capacity; i++) {
            const uint64_t when = rcore_beat_time(0, 1 + (i * 37 + q * 11) % 64);
            expect_ok(rcore_post_bus_gain(queue, 0, (float)i, 0, when));
            stage_render(&stage, 1, 1);
        }
        EXPECT_EQUAL(rcore_post_bus_gain(queue, 0, 1, 0, rcore_beat_time(0, 1)), RCORE_FULL);
        EXPECT_EQUAL(rcore_post_transport_stop(queue, rcore_beat_time(0, 1)), RCORE_FULL);
        EXPECT_EQUAL(rcore_post_transport_start(queue, rcore_beat_time(0, 1)), RCORE_BAD_ARGUMENT);
    }
    // Events use the memory after that of the waiting commands.
    rcore_buffer_t *impulse = impulse_buffer(2);
    for (uint32_t i = 0; i < config.event_capacity; i++) {
        const rcore_voice_t voice = play_impulse(&stage, impulse, RCORE_NOW);
        stage_render(&stage, 2, 2);
        expect_ok(rcore_voice_release(stage.core, voice));
    }
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 70 * TRANSPORT_BEAT, 8192);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    for (uint32_t i = 0; i < config.command_capacity; i++) {
        expect_ok(rcore_post_bus_gain(stage.queue, 0, 1, 0, rcore_beat_time(0, 100)));
    }
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

// ---- Tempo

TEST(a_new_tempo_keeps_the_beat) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1));
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 2));
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 12000, 480);
    post_tempo(stage.core, 60); // at beat 0.5: 48000 frames a beat
    stage_render(&stage, 480, 480);
    rcore_transport_t transport = rcore_read_transport(stage.core);
    EXPECT_NEAR(transport.beat, 0.51, 1e-12);
    EXPECT_NEAR(transport.beats_per_minute, 60, 0);
    EXPECT_EQUAL(transport.pass, 0);
    EXPECT_EQUAL(transport.frame, 12480);
    stage_render(&stage, 80000, 480);
    const uint64_t expected[] = {36000, 84000};
    expect_impulses(&stage, 0, expected, 2);
    // After a jump, frame 0 is beat 0 again.
    expect_ok(rcore_post_transport_locate(stage.queue, 3, RCORE_NOW));
    stage_render(&stage, 480, 480);
    transport = rcore_read_transport(stage.core);
    EXPECT_EQUAL(transport.frame, 3 * 48000 + 480);
    EXPECT_NEAR(transport.beat, 3.01, 1e-12);
    // Only a jump: a stop keeps the beat.
    post_tempo(stage.core, 120);
    expect_ok(rcore_post_transport_stop(stage.queue, stage.nframes + 480));
    stage_render(&stage, 960, 480);
    EXPECT_NEAR(rcore_read_transport(stage.core).beat, 3.03, 1e-12);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(a_new_sample_rate_keeps_the_beat) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    (void)play_impulse(&stage, impulse, rcore_beat_time(0, 1));
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 12000, 480);
    expect_ok(rcore_set_sample_rate(stage.core, 96000));
    stage_render(&stage, 30000, 480);
    const uint64_t expected[] = {36000};
    expect_impulses(&stage, 0, expected, 1);
    EXPECT_NEAR(rcore_read_transport(stage.core).beat, 0.5 + 30000 / 48000.0, 1e-12);
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

TEST(tempo_maps_are_collected) {
    stage_t stage = stage_open(NULL);
    EXPECT_EQUAL(rcore_post_tempo_map(stage.core, NULL), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_collect_tempo_maps(stage.core), 0);
    const rcore_tempo_change_t change = {.beats_per_minute = 90, .beats_per_bar = 3, .beat_unit = 8};
    rcore_tempo_map_t *map = rcore_tempo_map_create(&change, 1, NULL);
    expect_ok(rcore_post_tempo_map(stage.core, map));
    EXPECT_EQUAL(rcore_post_tempo_map(stage.core, map), RCORE_BAD_ARGUMENT);
    post_tempo(stage.core, 100);
    EXPECT_EQUAL(rcore_collect_tempo_maps(stage.core), 2);
    stage_render(&stage, 1, 1);
    EXPECT_EQUAL(rcore_collect_tempo_maps(stage.core), 1);
    post_tempo(stage.core, 110);
    EXPECT_EQUAL(rcore_collect_tempo_maps(stage.core), 2);
    stage_render(&stage, 1, 1);
    EXPECT_EQUAL(rcore_collect_tempo_maps(stage.core), 1);
    post_tempo(stage.core, 120);
    stage_close(&stage);
}

// ---- Control

TEST(a_new_map_wakes_control) {
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 100, 100);
    (void)rcore_try_wait(stage.core);
    for (unsigned turn = 0; turn < 2; turn++) { // also one that only lets the other be collected
        post_tempo(stage.core, 77);
        stage_render(&stage, 100, 100);
        EXPECT(rcore_try_wait(stage.core));
        EXPECT_NEAR(rcore_read_transport(stage.core).beats_per_minute, 77, 0);
        stage_render(&stage, 100, 100);
        EXPECT(!rcore_try_wait(stage.core));
    }
    stage_close(&stage);
}

TEST(a_change_wakes_control) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *constant = constant_buffer(10, 0);
    const rcore_tempo_change_t changes[] = {{.beats_per_minute = 120, .beats_per_bar = 4, .beat_unit = 4},
                                            {.beat = 0.5, .beats_per_minute = 120, .beats_per_bar = 4, .beat_unit = 4},
                                            {.beat = 1, .beats_per_minute = 120, .beats_per_bar = 3, .beat_unit = 4},
                                            {.beat = 2, .beats_per_minute = 100, .beats_per_bar = 3, .beat_unit = 4}};
    expect_ok(rcore_post_tempo_map(stage.core, rcore_tempo_map_create(changes, 4, NULL)));
    stage_render(&stage, 100, 100);
    (void)rcore_try_wait(stage.core);
    stage_render(&stage, 1000, 100);
    EXPECT(!rcore_try_wait(stage.core));
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    stage_render(&stage, 100, 100);
    EXPECT(rcore_try_wait(stage.core));
    stage_render(&stage, 23800, 100); // beat 0.5 changes nothing
    EXPECT(!rcore_try_wait(stage.core));
    stage_render(&stage, 200, 100); // the meter
    EXPECT(rcore_try_wait(stage.core));
    stage_render(&stage, 23000, 100);
    EXPECT(!rcore_try_wait(stage.core));
    stage_render(&stage, 1000, 100); // the tempo
    EXPECT(rcore_try_wait(stage.core));
    expect_ok(rcore_post_transport_locate(stage.queue, 4, RCORE_NOW));
    stage_render(&stage, 100, 100);
    EXPECT(rcore_try_wait(stage.core));
    // Also in a cycle without frames.
    expect_ok(rcore_post_transport_stop(stage.queue, RCORE_NOW));
    rcore_process(stage.core, NULL, 0, NULL, 0, 0);
    EXPECT(rcore_try_wait(stage.core));
    EXPECT(!rcore_read_transport(stage.core).is_rolling);
    EXPECT_EQUAL(rcore_read_transport(stage.core).pass, 3);
    stage_close(&stage);
    rcore_buffer_release(constant);
}

static atomic_bool has_ended;

/// Reads positions, and checks that each is whole: the frame follows from the time.
static void *read_positions(void *argument) {
    const rcore_t *core = argument;
    uint64_t before = 0;
    bool is_right = true;
    while (!atomic_load(&has_ended)) {
        const rcore_transport_t transport = rcore_read_transport(core);
        is_right = is_right && transport.time >= before && transport.frame == (int64_t)transport.time &&
                   fabs(transport.beat * TRANSPORT_BEAT - (double)transport.frame) < 1e-6;
        before = transport.time;
    }
    return is_right ? argument : NULL;
}

TEST(a_position_is_read_whole) {
    stage_t stage = stage_open(NULL);
    expect_ok(rcore_post_transport_start(stage.queue, RCORE_NOW));
    pthread_t threads[2];
    for (unsigned i = 0; i < 2; i++) {
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, read_positions, stage.core), 0);
    }
    for (unsigned i = 0; i < 100000; i++) {
        rcore_process(stage.core, NULL, 0, NULL, 0, 3);
    }
    atomic_store(&has_ended, true);
    for (unsigned i = 0; i < 2; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        EXPECT(result != NULL);
    }
    stage_close(&stage);
}

int main(void) {
    RUN(a_new_core_is_stopped_at_its_start);
    RUN(commands_take_effect_on_the_frame_of_their_beat);
    RUN(a_beat_between_two_frames_is_on_the_nearest);
    RUN(times_of_beats_are_clamped_and_rounded);
    RUN(at_one_frame_the_order_is_that_of_beats_then_of_posts);
    RUN(a_transaction_may_be_at_a_beat);
    RUN(a_command_for_a_passed_beat_is_late);
    RUN(a_skip_does_not_advance_the_transport);
    RUN(stopping_begins_a_pass);
    RUN(the_transport_is_located_exactly);
    RUN(a_command_for_the_located_beat_is_on_its_frame);
    RUN(the_middle_of_two_frames_is_the_second_one);
    RUN(a_new_pass_ends_sounds);
    RUN(stopping_all_voices_finds_those_that_wait_for_a_beat);
    RUN(a_new_pass_leaks_nothing);
    RUN(a_new_pass_ends_notes);
    RUN(plans_have_no_beats);
    RUN(beats_do_not_take_the_places_of_other_queues);
    RUN(a_new_tempo_keeps_the_beat);
    RUN(a_new_sample_rate_keeps_the_beat);
    RUN(tempo_maps_are_collected);
    RUN(a_new_map_wakes_control);
    RUN(a_change_wakes_control);
    RUN(a_position_is_read_whole);
    return test_result();
}
