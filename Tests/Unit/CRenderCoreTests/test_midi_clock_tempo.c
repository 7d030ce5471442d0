// The transport that follows a MIDI clock: its tempo, jitter and gaps.
#include "midi_clock_stage.h"
#include "random.h"

// ---- Tempo and jitter

TEST(beats_are_within_a_frame_of_a_steady_clock) {
    // Tempos whose intervals are fractions of frames: the clocks are rounded to frames.
    const double tempos[] = {97.0, 123.4, 60.1, 177.7, 240.3, 300.0, 40.0};
    for (uint32_t turn = 0; turn < 7; turn++) {
        clock_stage_t *scene = clock_stage_open();
        rcore_buffer_t *impulse = impulse_buffer(2);
        const double beat = 48000 * 60 / tempos[turn], interval = beat / 24;
        // The clock ran before.
        const double first = add_clocks(scene, 200, interval, 48);
        add(scene, first - 20, START);
        (void)add_clocks(scene, first, interval, 24 * 12);
        play_beats(scene, impulse, 0, 0.4, 30);
        (void)render_to(scene, first + 11.8 * beat, 64);
        double frames[30];
        for (uint32_t i = 0; i < 30; i++) {
            frames[i] = first + 0.4 * i * beat;
        }
        expect_near(scene, 0, frames, 30, 1.5); // a frame, and the rounding of both
        EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
        EXPECT_NEAR(position(scene).beats_per_minute, tempos[turn], 0.0005 * tempos[turn]);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

/// How far the beats are from those of a clock, in frames of a beat, from `from` to `to`: the root
/// of the mean square, and the greatest.
typedef struct error {
    double rms;
    double greatest;
} error_t;

/// Renders while the beats should be (frame - first) / beat.
static error_t follow(clock_stage_t *scene, double first, double beat, double from, double to) {
    (void)render_to(scene, from, 64);
    error_t error = {0};
    uint32_t count = 0;
    for (double last = -1; scene->stage.nframes < (uint64_t)to; count++) {
        cycle(scene, 64);
        const rcore_transport_t at = position(scene);
        const double off = (at.beat - ((double)at.time - first) / beat) * beat;
        EXPECT(at.is_rolling && at.beat > last);
        last = at.beat;
        error.rms += off * off;
        error.greatest = fmax(error.greatest, fabs(off));
    }
    error.rms = sqrt(error.rms / count);
    return error;
}

TEST(jitter_of_clocks_is_averaged) {
    struct random random = random_seeded(random_seed(1));
    clock_stage_t *scene = clock_stage_open();
    const double beat = 48000 * 60 / 111.0, interval = beat / 24, first = 200 + 48 * interval;
    for (uint32_t i = 0; i < 24 * 60; i++) {
        if (i == 48) {
            add(scene, scene->messages[scene->count - 1].frame, START);
        }
        // Up to 2 ms late: root mean square 27.7 frames around their mean.
        add(scene, 200 + i * interval + random_float(&random, 0, 96), CLOCK);
    }
    // From the second beat on, until the 50th.
    const error_t error = follow(scene, first + 48, beat, first + 2 * beat, first + 50 * beat);
    EXPECT(error.rms < 10);
    EXPECT(error.greatest < 40);
    // Few passes of the tempo are reported: it stays within half a percent.
    EXPECT_NEAR(position(scene).beats_per_minute, 111, 0.5);
    clock_stage_close(scene);
}

TEST(a_sudden_tempo_is_followed_within_clocks) {
    const double to[] = {140, 100, 240, 61, 119.5};
    for (uint32_t turn = 0; turn < 5; turn++) {
        clock_stage_t *scene = clock_stage_open();
        add(scene, 200, START);
        double next = add_clocks(scene, 1000, 1000, 24 * 8);
        (void)render_to(scene, next - 2000, 64);
        const double beat = 48000 * 60 / to[turn];
        // The first clock of the new tempo is the end of the last interval at the old one.
        (void)add_clocks(scene, next, beat / 24, 24 * 8);
        // From the 12th clock on: half a beat.
        const error_t error = follow(scene, next - 8 * beat, beat, next + beat / 2, next + 7 * beat);
        EXPECT(error.greatest < 1.5);
        EXPECT_NEAR(position(scene).beats_per_minute, to[turn], 0.001 * to[turn]);
        clock_stage_close(scene);
    }
}

TEST(a_gradual_tempo_is_followed) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double frame = 1000, tempo = 90;
    double greatest = 0, last = -1;
    for (uint32_t i = 0; i < 24 * 30; i++) {
        add(scene, frame, CLOCK);
        (void)render_to(scene, frame, 64);
        cycle(scene, 1);
        const rcore_transport_t at = position(scene);
        EXPECT(at.beat > last || i == 0);
        last = at.beat;
        greatest = i < 8 ? 0.0 : fmax(greatest, fabs(at.beat - i / 24.0) * 48000 * 60 / tempo);
        frame += 48000 * 60 / tempo / 24;
        tempo *= pow(2, 1 / (24 * 30.0)); // from 90 to 180 in 30 beats
    }
    EXPECT(greatest < 48); // 1 ms
    EXPECT_NEAR(position(scene).beats_per_minute, 180, 2);
    clock_stage_close(scene);
}

TEST(one_late_clock_moves_little) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 24 * 8);
    add(scene, next + 400, CLOCK);
    (void)add_clocks(scene, next + 1000, 1000, 24 * 4);
    const error_t error = follow(scene, 1000, 24000, 1000 + 24000, next + 24 * 3000);
    EXPECT(error.greatest < 1);
    clock_stage_close(scene);
}

