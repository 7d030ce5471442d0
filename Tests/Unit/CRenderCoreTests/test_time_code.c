// The transport that follows MIDI time code.
#include "midi_clock_stage.h"
#include "random.h"

/// Rates by the number that a time code states.
static const double rates[] = {24, 25, 30000 / 1001.0, 30};
static const uint32_t counts[] = {24, 25, 30, 30};

typedef struct code {
    uint32_t rate;
    uint32_t hours;
    uint32_t minutes;
    uint32_t seconds;
    uint32_t frames;
} code_t;

static clock_stage_t *open_stage(void) {
    clock_stage_t *scene = clock_stage_open();
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_TIME_CODE, RCORE_NOW));
    stage_render(&scene->stage, 100, 100);
    EXPECT_EQUAL(position(scene).source, RCORE_TRANSPORT_TIME_CODE);
    EXPECT_EQUAL(position(scene).time_code_rate, RCORE_TIME_CODE_NONE);
    return scene;
}

/// Returns the code that follows: by 29.97 drop-frame, the frames 0 and 1 of most minutes do not
/// exist.
static code_t next_code(code_t code) {
    code.frames += 1;
    if (code.frames == counts[code.rate]) {
        code.frames = 0;
        code.seconds += 1;
    }
    code.minutes += code.seconds / 60;
    code.seconds %= 60;
    code.hours = (code.hours + code.minutes / 60) % 24;
    code.minutes %= 60;
    if (code.rate == 2 && code.frames == 0 && code.seconds == 0 && code.minutes % 10 != 0) {
        code.frames = 2;
    }
    return code;
}

static uint8_t piece_of(code_t code, uint32_t number) {
    const uint32_t values[] = {code.frames, code.seconds, code.minutes, code.hours | code.rate << 5};
    const uint32_t value = values[number / 2];
    return (uint8_t)(number << 4 | (number % 2 == 0 ? value & 15 : value >> 4));
}

/// Adds quarter frames from a code on, at even distances: a code is stated by those of two frames.
/// Returns the frame of the one that would come next.
static double add_quarters(clock_stage_t *scene, double frame, code_t code, double interval, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        add_bytes(scene, frame + i * interval, (uint8_t[]){0xF1, piece_of(code, i % 8)}, 2);
        if (i % 8 == 7) {
            code = next_code(next_code(code));
        }
    }
    return frame + count * interval;
}

static void add_full(clock_stage_t *scene, double frame, code_t code) {
    const uint8_t bytes[] = {0xF0,
                             0x7F,
                             0x7F,
                             1,
                             1,
                             (uint8_t)(code.hours | code.rate << 5),
                             (uint8_t)code.minutes,
                             (uint8_t)code.seconds,
                             (uint8_t)code.frames,
                             0xF7};
    // In two parts, as a driver may deliver it.
    add_bytes(scene, frame, bytes, 3);
    add_bytes(scene, frame, bytes + 3, 3);
    add_bytes(scene, frame, bytes + 6, 3);
    add_bytes(scene, frame, bytes + 9, 1);
}

static double interval_of(uint32_t rate) { return 48000 / (4 * rates[rate]); }

