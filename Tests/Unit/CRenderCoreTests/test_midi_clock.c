// The transport that follows a MIDI clock: messages, and where they come from.
#include "midi_clock_stage.h"

// ---- Start, stop, continue

TEST(rolls_from_the_first_clock_after_a_start) {
    const uint32_t periods[] = {1, 64, 1000, 8192};
    for (uint32_t turn = 0; turn < 4; turn++) {
        clock_stage_t *scene = clock_stage_open();
        rcore_buffer_t *impulse = impulse_buffer(2);
        play_beats(scene, impulse, 0.0, 0.5, 5);
        // The clock runs before the start, at another phase.
        const double next = add_clocks(scene, 300, 1000, 20);
        add(scene, 19900, START);
        EXPECT_NEAR(next, 20300, 0);
        (void)add_clocks(scene, 20300, 1000, 60);
        const rcore_transport_t at = render_to(scene, 20300 + 55000, periods[turn]);
        expect_impulses(&scene->stage, 0, (uint64_t[]){20300, 32300, 44300, 56300, 68300}, 5);
        EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
        EXPECT(at.is_rolling && !at.is_starting && at.source == RCORE_TRANSPORT_MIDI_CLOCK && !at.is_by_map);
        EXPECT(!at.has_leader);
        EXPECT_NEAR(at.beat, 55000.0 / TRANSPORT_BEAT, 1e-9);
        EXPECT_NEAR(at.beats_per_minute, 120, 1e-9);
        EXPECT_EQUAL(at.frame, 55000);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(clocks_alone_do_not_roll) {
    clock_stage_t *scene = clock_stage_open();
    (void)add_clocks(scene, 300, 750, 40);
    const rcore_transport_t at = render_to(scene, 25000, 256);
    EXPECT(!at.is_rolling && !at.is_starting && at.beat == 0.0);
    EXPECT_NEAR(at.beats_per_minute, 160, 1e-9);
    clock_stage_close(scene);
}

TEST(a_start_waits_for_a_clock) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    const rcore_transport_t at = render_to(scene, 48000, 256);
    EXPECT(!at.is_rolling && at.is_starting && at.beat == 0.0);
    add(scene, 50000, CLOCK);
    EXPECT(render_to(scene, 50001, 256).is_rolling);
    // By the tempo map, until the clock is measured.
    EXPECT_NEAR(position(scene).beat, 1.0 / TRANSPORT_BEAT, 1e-9);
    clock_stage_close(scene);
}

TEST(a_stop_and_a_continue_go_on_with_the_next_clock) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 31); // clocks 0…30, the last at 31,000
    add(scene, 31400, STOP);
    rcore_transport_t at = render_to(scene, 31500, 64);
    const uint32_t stopped = at.pass;
    EXPECT(!at.is_rolling && !at.is_starting);
    EXPECT_NEAR(at.beat, 31.0 / 24.0, 1e-9); // where a continue goes on
    next = add_clocks(scene, next, 1000, 5);
    at = render_to(scene, next, 64);
    EXPECT(!at.is_rolling && at.pass == stopped);
    // Long after the last clock: the beats went on, and are taken back.
    rcore_buffer_t *impulse = impulse_buffer(2);
    play_beats(scene, impulse, 31.0 / 24.0, 1.0 / 24.0, 3);
    add(scene, next, CONTINUE);
    (void)add_clocks(scene, next + 321, 1000, 4);
    const uint64_t from = scene->stage.nframes;
    at = render_to(scene, next + 2400, 64);
    EXPECT(at.is_rolling && at.pass == stopped);
    expect_impulses(&scene->stage, from, (uint64_t[]){37321, 38321, 39321}, 3);
    EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
    clock_stage_close(scene);
    rcore_buffer_release(impulse);
}