TEST(clocks_that_are_late_by_chance_are_no_other_tempo) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 24 * 8);
    // Ever later, but not by the same distance.
    add(scene, next + 300, CLOCK);
    add(scene, next + 1000 + 800, CLOCK);
    (void)add_clocks(scene, next + 2000, 1000, 24 * 4);
    const error_t error = follow(scene, 1000, 24000, next - 12000, next + 24 * 3000);
    EXPECT(error.greatest < 1);
    EXPECT_NEAR(position(scene).beats_per_minute, 120, 0.01);
    clock_stage_close(scene);
}

TEST(a_lost_clock_is_another_phase) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    const double next = add_clocks(scene, 1000, 1000, 24 * 8);
    (void)add_clocks(scene, next + 1000, 1000, 24 * 8);
    // The beats are those of the clocks that have come.
    const error_t error = follow(scene, 2000, 24000, next + 12000, next + 24 * 7000);
    EXPECT(error.greatest < 1);
    EXPECT_NEAR(position(scene).beats_per_minute, 120, 0.01);
    clock_stage_close(scene);
}

TEST(waits_while_clocks_are_missing) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    (void)add_clocks(scene, 1000, 1000, 36); // the last at 36,000
    rcore_transport_t at = render_to(scene, 36000 + 12000, 64);
    EXPECT(at.is_rolling && at.pass == 1);
    at = render_to(scene, 36000 + 12000 + 128, 64);
    EXPECT(!at.is_rolling && at.is_starting && at.pass == 2);
    // What has been heard is not played again.
    EXPECT_NEAR(at.beat, (48000 + 64 - 1000) / 24000.0, 70 / 24000.0);
    const double stopped = at.beat;
    EXPECT_NEAR(render_to(scene, 90000, 64).beat, stopped, 0);
    // The clock goes on: the beats wait until it is there.
    (void)add_clocks(scene, 100000, 1000, 48);
    double last = stopped;
    for (uint32_t i = 0; i < 40; i++) {
        at = render_to(scene, 100000 + i * 1000 + 1, 64);
        EXPECT(at.is_rolling && at.pass == 2 && at.beat > last);
        last = at.beat;
    }
    EXPECT_NEAR(at.beat, (36 + 39) / 24.0, 2.0 / 24000);
    clock_stage_close(scene);
}

TEST(a_long_pause_keeps_the_tempo) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    // Longer than the distance of clocks at 1 BPM.
    const double next = add_clocks(scene, 1000, 1000, 48), later = next + 5 * 48000;
    (void)add_clocks(scene, later, 1000, 24);
    rcore_transport_t at = render_to(scene, later - 1, 64);
    EXPECT(!at.is_rolling && at.is_starting && at.beats_per_minute == 120.0);
    for (uint32_t i = 0; i < 24; i++) {
        at = render_to(scene, later + i * 1000 + 1, 64);
        EXPECT_NEAR(at.beats_per_minute, 120, 0.1);
    }
    clock_stage_close(scene);
}