TEST(rolls_at_its_time_code) {
    for (uint32_t rate = 0; rate < 4; rate++) {
        clock_stage_t *scene = open_stage();
        rcore_buffer_t *impulse = impulse_buffer(2);
        const double interval = interval_of(rate), begin = 1000;
        const code_t code = {.rate = rate, .seconds = 2};
        (void)add_quarters(scene, begin, code, interval, 400);
        // Two frames after the first code is known, 15 quarter frames after it.
        rcore_transport_t at = render_to(scene, begin + 7 * interval + 10, 16);
        const double two = 2 * 30 / rates[rate]; // seconds: 29.97 counts 30 frames
        const double first = rate == 2 ? two : 2;
        EXPECT(at.is_starting && !at.is_rolling && at.pass == 3);
        EXPECT_EQUAL(at.time_code_rate, RCORE_TIME_CODE_24 + rate);
        EXPECT_NEAR(at.time_code, first + 15 / (4 * rates[rate]), 1.0 / 48000);
        play_beats(scene, impulse, 5, 1, 3); // at 2.5, 3, 3.5 s
        at = render_to(scene, begin + 15 * interval + 1, 16);
        EXPECT(at.is_rolling && !at.is_starting && at.pass == 3 && at.is_by_map);
        const uint64_t from = begin + (2.5 - first) * 48000 + 0.5;
        at = render_to(scene, begin + 399 * interval, 64);
        uint64_t found[4] = {0};
        EXPECT_EQUAL(find_impulses(&scene->stage, 0, found, 4), 3);
        for (uint32_t i = 0; i < 3; i++) {
            EXPECT_NEAR((double)found[i], (double)from + i * TRANSPORT_BEAT, 1);
        }
        EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
        EXPECT(at.is_rolling && at.pass == 3);
        EXPECT_NEAR(at.time_code, first + ((double)at.time - begin) / 48000, 1.5 / 48000);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(a_day_of_drop_frames) {
    // Times at which frames are left out, or are not.
    const code_t codes[] = {{2, 0, 0, 59, 26}, {2, 0, 9, 59, 26}, {2, 1, 0, 0, 0}, {2, 23, 58, 59, 20}};
    const double frames[] = {59 * 30 + 26, 9 * 1798 + 2 + 59 * 30 + 26 - 2, 107892,
                             23 * 107892 + 58 * 1798 + 12 + 59 * 30 + 20 - 2};
    for (uint32_t i = 0; i < 4; i++) {
        clock_stage_t *scene = open_stage();
        (void)add_quarters(scene, 1000, codes[i], interval_of(2), 200);
        const rcore_transport_t at = render_to(scene, 60000, 64);
        EXPECT(at.is_rolling && at.pass == 3);
        EXPECT_NEAR(at.time_code, frames[i] * 1001 / 30000 + ((double)at.time - 1000) / 48000, 2.0 / 48000);
        clock_stage_close(scene);
    }
}

TEST(a_full_message_moves_it) {
    clock_stage_t *scene = open_stage();
    add_full(scene, 500, (code_t){.rate = 1, .minutes = 1, .frames = 5});
    rcore_transport_t at = render_to(scene, 600, 64);
    EXPECT(!at.is_rolling && !at.is_starting && at.pass == 3);
    EXPECT_EQUAL(at.frame, 60.2 * 48000);
    EXPECT_NEAR(at.beat, 120.4, 1e-9);
    // From there on.
    const double next = add_quarters(scene, 1000, (code_t){.rate = 1, .minutes = 1, .frames = 5}, 480, 40);
    at = render_to(scene, next, 64);
    EXPECT(at.is_rolling);
    // Elsewhere, while it rolls: it stops there.
    add_full(scene, next + 10, (code_t){.rate = 1, .seconds = 7});
    at = render_to(scene, next + 100, 64);
    EXPECT(!at.is_rolling && !at.is_starting);
    EXPECT_NEAR(at.time_code, 7, 1e-6);
    // The tape itself has not moved.
    (void)add_quarters(scene, next + 1000, (code_t){.rate = 1, .minutes = 1, .frames = 15}, 480, 32);
    at = render_to(scene, next + 1000 + 31 * 480, 64);
    EXPECT(at.is_rolling);
    EXPECT_NEAR(at.time_code, 60.6 + 0.31, 2.0 / 48000);
    add_full(scene, next + 17000, (code_t){.rate = 1, .seconds = 7});
    at = render_to(scene, next + 17100, 64);
    // Other messages, or malformed ones, have no effect.
    const uint32_t pass = at.pass;
    const double later = next + 18000;
    add_full(scene, later, (code_t){.rate = 1, .frames = 25});
    add_full(scene, later, (code_t){.rate = 3, .hours = 24});
    const uint8_t others[][10] = {
        {0xF0, 0x7F, 0x7F, 2, 1, 32, 0, 1, 0, 0xF7},
        {0xF0, 0x7F, 0x7F, 1, 2, 32, 0, 1, 0, 0xF7},
        {0xF0, 0x7E, 0x7F, 1, 1, 32, 0, 1, 0, 0xF7},
    };
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t byte = 0; byte < 10; byte++) {
            add_bytes(scene, later, &others[i][byte], 1);
        }
    }
    // A longer message that begins and ends like one.
    const uint8_t longer[] = {0xF0, 0x7F, 0x7F, 1, 1, 32, 0, 1, 0, 0, 0, 0, 0xF7};
    add_bytes(scene, later, longer, 3);
    add_bytes(scene, later, longer + 3, 3);
    add_bytes(scene, later, longer + 6, 3);
    add_bytes(scene, later, longer + 9, 3);
    add_bytes(scene, later, longer + 12, 1);
    EXPECT_EQUAL(render_to(scene, later + 100, 64).pass, pass);
    clock_stage_close(scene);
}