TEST(a_stop_discards_what_waits_for_beats) {
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = clock_stage_open();
        rcore_buffer_t *impulse = impulse_buffer(2);
        add(scene, 200, STOP); // it is stopped already
        add(scene, 300, START);
        (void)add_clocks(scene, 1000, 1000, 31);
        EXPECT_EQUAL(render_to(scene, 30000, 64).pass, 1);
        play_beats(scene, impulse, 1.5, 0.25, 8);
        const uint8_t stop = STOP;
        if (turn == 0) {
            add(scene, 31500, STOP);
        } else {
            expect_ok(rcore_post_midi(scene->stage.queue, TRANSPORT_TARGET, &stop, 1, 31500));
        }
        EXPECT_EQUAL(render_to(scene, 32000, 64).pass, 2);
        add(scene, 32100, CONTINUE);
        (void)add_clocks(scene, 33000, 1000, 48);
        (void)render_to(scene, 80000, 64);
        expect_impulses(&scene->stage, 0, NULL, 0);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(a_stop_between_clocks_is_at_the_next_one) {
    const double stops[] = {1, 600, 3000, 11000};
    for (uint32_t i = 0; i < 4; i++) {
        clock_stage_t *scene = clock_stage_open();
        add(scene, 200, START);
        (void)add_clocks(scene, 1000, 1000, 31);
        add(scene, 31000 + stops[i], STOP);
        EXPECT_NEAR(render_to(scene, 31000 + stops[i] + 100, 64).beat, 31 / 24.0, 1e-9);
        clock_stage_close(scene);
    }
}

TEST(clocks_at_another_phase_after_a_start_are_no_other_tempo) {
    const uint8_t starts[] = {START, CONTINUE};
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = clock_stage_open();
        add(scene, 200, START);
        const double next = add_clocks(scene, 1000, 1000, 60);
        add(scene, next - 900, STOP);
        add(scene, next - 800, starts[turn]);
        const double first = next - 350;
        (void)add_clocks(scene, first, 1000, 12);
        const double begin = turn == 0 ? 0.0 : 60 / 24.0;
        for (uint32_t i = 0; i < 11; i++) {
            const rcore_transport_t at = render_to(scene, first + i * 1000 + 500, 64);
            EXPECT_NEAR(at.beat, begin + (i + 0.5) / 24, 2.0 / TRANSPORT_BEAT);
            EXPECT_NEAR(at.beats_per_minute, 120, 0.01);
        }
        clock_stage_close(scene);
    }
}

TEST(a_song_position_moves_it) {
    clock_stage_t *scene = clock_stage_open();
    (void)add_clocks(scene, 200, 1000, 3);
    add_song_position(scene, 2900, 1000); // beat 250
    rcore_transport_t at = render_to(scene, 3000, 64);
    EXPECT(at.pass == 2 && !at.is_rolling && !at.is_starting);
    EXPECT_NEAR(at.beat, 250, 1e-9);
    EXPECT_EQUAL(at.frame, 250 * TRANSPORT_BEAT);
    EXPECT_EQUAL(at.bar, 62);
    // To the same place: the same pass.
    add_song_position(scene, 3100, 1000);
    add(scene, 3150, CONTINUE);
    (void)add_clocks(scene, 3200, 1000, 25);
    at = render_to(scene, 27200, 64);
    EXPECT_EQUAL(at.pass, 2);
    EXPECT_NEAR(at.beat, 251, 1e-6);
    EXPECT_EQUAL(at.frame, 251 * TRANSPORT_BEAT);
    // Truncated: ignored.
    add_bytes(scene, 27250, (uint8_t[]){0xF2, 1}, 2);
    expect_ok(rcore_post_midi(scene->stage.queue, TRANSPORT_TARGET, (uint8_t[]){0xF2, 1}, 2, 27255));
    add(scene, 27260, STOP);
    EXPECT_NEAR(render_to(scene, 27300, 64).beat, 250 + 25.0 / 24, 1e-6);
    clock_stage_close(scene);
}

TEST(moves_while_it_rolls_begin_a_pass) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 30);
    add(scene, 30500, START); // again, without a stop
    rcore_transport_t at = render_to(scene, 30600, 64);
    EXPECT(!at.is_rolling && at.is_starting && at.beat == 0.0 && at.pass == 2);
    next = add_clocks(scene, next, 1000, 12);
    at = render_to(scene, next - 1000 + 1, 64);
    EXPECT(at.is_rolling && at.pass == 2);
    EXPECT_NEAR(at.beat, 11.0 / 24 + 1.0 / TRANSPORT_BEAT, 1e-9);
    add_song_position(scene, next - 500, 4);
    next = add_clocks(scene, next, 1000, 12);
    at = render_to(scene, next - 1000 + 1, 64);
    EXPECT(at.is_rolling && at.pass == 3);
    EXPECT_NEAR(at.beat, 1 + 11.0 / 24 + 1.0 / TRANSPORT_BEAT, 1e-9);
    clock_stage_close(scene);
}

TEST(commands_of_the_own_transport_have_no_effect) {
    clock_stage_t *scene = clock_stage_open();
    expect_ok(rcore_post_transport_start(scene->stage.queue, RCORE_NOW));
    expect_ok(rcore_post_transport_locate(scene->stage.queue, 4, RCORE_NOW));
    rcore_transport_t at = render_to(scene, 400, 64);
    EXPECT(!at.is_rolling && !at.is_starting && at.beat == 0.0 && at.pass == 1);
    add(scene, 500, START);
    (void)add_clocks(scene, 1000, 1000, 10);
    expect_ok(rcore_post_transport_stop(scene->stage.queue, 5000));
    EXPECT(render_to(scene, 9000, 64).is_rolling);
    clock_stage_close(scene);
}