TEST(slow_clocks_are_measured) {
    const double tempos[] = {4, 10, 15, 20, 24, 30};
    for (uint32_t turn = 0; turn < 12; turn++) {
        clock_stage_t *scene = clock_stage_open();
        const double interval = 48000 * 60 / tempos[turn % 6] / 24;
        add(scene, 200, START);
        // Half of them after another tempo.
        const uint32_t before = turn < 6 ? 0 : 96;
        const double next = add_clocks(scene, 1000, 1000, before);
        (void)add_clocks(scene, next, interval, 60);
        (void)render_to(scene, next + 30 * interval, 1024);
        const uint32_t pass = position(scene).pass;
        const rcore_transport_t at = render_to(scene, next + 55 * interval, 1024);
        EXPECT_NEAR(at.beats_per_minute, tempos[turn % 6], 0.001);
        EXPECT(at.is_rolling && at.pass == pass);
        EXPECT_NEAR(at.beat, (before + 55) / 24.0, 1e-3);
        clock_stage_close(scene);
    }
}

/// Delays the clocks of a stretch of time until its end, as a busy sender does.
static void stall_clocks(double bpm, double milliseconds) {
    clock_stage_t *scene = clock_stage_open();
    const double interval = 48000 * 60 / bpm / 24, begin = 1000 + 96 * interval - 10;
    const double end = begin + milliseconds * 48;
    add(scene, 200, START);
    for (uint32_t i = 0; i < 192; i++) {
        const double frame = 1000 + i * interval;
        add(scene, frame >= begin && frame < end ? end : frame, CLOCK);
    }
    (void)render_to(scene, begin - 100, 64);
    const uint32_t pass = position(scene).pass;
    for (uint64_t until = (uint64_t)(1000 + 190 * interval); scene->stage.nframes < until;) {
        cycle(scene, 64);
        const rcore_transport_t at = position(scene);
        const double ahead = at.beat * 24 * interval - ((double)at.time - 1000);
        EXPECT(ahead < 48 && ahead > -4 * 48); // at most 1 ms early, 4 ms late
        EXPECT_NEAR(at.beats_per_minute, bpm, 0.002 * bpm);
        EXPECT(at.pass == pass);
    }
    clock_stage_close(scene);
}

TEST(a_stall_is_no_other_tempo) {
    const double milliseconds[] = {5, 12, 20, 25, 30, 45, 60, 90};
    for (uint32_t i = 0; i < 8; i++) {
        stall_clocks(120, milliseconds[i]);
        stall_clocks(174, milliseconds[i]);
        stall_clocks(61, milliseconds[i]);
    }
}

TEST(clocks_of_a_coarse_grid_are_averaged) {
    const uint32_t grids[] = {24, 48, 64, 96, 128, 256};
    const double tempos[] = {100, 120, 126.5};
    for (uint32_t turn = 0; turn < 18; turn++) {
        clock_stage_t *scene = clock_stage_open();
        const double tempo = tempos[turn % 3], beat = 48000 * 60 / tempo, grid = grids[turn / 3];
        for (uint32_t i = 0; i < 24 * 20; i++) {
            const double frame = ceil((1000 + i * beat / 24) / grid) * grid;
            if (i == 48) {
                add(scene, frame, START);
            }
            add(scene, frame, CLOCK);
        }
        // On the average, half a step late.
        const error_t error = follow(scene, 1000 + 2 * beat + grid / 2, beat, 1000 + 6 * beat, 1000 + 19 * beat);
        EXPECT(error.greatest < grid);
        EXPECT_NEAR(position(scene).beats_per_minute, tempo, 0.002 * tempo);
        clock_stage_close(scene);
    }
}

TEST(jitter_from_the_first_clock_on) {
    struct random random = random_seeded(random_seed(3));
    const double milliseconds[] = {2, 5, 10, 20}, bounds[] = {0.6, 1.6, 4, 9};
    for (uint32_t turn = 0; turn < 4; turn++) {
        clock_stage_t *scene = clock_stage_open();
        const double jitter = milliseconds[turn] * 48, beat = 24000;
        add(scene, 200, START);
        double last = 0;
        for (uint32_t i = 0; i < 24 * 30; i++) {
            last = fmax(last, 1000 + i * beat / 24 + random_float(&random, 0, (float)jitter));
            add(scene, last, CLOCK);
        }
        // From the fourth beat on, until the 28th. Few changes of the tempo are notified.
        (void)render_to(scene, 1000 + 4 * beat, 64);
        uint32_t changes = 0;
        double tempo = position(scene).beats_per_minute, greatest = 0;
        while (scene->stage.nframes < 1000 + 28 * beat) {
            cycle(scene, 64);
            const rcore_transport_t at = position(scene);
            changes += at.beats_per_minute != tempo ? 1 : 0;
            tempo = at.beats_per_minute;
            const double off = at.beat * beat - ((double)at.time - 1000 - jitter / 2);
            greatest = fmax(greatest, fabs(off) / 48);
            EXPECT(at.is_rolling && at.pass == 1);
        }
        EXPECT(greatest < bounds[turn]);
        EXPECT(changes < 24); // in 12 s
        clock_stage_close(scene);
    }
}