TEST(the_piece_starts_at_a_time_code) {
    clock_stage_t *scene = open_stage();
    rcore_buffer_t *impulse = impulse_buffer(2);
    EXPECT_EQUAL(rcore_set_time_code_start(scene->stage.core, -1), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_set_time_code_start(scene->stage.core, NAN), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_set_time_code_start(scene->stage.core, RCORE_TIME_CODE_SECONDS), RCORE_BAD_ARGUMENT);
    expect_ok(rcore_set_time_code_start(scene->stage.core, 3600));
    // A second before.
    (void)add_quarters(scene, 1000, (code_t){.rate = 1, .minutes = 59, .seconds = 59}, 480, 300);
    rcore_transport_t at = render_to(scene, 1000 + 16 * 480, 16);
    EXPECT(at.is_rolling && at.beat < 0 && at.bar == -1);
    EXPECT_NEAR(at.time_code, 3599 + 16 * 0.01, 2.0 / 48000);
    play_beats(scene, impulse, 0, 1, 3);
    at = render_to(scene, 1000 + 290 * 480, 64);
    expect_impulses(&scene->stage, 0, (uint64_t[]){49000, 73000, 97000}, 3);
    EXPECT_NEAR(at.time_code, 3599 + 2.9, 2.0 / 48000);
    clock_stage_close(scene);
    rcore_buffer_release(impulse);
}

TEST(stops_when_it_stops_jumps_or_runs_backwards) {
    for (uint32_t turn = 0; turn < 4; turn++) {
        clock_stage_t *scene = open_stage();
        const double next = add_quarters(scene, 1000, (code_t){.rate = 1, .seconds = 9}, 480, 80);
        rcore_transport_t at = render_to(scene, next - 100, 64);
        EXPECT(at.is_rolling && at.pass == 3);
        const double stopped = at.time_code;
        if (turn == 0) { // no further quarter frame
            at = render_to(scene, next + 4200, 64);
            EXPECT(at.is_rolling && at.pass == 3);
            at = render_to(scene, next + 4600, 64);
            EXPECT(!at.is_rolling && !at.is_starting && at.pass == 4);
            // It goes on where it stopped: known again after eight quarter frames, as before.
            (void)add_quarters(scene, next + 9000, (code_t){.rate = 1, .seconds = 9, .frames = 20}, 480, 40);
            at = render_to(scene, next + 9000 + 39 * 480, 64);
            EXPECT(at.is_rolling && at.pass == 5);
            EXPECT_NEAR(at.time_code, 9.8 + 0.39, 2.0 / 48000);
        } else if (turn == 1) { // backwards
            for (uint32_t i = 0; i < 40; i++) {
                add_bytes(scene, next + i * 480, (uint8_t[]){0xF1, piece_of((code_t){.rate = 1}, 7 - i % 8)}, 2);
            }
            at = render_to(scene, next + 39 * 480, 64);
            EXPECT(!at.is_rolling && !at.is_starting && at.pass == 4);
            EXPECT_NEAR(at.time_code, stopped, 0.02);
        } else { // elsewhere: in the midst of a code, or between two
            code_t code = {.rate = 1, .seconds = 20};
            add_bytes(scene, next, (uint8_t[]){0xF1, piece_of(code, turn == 2 ? 5 : 0)}, 2);
            const uint32_t first = turn == 2 ? 6 : 1;
            for (uint32_t i = 0; i < 60; i++) {
                const code_t now = {.rate = 1, .seconds = 20, .frames = (first + i) / 8 * 2};
                add_bytes(scene, next + (i + 1) * 480, (uint8_t[]){0xF1, piece_of(now, (first + i) % 8)}, 2);
            }
            at = render_to(scene, next + 60 * 480, 64);
            EXPECT(at.is_rolling && at.pass == (turn == 2 ? 5 : 4));
            EXPECT_NEAR(at.time_code, 20 + (first + 59) / 100.0, 2.0 / 48000);
        }
        clock_stage_close(scene);
    }
}