// ---- Where messages come from

TEST(only_connected_inputs_and_sent_messages_move_it) {
    clock_stage_t *scene = clock_stage_open();
    route(scene, false);
    add(scene, 200, START);
    (void)add_clocks(scene, 300, 1000, 10);
    EXPECT(!render_to(scene, 10000, 64).is_starting);
    const uint8_t start = START, clock = CLOCK;
    expect_ok(rcore_post_midi(scene->stage.queue, TRANSPORT_TARGET, &start, 1, 10010));
    expect_ok(rcore_post_midi(scene->stage.queue, TRANSPORT_TARGET, &clock, 1, 10123));
    const rcore_transport_t at = render_to(scene, 10200, 64);
    EXPECT(at.is_rolling);
    EXPECT_NEAR(at.beat, 77.0 / TRANSPORT_BEAT, 1e-9);
    clock_stage_close(scene);
}

TEST(other_messages_and_other_sources_ignore_it) {
    clock_stage_t *scene = clock_stage_open();
    const uint8_t others[][3] = {{0x90, 60, 100}, {0xF3, 1, 0}, {0xF1, 0, 0}, {0xFE, 0, 0}, {0xFF, 0, 0}};
    const uint32_t sizes[] = {3, 2, 2, 1, 1};
    for (uint32_t i = 0; i < 5; i++) {
        add_bytes(scene, 200 + i, others[i], sizes[i]);
    }
    rcore_transport_t at = render_to(scene, 300, 64);
    EXPECT(!at.is_rolling && !at.is_starting && at.pass == 1);
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    add(scene, 400, START);
    (void)add_clocks(scene, 500, 1000, 10);
    at = render_to(scene, 9000, 64);
    EXPECT(!at.is_rolling && !at.is_starting && at.source == RCORE_TRANSPORT_OWN);
    EXPECT_NEAR(at.beats_per_minute, 120, 0);
    EXPECT_EQUAL(rcore_post_transport_source(scene->stage.queue, (rcore_transport_source_t)4, RCORE_NOW),
                 RCORE_BAD_ARGUMENT);
    clock_stage_close(scene);
}

TEST(a_routing_has_the_transport_beside_all_other_targets) {
    enum { INSTRUMENTS = RCORE_MAX_MIDI_TARGETS + 1 };
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *impulse = impulse_buffer(2);
    const rcore_instrument_config_t config = rcore_instrument_config_default();
    rcore_zone_t zone = rcore_zone_default();
    zone.buffer = impulse;
    rcore_midi_routing_t *routing = rcore_midi_routing_create();
    rcore_instrument_t *instruments[INSTRUMENTS];
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        instruments[i] = rcore_instrument_create(stage.core, &config, &zone, 1, NULL);
        EXPECT(instruments[i] != NULL);
        const bool has_room = i < RCORE_MAX_MIDI_TARGETS;
        EXPECT_EQUAL(rcore_midi_routing_add_instrument(routing, i, instruments[i]),
                     has_room ? RCORE_OK : RCORE_BAD_ARGUMENT);
        if (i == 10) {
            EXPECT_EQUAL(rcore_midi_routing_add_transport(routing, 5), RCORE_BAD_ARGUMENT);
            expect_ok(rcore_midi_routing_add_transport(routing, 100));
            EXPECT_EQUAL(rcore_midi_routing_add_transport(routing, 101), RCORE_BAD_ARGUMENT);
        }
    }
    rcore_midi_routing_destroy(routing);
    for (uint32_t i = 0; i < INSTRUMENTS; i++) {
        rcore_instrument_destroy(instruments[i]);
    }
    stage_close(&stage);
    rcore_buffer_release(impulse);
}

int main(void) {
    RUN(rolls_from_the_first_clock_after_a_start);
    RUN(clocks_alone_do_not_roll);
    RUN(a_start_waits_for_a_clock);
    RUN(a_stop_and_a_continue_go_on_with_the_next_clock);
    RUN(a_stop_discards_what_waits_for_beats);
    RUN(a_stop_between_clocks_is_at_the_next_one);
    RUN(clocks_at_another_phase_after_a_start_are_no_other_tempo);
    RUN(a_song_position_moves_it);
    RUN(moves_while_it_rolls_begin_a_pass);
    RUN(commands_of_the_own_transport_have_no_effect);
    RUN(only_connected_inputs_and_sent_messages_move_it);
    RUN(other_messages_and_other_sources_ignore_it);
    RUN(a_routing_has_the_transport_beside_all_other_targets);
    return test_result();
}