TEST(beats_catch_up_at_twice_the_tempo_at_most) {
    const double tempos[] = {300, 40};
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = clock_stage_open();
        add(scene, 200, START);
        const double next = add_clocks(scene, 1000, 1000, 96), interval = 48000 * 60 / tempos[turn] / 24;
        (void)add_clocks(scene, next, interval, 96);
        double last = render_to(scene, next + 2 * interval + 16, 16).beat;
        // The new tempo is known after two clocks.
        while (scene->stage.nframes < next + 90 * interval) {
            cycle(scene, 16);
            const double relative = (position(scene).beat - last) / (16 / (24 * interval));
            EXPECT(relative > 0.49 && relative < 2.01);
            last = position(scene).beat;
        }
        clock_stage_close(scene);
    }
}

TEST(clocks_in_one_frame_jump_once) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 24);
    const uint32_t pass = render_to(scene, next - 100, 64).pass;
    next = add_clocks(scene, next, 0, 2000);
    rcore_transport_t at = render_to(scene, next + 500, 64);
    EXPECT(at.is_rolling && at.pass <= pass + 1);
    (void)add_clocks(scene, next + 1000, 1000, 24 * 8);
    at = render_to(scene, next + 1000 * 24 * 8, 64);
    EXPECT(at.is_rolling && at.pass <= pass + 2);
    EXPECT_NEAR(at.beat, (24 + 2000 + 24 * 8 - 1) / 24.0, 1e-2);
    EXPECT_NEAR(at.beats_per_minute, 120, 0.1);
    clock_stage_close(scene);
}

// ---- Meters, maps, rates, sources

TEST(a_beat_is_that_of_the_meter) {
    clock_stage_t *scene = clock_stage_open();
    const rcore_tempo_change_t changes[] = {
        {.beats_per_minute = 90, .beats_per_bar = 6, .beat_unit = 8},
        {.beat = 12, .beats_per_minute = 90, .beats_per_bar = 4, .beat_unit = 4}, // 6 quarters
    };
    expect_ok(rcore_post_tempo_map(scene->stage.core, rcore_tempo_map_create(changes, 2, NULL)));
    add(scene, 200, START);
    (void)add_clocks(scene, 1000, 1000, 24 * 10);
    rcore_transport_t at = render_to(scene, 1000 + 36000, 64); // 1.5 quarters
    EXPECT_NEAR(at.beat, 3, 1e-6);
    EXPECT_NEAR(at.beats_per_minute, 240, 1e-6);
    EXPECT(at.beats_per_bar == 6 && at.beat_unit == 8);
    at = render_to(scene, 1000 + 8 * 24000, 64);
    EXPECT_NEAR(at.beat, 14, 1e-6);
    EXPECT_NEAR(at.beats_per_minute, 120, 1e-6);
    EXPECT(at.beats_per_bar == 4 && at.beat_unit == 4 && at.bar == 2);
    (void)render_to(scene, 1000 + 10 * 24000, 64);
    add(scene, 1000 + 10 * 24000 + 10, STOP);
    add_song_position(scene, 1000 + 10 * 24000 + 20, 20); // 5 quarters
    EXPECT_NEAR(render_to(scene, 1000 + 10 * 24000 + 100, 64).beat, 10, 1e-9);
    clock_stage_close(scene);
}