TEST(jitter_and_drift_are_corrected) {
    struct random random = random_seeded(random_seed(5));
    // The clock of the tape is 0.1 % fast, or slow.
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = open_stage();
        const double interval = 480 * (turn == 0 ? 0.999 : 1.001);
        code_t code = {.rate = 1};
        for (uint32_t i = 0; i < 3000; i++) {
            const double late = random_float(&random, 0, 48); // 1 ms
            add_bytes(scene, 1000 + i * interval + late, (uint8_t[]){0xF1, piece_of(code, i % 8)}, 2);
            code = i % 8 == 7 ? next_code(next_code(code)) : code;
        }
        (void)render_to(scene, 1000 + 200 * interval, 64);
        double greatest = 0, squares = 0, last = position(scene).time_code;
        uint32_t count = 0;
        while (scene->stage.nframes < 1000 + 2990 * interval) {
            cycle(scene, 64);
            const rcore_transport_t at = position(scene);
            const double due = ((double)at.time - 1000 - 24) / interval / 100;
            greatest = fmax(greatest, fabs(at.time_code - due));
            squares += (at.time_code - due) * (at.time_code - due);
            count++;
            EXPECT(at.is_rolling && at.pass == 3 && at.time_code > last);
            last = at.time_code;
        }
        // The jitter is 0.29 ms RMS, and up to 0.5 ms around its mean.
        EXPECT(greatest < 0.0004 && sqrt(squares / count) < 0.00012);
        clock_stage_close(scene);
    }
}

TEST(a_tape_at_another_speed_is_followed) {
    const double intervals[] = {600, 500, 461, 380};
    for (uint32_t turn = 0; turn < 4; turn++) {
        clock_stage_t *scene = open_stage();
        const double interval = intervals[turn];
        const double next = add_quarters(scene, 1000, (code_t){.rate = 1}, interval, 800);
        (void)render_to(scene, 1000 + 30 * interval, 64);
        while (scene->stage.nframes < next - interval) {
            cycle(scene, 64);
            const rcore_transport_t at = position(scene);
            EXPECT(at.is_rolling && at.pass == 3);
            EXPECT_NEAR(at.time_code, ((double)at.time - 1000) / interval / 100, 2.0 / 48000);
        }
        clock_stage_close(scene);
    }
}

