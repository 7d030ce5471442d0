// Curves that end at beats of a transport that others move: a server's leader, and a MIDI clock.
#include "beat_curve_stage.h"
#include "midi_clock_stage.h"
#include "random.h"

static const rcore_curve_t shapes[] = {RCORE_CURVE_LINEAR, RCORE_CURVE_EXPONENTIAL, RCORE_CURVE_S};

// ---- A server

/// Renders cycles of a server that rolls, whose leader assigns the beats.
static void follow(stage_t *stage, rcore_server_transport_t *report, double tempo, uint32_t cycles) {
    for (uint32_t i = 0; i < cycles; i++) {
        report->beats_per_minute = tempo;
        rcore_follow_transport(stage->core, report);
        stage_render(stage, 480, 480);
        report->frame += 480;
        report->beat += 480 * tempo / (60.0 * STAGE_RATE);
        report->is_after_gap = false;
    }
}

/// Opens a stage that follows a server, with a curve from beat 1 to 3.
static curve_stage_t following_stage(rcore_server_transport_t *report, rcore_curve_t shape, struct point *points) {
    curve_stage_t scene = curve_stage_open(NULL);
    expect_ok(rcore_post_transport_source(scene.stage.queue, RCORE_TRANSPORT_SERVER, RCORE_NOW));
    *report = (rcore_server_transport_t){.has_beats = true, .beats_per_bar = 4, .beat_unit = 4};
    follow(&scene.stage, report, 120, 1);
    report->frame = 0;
    report->beat = 0;
    report->is_rolling = true;
    follow(&scene.stage, report, 120, 1);
    points[0] = (struct point){1, 1.0f, shape};
    points[1] = (struct point){3, 0.25f, shape};
    post_gains(&scene, points, 2);
    return scene;
}

TEST(another_tempo_of_the_leader) {
    for (unsigned i = 0; i < 9; i++) {
        rcore_server_transport_t report;
        struct point points[2];
        curve_stage_t scene = following_stage(&report, shapes[i / 3], points);
        const double tempos[] = {60, 240, 121};
        follow(&scene.stage, &report, 120, 99); // beat 2
        follow(&scene.stage, &report, tempos[i % 3], 200);
        (void)expect_points(&scene, 0, points, 2);
        EXPECT(largest_step(scene.stage.out[1], 1, scene.stage.nframes) < 4 * 0.75f / 48000);
        curve_stage_close(&scene);
    }
}

/// The server skips cycles: what is left of a curve is played faster; one whose end was skipped
/// goes on as it was.
TEST(a_gap_of_the_server) {
    for (unsigned i = 0; i < 6; i++) {
        rcore_server_transport_t report;
        struct point points[2];
        curve_stage_t scene = following_stage(&report, shapes[i / 2], points);
        stage_t *stage = &scene.stage;
        follow(stage, &report, 120, 99); // beat 2
        const uint32_t skipped = i % 2 == 0 ? 12000 : 36000;
        report.frame += skipped;
        report.beat += skipped / (double)TRANSPORT_BEAT;
        report.is_after_gap = true;
        const uint64_t gap = stage->nframes;
        follow(stage, &report, 120, 80);
        if (i % 2 == 0) {
            (void)expect_points(&scene, 0, points, 2);
            EXPECT_EQUAL(first_other(stage->out[1], gap + 12000, stage->nframes, 0.25f), -1);
        } else {
            EXPECT(stage->out[1][gap + 23999] > 0.25f);
            EXPECT_EQUAL(first_other(stage->out[1], gap + 24000, stage->nframes, 0.25f), -1);
        }
        EXPECT(largest_step(stage->out[1], 1, stage->nframes) < 4 * 0.75f / 48000);
        curve_stage_close(&scene);
    }
}

// ---- A MIDI clock