TEST(another_meter_keeps_the_quarter_note) {
    const rcore_tempo_change_t change = {.beats_per_minute = 99, .beats_per_bar = 6, .beat_unit = 8};
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = clock_stage_open();
        add(scene, 200, START);
        const double next = add_clocks(scene, 1000, 1000, 24 * 8);
        if (turn == 1) {
            add(scene, next - 500, STOP);
        }
        (void)render_to(scene, next, 64);
        expect_ok(rcore_post_tempo_map(scene->stage.core, rcore_tempo_map_create(&change, 1, NULL)));
        rcore_transport_t at = render_to(scene, next + 64, 64);
        EXPECT(at.pass == 2 + turn && at.is_rolling == (turn == 0) && at.beats_per_bar == 6);
        EXPECT_NEAR(at.pass_begin, 16, 1e-6);
        add(scene, next + 100, CONTINUE);
        (void)add_clocks(scene, next + 1000, 1000, 30);
        at = render_to(scene, next + 25000, 64);
        EXPECT_EQUAL(at.pass, 2 + turn);
        EXPECT_NEAR(at.beat, 2 * (8 + 24 / 24.0), 2e-2);
        EXPECT_NEAR(at.beats_per_minute, 240, 0.1);
        scene->count = scene->received;
        add(scene, next + 25000, STOP);
        add(scene, next + 25010, START);
        at = render_to(scene, next + 25100, 10);
        EXPECT(at.beat == 0.0 && at.frame == 0);
        clock_stage_close(scene);
    }
}

TEST(the_source_changes_at_the_beat) {
    clock_stage_t *scene = clock_stage_open();
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    post_tempo(scene->stage.core, 60);
    expect_ok(rcore_post_transport_locate(scene->stage.queue, 2.51, RCORE_NOW));
    (void)render_to(scene, 300, 64);
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_MIDI_CLOCK, RCORE_NOW));
    rcore_transport_t at = render_to(scene, 400, 64);
    EXPECT(!at.is_rolling && at.pass == 5);
    EXPECT_NEAR(at.beat, 61.0 / 24, 1e-9); // the first clock that is not before it
    add(scene, 500, CONTINUE);
    (void)add_clocks(scene, 1000, 1000, 12);
    at = render_to(scene, 12001, 64);
    EXPECT_NEAR(at.beat, 72.0 / 24 + 1.0 / TRANSPORT_BEAT, 0.02); // the tempo was 60 at first
    const double beat = at.beat;
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
    at = render_to(scene, 12101, 100);
    EXPECT(!at.is_rolling && at.source == RCORE_TRANSPORT_OWN && at.is_by_map);
    EXPECT_NEAR(at.beat, beat, 1.0 / 48000);
    EXPECT_NEAR(at.beats_per_minute, 60, 0);
    clock_stage_close(scene);
}

TEST(another_sample_rate_keeps_the_beat) {
    clock_stage_t *scene = clock_stage_open();
    add(scene, 200, START);
    double next = add_clocks(scene, 1000, 1000, 48);
    const double before = render_to(scene, next - 500, 64).beat;
    rcore_set_sample_rate(scene->stage.core, 96000);
    (void)add_clocks(scene, next + 500, 2000, 48);
    rcore_transport_t at = render_to(scene, next - 499, 1);
    EXPECT_NEAR(at.beat, before, 1e-4);
    EXPECT_NEAR(at.beats_per_minute, 120, 1e-6);
    for (uint32_t i = 0; i < 8; i++) {
        at = render_to(scene, next + 500 + i * 2000 + 1000, 64);
        EXPECT_NEAR(at.beat, (48 + i + 0.5) / 24.0, 4.0 / 48000);
        EXPECT_NEAR(at.beats_per_minute, 120, 0.1);
    }
    at = render_to(scene, next + 500 + 40 * 2000 + 1, 64);
    EXPECT_NEAR(at.beat, (48 + 40) / 24.0, 1e-4);
    EXPECT_NEAR(at.beats_per_minute, 120, 1e-6);
    scene->count = scene->received;
    add(scene, (double)scene->stage.nframes, START);
    at = render_to(scene, (double)scene->stage.nframes + 10, 10);
    EXPECT(at.beat == 0.0 && at.frame == 0);
    clock_stage_close(scene);
}

// ---- Anything