TEST(time_never_goes_back) {
    struct random random = random_seeded(random_seed(6));
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = open_stage();
        rcore_buffer_t *impulse = impulse_buffer(2);
        code_t code = {.rate = 1, .seconds = 1};
        const double jitter = turn == 0 ? 48 : 240, interval = 471; // a tape that is 2 % fast
        double last_frame = 0;
        for (uint32_t i = 0; i < 400; i++) {
            last_frame = fmax(last_frame, 1000 + i * interval + random_float(&random, 0, (float)jitter));
            add_bytes(scene, last_frame, (uint8_t[]){0xF1, piece_of(code, i % 8)}, 2);
            code = i % 8 == 7 ? next_code(next_code(code)) : code;
        }
        (void)render_to(scene, 1000 + 8 * interval + 300, 64);
        play_beats(scene, impulse, 2.4, 0.2, 30);
        double last = render_to(scene, 1000 + 16 * interval + 300, 1).time_code;
        while (scene->stage.nframes < 1000 + 390 * interval) {
            cycle(scene, 1);
            const rcore_transport_t at = position(scene);
            EXPECT(at.is_rolling && at.pass == 3 && at.time_code > last);
            last = at.time_code;
        }
        EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(another_map_keeps_the_time) {
    for (uint32_t turn = 0; turn < 3; turn++) {
        clock_stage_t *scene = open_stage();
        rcore_buffer_t *impulse = impulse_buffer(2);
        const double next = add_quarters(scene, 1000, (code_t){.rate = 1, .seconds = 10}, 480, 160);
        // Before it is known, while it waits, and while it rolls.
        const uint32_t quarters[] = {3, 10, 60};
        rcore_transport_t at = render_to(scene, 1000 + quarters[turn] * 480 + 100, 64);
        const uint32_t pass = at.pass;
        post_tempo(scene->stage.core, 60);
        at = render_to(scene, 1000 + quarters[turn] * 480 + 200, 100);
        EXPECT_EQUAL(at.pass, pass + 1);
        at = render_to(scene, 1000 + 75 * 480, 64);
        EXPECT(at.is_rolling && at.pass == 4);
        EXPECT_NEAR(at.time_code, 10 + 0.75, 2.0 / 48000);
        EXPECT_NEAR(at.beat, at.time_code, 1e-6);
        // The same map: nothing changes.
        post_tempo(scene->stage.core, 60);
        play_beats(scene, impulse, 11, 1, 1);
        at = render_to(scene, next - 480, 64);
        EXPECT_EQUAL(at.pass, 4);
        expect_impulses(&scene->stage, 0, (uint64_t[]){49000}, 1);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(a_day_ends_at_midnight) {
    for (uint32_t rate = 0; rate < 4; rate++) {
        clock_stage_t *scene = open_stage();
        rcore_buffer_t *impulse = impulse_buffer(2);
        const double interval = interval_of(rate);
        const uint32_t second = 4 * counts[rate]; // the last frames of a day
        (void)add_quarters(scene, 1000, (code_t){rate, 23, 59, 59, 0}, interval, 3 * second);
        rcore_transport_t at = render_to(scene, 1000 + 20 * interval, 64);
        EXPECT(at.is_rolling && at.pass == 3 && at.beat < 0 && at.beat > -2);
        play_beats(scene, impulse, 0, 1, 2);
        at = render_to(scene, 1000 + 2.5 * second * interval, 64);
        EXPECT(at.is_rolling && at.pass == 3);
        const uint64_t midnight = (uint64_t)(1000 + second * interval + 0.5);
        expect_near(scene, 0, (double[]){(double)midnight, (double)midnight + TRANSPORT_BEAT}, 2, 1);
        EXPECT_NEAR(at.time_code, 1.5 * second / (4 * rates[rate]), 2.0 / 48000);
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
        // Known just before midnight, it starts after it.
        scene = open_stage();
        const code_t last = {rate, 23, 59, 59, counts[rate] - 2};
        (void)add_quarters(scene, 1000, last, interval, 100);
        at = render_to(scene, 1000 + 15 * interval + 1, 1);
        EXPECT(at.is_rolling && at.pass == 3);
        EXPECT_NEAR(at.time_code, (15 - 8) / (4 * rates[rate]), 2.0 / 48000);
        at = render_to(scene, 1000 + 98 * interval + 1, 64);
        EXPECT(at.is_rolling && at.pass == 3);
        EXPECT_NEAR(at.time_code, (98 - 8) / (4 * rates[rate]), 2.0 / 48000);
        clock_stage_close(scene);
    }
}

TEST(uneven_codes_and_lost_quarter_frames_go_on) {
    clock_stage_t *scene = open_stage();
    code_t code = {1, 23, 59, 57, 0}; // midnight is in between
    double frame = 1000;
    for (uint32_t i = 0; i < 800; i++, frame += 480) {
        // Codes advance by one and three frames in turn; from the 400th on, some are lost.
        const bool is_lost = i > 400 && i < 700 && i % 37 < (i / 37) % 4;
        if (!is_lost) {
            add_bytes(scene, frame, (uint8_t[]){0xF1, piece_of(code, i % 8)}, 2);
        }
        if (i % 8 == 7) {
            code = next_code(code);
            code = i / 8 % 2 == 0 ? code : next_code(next_code(code));
        }
        const rcore_transport_t at = render_to(scene, frame + 100, 64);
        EXPECT(i < 20 || (at.is_rolling && at.pass == 3));
        // A code is off by a frame, 40 ms, which quarter frames that were lost delay by up to 30
        // ms.
        EXPECT(i < 20 || fabs(remainder(at.time_code + 3 - (frame + 100 - 1000) / 48000, 86400)) < 0.07);
    }
    clock_stage_close(scene);
}

TEST(starts_where_a_full_message_has_moved_it) {
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = open_stage();
        rcore_buffer_t *impulse = impulse_buffer(2);
        expect_ok(rcore_set_time_code_start(scene->stage.core, 3600));
        for (uint32_t i = 0; i < 5; i++) { // where it is already: no other pass
            add_full(scene, 300 + i, (code_t){.rate = 1, .hours = 1});
        }
        rcore_transport_t at = render_to(scene, 800, 64);
        EXPECT(at.pass == 2 && at.beat == 0.0);
        play_beats(scene, impulse, 0, 0.5, 3);
        const code_t code = {.rate = 1, .hours = 1, .frames = turn == 0 ? 0 : 9};
        const double next = add_quarters(scene, 1000, code, 480, 100);
        at = render_to(scene, 1001, 1);
        EXPECT(at.is_rolling == (turn == 0));
        // One that agrees changes nothing.
        const code_t then = {.rate = 1, .hours = 1, .frames = turn == 0 ? 12 : 21};
        (void)render_to(scene, 1000 + 50 * 480, 64);
        const uint8_t now[] = {0xF0, 0x7F, 0x7F, 1, 1, 0x21, 0, 0, (uint8_t)then.frames, 0xF7};
        for (uint32_t i = 0; i < 10; i++) {
            rcore_midi_receive(scene->stage.core, 0, 0, &now[i], 1);
        }
        at = render_to(scene, next - 480, 64);
        EXPECT(at.is_rolling && at.pass == (turn == 0 ? 2 : 3));
        const double begin = turn == 0 ? 3600 : 3600.36;
        EXPECT_NEAR(at.time_code, begin + ((double)at.time - 1000) / 48000, 2.0 / 48000);
        if (turn == 0) {
            expect_impulses(&scene->stage, 0, (uint64_t[]){1000, 13000, 25000}, 3);
            EXPECT_EQUAL(rcore_read_counters(scene->stage.core).late_commands, 0);
        }
        clock_stage_close(scene);
        rcore_buffer_release(impulse);
    }
}

TEST(only_the_first_quarter_frame_starts_it) {
    clock_stage_t *scene = open_stage();
    // The low bits of its frames are those of a piece that has not come.
    add_full(scene, 500, (code_t){.rate = 1, .frames = 16});
    for (uint32_t i = 3; i < 8; i++) {
        add_bytes(scene, 1000 + (i - 3) * 480, (uint8_t[]){0xF1, (uint8_t)(i << 4)}, 2);
        EXPECT(!render_to(scene, 1000 + (i - 3) * 480 + 10, 16).is_rolling);
    }
    clock_stage_close(scene);
}

TEST(unused_bits_and_fractions) {
    clock_stage_t *scene = open_stage();
    // 29.97 frames per second: no whole samples.
    const uint8_t full[] = {0xF0, 0x7F, 0x7F, 1, 1, 0x41, 0x40, 0x4A, 0x67, 0xF7}; // 01:00:10;07
    for (uint32_t i = 0; i < 10; i++) {
        add_bytes(scene, 500, &full[i], 1);
    }
    const rcore_transport_t at = render_to(scene, 600, 64);
    EXPECT_EQUAL(at.time_code_rate, RCORE_TIME_CODE_29_97_DROP);
    EXPECT_NEAR(at.time_code, (107892 + 307) * 1001 / 30000.0, 1e-9);
    clock_stage_close(scene);
}

TEST(codes_that_were_broken_off_are_forgotten) {
    clock_stage_t *scene = open_stage();
    const code_t first = {.rate = 1, .minutes = 20, .seconds = 10, .frames = 6}, second = {.rate = 1, .hours = 1};
    double next = add_quarters(scene, 1000, first, 480, 20);
    (void)render_to(scene, next + 48000, 64);
    const uint32_t pass = position(scene).pass;
    EXPECT_NEAR(position(scene).time_code, 1210.24 + 0.19, 1e-6); // where the tape stopped
    next += 48000;
    for (uint32_t i = 4; i < 8; i++) {
        add_bytes(scene, next + i * 480, (uint8_t[]){0xF1, piece_of(second, i)}, 2);
    }
    EXPECT_EQUAL(render_to(scene, next + 8 * 480, 64).pass, pass);
    clock_stage_close(scene);
}

TEST(other_sources_begin_at_its_beat) {
    for (uint32_t turn = 0; turn < 2; turn++) {
        clock_stage_t *scene = open_stage();
        // A tape that is 1 % fast; or one before the start of the piece.
        expect_ok(rcore_set_time_code_start(scene->stage.core, turn == 0 ? 0 : 100));
        const double next = add_quarters(scene, 1000, (code_t){.rate = 1}, 475, 1000);
        const rcore_transport_t before = render_to(scene, next - 400, 64);
        expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_OWN, RCORE_NOW));
        const rcore_transport_t at = render_to(scene, next - 300, 50);
        EXPECT(before.is_rolling && !at.is_rolling);
        EXPECT_NEAR(at.beat, turn == 0 ? before.beat : 0.0, 1e-4);
        clock_stage_close(scene);
    }
}