/// A clock with jitter, whose tempo changes: the points are on the frames of their beats.
TEST(a_midi_clock) {
    struct random random = random_seeded(random_seed(9));
    for (unsigned turn = 0; turn < 6; turn++) {
        clock_stage_t *clock = clock_stage_open();
        curve_stage_t scene = curve_stage_open(NULL); // for its buffers
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = scene.ones;
        params.loop_count = UINT64_MAX;
        const rcore_voice_t voice = stage_start(&clock->stage, &params, RCORE_NOW);
        add(clock, 1000, START);
        render_to(clock, 1500, 100);
        const uint32_t pass = position(clock).pass;
        const rcore_curve_t shape = shapes[turn % 3];
        const struct point points[] = {
            {0.5, 1.0f, shape}, {2, 0.25f, shape}, {2.3, 0.75f, shape}, {5, 0.5f, shape}, {7, 1.0f, shape}};
        for (unsigned i = 0; i < 5; i++) {
            (void)play_impulse(&clock->stage, scene.impulse, rcore_beat_time(pass, points[i].beat));
        }
        expect_ok(post_points(clock->stage.queue, RCORE_PARAMETER_VOICE_GAIN, voice, pass, points, 5));
        double frame = 2000;
        for (unsigned i = 0; i < 8 * 24; i++) {
            const double jitter = turn < 3 ? 0 : random_float(&random, 0, 200);
            add(clock, frame + jitter, CLOCK);
            frame += i < 72 ? 1000 : i < 120 ? 700 : 1200;
        }
        render_to(clock, frame, turn % 2 == 0 ? 256 : 1000);
        EXPECT(position(clock).beat > 7 && position(clock).pass == pass);
        const curve_stage_t heard = {.stage = clock->stage};
        (void)expect_points(&heard, 0, points, 5);
        EXPECT(largest_step(clock->stage.out[1], 2000, clock->stage.nframes) < 4 * 0.5f / (0.3f * 12000));
        EXPECT_EQUAL(rcore_read_counters(clock->stage.core).late_commands, 0);
        clock_stage_close(clock);
        curve_stage_close(&scene);
    }
}

// ---- MIDI time code

/// Adds quarter frame `number` of a time code of 25 frames per second, from 0:00 on.
static void add_quarter(clock_stage_t *clock, double frame, uint32_t number) {
    // The code that the eight pieces state.
    const uint32_t code = number / 8 * 2, piece = number % 8;
    const uint32_t fields[] = {code % 25, code / 25 % 60, code / 1500, 1 << 5};
    const uint32_t nibble = fields[piece / 2] >> (piece % 2 == 0 ? 0 : 4) & 15;
    add_bytes(clock, frame, (uint8_t[]){0xF1, (uint8_t)(piece << 4 | nibble)}, 2);
}

/// A tape that becomes slower and faster.
TEST(midi_time_code) {
    for (unsigned turn = 0; turn < 3; turn++) {
        clock_stage_t *clock = clock_stage_open();
        stage_t *stage = &clock->stage;
        curve_stage_t scene = curve_stage_open(NULL); // for its buffers
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = scene.ones;
        params.loop_count = UINT64_MAX;
        const rcore_voice_t voice = stage_start(stage, &params, RCORE_NOW);
        expect_ok(rcore_post_transport_source(stage->queue, RCORE_TRANSPORT_TIME_CODE, RCORE_NOW));
        double frame = 1000;
        for (uint32_t number = 0; number < 800; number++) { // of 480 frames each, 50 to a beat
            add_quarter(clock, frame, number);
            frame += number < 100 ? 480 : number < 300 ? 600 : 400;
        }
        while (!position(clock).is_rolling && stage->nframes < 20000) {
            cycle(clock, 100);
        }
        const uint32_t pass = position(clock).pass;
        const rcore_curve_t shape = shapes[turn];
        const struct point points[] = {{1, 1.0f, shape}, {4, 0.25f, shape}, {5, 0.75f, shape}, {15, 0.5f, shape}};
        for (unsigned i = 0; i < 4; i++) {
            (void)play_impulse(stage, scene.impulse, rcore_beat_time(pass, points[i].beat));
        }
        expect_ok(post_points(stage->queue, RCORE_PARAMETER_VOICE_GAIN, voice, pass, points, 4));
        render_to(clock, frame, 256);
        EXPECT(position(clock).beat > 15 && position(clock).pass == pass);
        const curve_stage_t heard = {.stage = *stage};
        (void)expect_points(&heard, 0, points, 4);
        EXPECT(largest_step(stage->out[1], 2000, stage->nframes) < 3 * 0.5f / 20000);
        EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 0);
        clock_stage_close(clock);
        curve_stage_close(&scene);
    }
}

int main(void) {
    RUN(another_tempo_of_the_leader);
    RUN(a_gap_of_the_server);
    RUN(a_midi_clock);
    RUN(midi_time_code);
    return test_result();
}