/// Changes something else than messages.
static void disturb(clock_stage_t *scene, struct random *random) {
    const uint32_t rates[] = {8000, 44100, 48000, 96000, 192000};
    switch (random_below(random, 4)) {
    case 0: {
        const rcore_tempo_change_t changes[] = {
            {.beats_per_minute = random_float(random, 1, 1000), .beats_per_bar = 3, .beat_unit = 1},
            {.beat = 2.5, .beats_per_minute = 120, .beats_per_bar = 7, .beat_unit = 1u << random_below(random, 7)},
        };
        expect_ok(rcore_post_tempo_map(scene->stage.core, rcore_tempo_map_create(changes, 2, NULL)));
        break;
    }
    case 1:
        expect_ok(rcore_set_sample_rate(scene->stage.core, rates[random_below(random, 5)]));
        break;
    case 2: {
        const uint32_t source = random_below(random, 3);
        (void)rcore_post_transport_source(scene->stage.queue, (rcore_transport_source_t)source, RCORE_NOW);
        break;
    }
    default:
        (void)rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_MIDI_CLOCK, RCORE_NOW);
    }
}

TEST(random_messages_keep_it_sane) {
    struct random random = random_seeded(random_seed(7));
    for (uint32_t turn = 0; turn < 30; turn++) {
        clock_stage_t *scene = clock_stage_open();
        double frame = 200;
        const float range = random_once_in(&random, 3) ? 40.0f : 3000.0f;
        for (uint32_t i = 0; i < 1000; i++) {
            frame += random_once_in(&random, 4) ? 0 : random_float(&random, 0, range);
            const uint32_t kind = random_below(&random, 60);
            if (kind == 0) {
                add_song_position(scene, frame, random_below(&random, 16384));
            } else {
                add(scene, frame, kind == 1 ? START : kind == 2 ? CONTINUE : kind == 3 ? STOP : CLOCK);
            }
            frame += kind == 4 ? random_float(&random, 0, 20000) : 0;
        }
        rcore_transport_t last = position(scene);
        while (scene->received < scene->count) {
            if (turn % 2 == 1 && random_once_in(&random, 100)) {
                disturb(scene, &random);
            }
            cycle(scene, 1 + random_below(&random, 400));
            const rcore_transport_t at = position(scene);
            EXPECT(isfinite(at.beat) && at.beat >= 0 && at.bar >= 0 && at.frame >= 0);
            EXPECT(at.beats_per_minute >= RCORE_MIN_TEMPO && at.beats_per_minute <= RCORE_MAX_TEMPO);
            EXPECT(!(at.is_rolling && at.is_starting));
            EXPECT(at.pass != last.pass || at.beat >= last.beat - 1e-9 || at.source != RCORE_TRANSPORT_MIDI_CLOCK);
            last = at;
        }
        // Whatever came, it follows the next clocks.
        expect_ok(rcore_set_sample_rate(scene->stage.core, 48000));
        expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_MIDI_CLOCK, RCORE_NOW));
        post_tempo(scene->stage.core, 90);
        const double begin = (double)scene->stage.nframes;
        add(scene, begin + 100, STOP);
        add(scene, begin + 200, START);
        (void)add_clocks(scene, begin + 1000, 1000, 24 * 20);
        const rcore_transport_t at = render_to(scene, begin + 1000 + 24000 * 20, 256);
        EXPECT(at.is_rolling);
        EXPECT_NEAR(at.beat, 20, 1e-2);
        EXPECT_NEAR(at.beats_per_minute, 120, 0.3);
        clock_stage_close(scene);
    }
}

int main(void) {
    RUN(beats_are_within_a_frame_of_a_steady_clock);
    RUN(jitter_of_clocks_is_averaged);
    RUN(a_sudden_tempo_is_followed_within_clocks);
    RUN(a_gradual_tempo_is_followed);
    RUN(one_late_clock_moves_little);
    RUN(clocks_that_are_late_by_chance_are_no_other_tempo);
    RUN(a_lost_clock_is_another_phase);
    RUN(waits_while_clocks_are_missing);
    RUN(a_long_pause_keeps_the_tempo);
    RUN(slow_clocks_are_measured);
    RUN(a_stall_is_no_other_tempo);
    RUN(clocks_of_a_coarse_grid_are_averaged);
    RUN(jitter_from_the_first_clock_on);
    RUN(beats_catch_up_at_twice_the_tempo_at_most);
    RUN(clocks_in_one_frame_jump_once);
    RUN(a_beat_is_that_of_the_meter);
    RUN(another_meter_keeps_the_quarter_note);
    RUN(the_source_changes_at_the_beat);
    RUN(another_sample_rate_keeps_the_beat);
    RUN(random_messages_keep_it_sane);
    return test_result();
}