TEST(a_small_jump_is_followed_smoothly) {
    clock_stage_t *scene = open_stage();
    const double next = add_quarters(scene, 1000, (code_t){.rate = 1}, 480, 160);
    (void)add_quarters(scene, next + 400, (code_t){.rate = 1, .seconds = 1, .frames = 15}, 480, 400);
    double last = render_to(scene, next - 10, 16).time_code;
    while (scene->stage.nframes < next + 398 * 480) {
        cycle(scene, 16);
        const rcore_transport_t at = position(scene);
        const double moved = (at.time_code - last) * 48000;
        EXPECT(at.is_rolling && at.pass == 3 && moved >= 7.9 && moved < 32.1);
        last = at.time_code;
    }
    EXPECT_NEAR(last, ((double)scene->stage.nframes - 1000 - 400) / 48000, 2.0 / 48000);
    clock_stage_close(scene);
}

TEST(sources_and_rates_change) {
    clock_stage_t *scene = open_stage();
    // A tape that is a fifth too fast, before and after.
    double next = add_quarters(scene, 1000, (code_t){.rate = 1, .seconds = 1}, 400, 104);
    rcore_transport_t at = render_to(scene, next - 10, 64);
    EXPECT(at.is_rolling);
    const double before = at.time_code;
    rcore_set_sample_rate(scene->stage.core, 96000);
    at = render_to(scene, next - 9, 1);
    EXPECT_NEAR(at.time_code, before, 0.0001);
    next = add_quarters(scene, next, (code_t){.rate = 1, .seconds = 2, .frames = 1}, 800, 100);
    at = render_to(scene, next - 760, 64);
    EXPECT(at.is_rolling && at.pass == 3);
    EXPECT_NEAR(at.time_code, 2.04 + 0.99, 0.001);
    const double beat = at.beat;
    expect_ok(rcore_post_transport_source(scene->stage.queue, RCORE_TRANSPORT_MIDI_CLOCK, RCORE_NOW));
    at = render_to(scene, next - 700, 50);
    EXPECT(!at.is_rolling && at.time_code_rate == RCORE_TIME_CODE_NONE);
    EXPECT_NEAR(at.beat, beat, 0.05);
    clock_stage_close(scene);
}

TEST(random_messages_keep_it_sane) {
    struct random random = random_seeded(random_seed(11));
    for (uint32_t turn = 0; turn < 30; turn++) {
        clock_stage_t *scene = open_stage();
        double frame = 1000;
        uint32_t piece = 0;
        for (uint32_t i = 0; i < 1500; i++) {
            const uint32_t kind = random_below(&random, 40);
            frame += random_float(&random, 0, 900);
            if (kind == 0) {
                const code_t code = {random_below(&random, 4), random_below(&random, 32), random_below(&random, 64),
                                     random_below(&random, 64), random_below(&random, 32)};
                add_full(scene, frame, code);
                i += 3;
            } else if (kind == 1) {
                piece = random_below(&random, 8);
            } else if (kind == 2) {
                add_bytes(scene, frame, (uint8_t[]){0xF1}, 1);
            } else {
                const uint32_t value = random_below(&random, piece % 2 == 0 ? 16 : 8);
                add_bytes(scene, frame, (uint8_t[]){0xF1, (uint8_t)(piece << 4 | value)}, 2);
                piece = (piece + 1) % 8;
            }
        }
        while (scene->received < scene->count) {
            if (random_once_in(&random, 200)) {
                (void)rcore_set_time_code_start(scene->stage.core, random_float(&random, 0, 86000));
                expect_ok(rcore_set_sample_rate(scene->stage.core, random_once_in(&random, 2) ? 8000 : 192000));
            }
            cycle(scene, 1 + random_below(&random, 500));
            const rcore_transport_t at = position(scene);
            EXPECT(isfinite(at.beat) && isfinite(at.time_code) && at.time_code >= 0 && at.time_code < 86410);
            EXPECT(!(at.is_rolling && at.is_starting));
        }
        // Whatever came, it follows the next time code.
        expect_ok(rcore_set_sample_rate(scene->stage.core, 48000));
        const double begin = (double)scene->stage.nframes + 6000;
        (void)add_quarters(scene, begin, (code_t){.rate = 1, .hours = 1}, 480, 200);
        const rcore_transport_t at = render_to(scene, begin + 199 * 480, 256);
        EXPECT(at.is_rolling);
        EXPECT_NEAR(at.time_code, 3601.99, 0.002);
        clock_stage_close(scene);
    }
}

int main(void) {
    RUN(rolls_at_its_time_code);
    RUN(a_day_of_drop_frames);
    RUN(a_full_message_moves_it);
    RUN(the_piece_starts_at_a_time_code);
    RUN(stops_when_it_stops_jumps_or_runs_backwards);
    RUN(jitter_and_drift_are_corrected);
    RUN(a_tape_at_another_speed_is_followed);
    RUN(time_never_goes_back);
    RUN(another_map_keeps_the_time);
    RUN(a_day_ends_at_midnight);
    RUN(uneven_codes_and_lost_quarter_frames_go_on);
    RUN(starts_where_a_full_message_has_moved_it);
    RUN(only_the_first_quarter_frame_starts_it);
    RUN(unused_bits_and_fractions);
    RUN(codes_that_were_broken_off_are_forgotten);
    RUN(other_sources_begin_at_its_beat);
    RUN(a_small_jump_is_followed_smoothly);
    RUN(sources_and_rates_change);
    RUN(random_messages_keep_it_sane);
    return test_result();
}
