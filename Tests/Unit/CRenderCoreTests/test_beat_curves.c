// Curves that end at beats: exact at their points whatever the tempo does, and without jumps.
#include "beat_curve_stage.h"
#include "random.h"

#include <string.h>

static const rcore_tempo_change_t changes[] = {
    {.beats_per_minute = 127.3, .beats_per_bar = 4, .beat_unit = 4},
    {.beat = 0.7, .beats_per_minute = 960, .beats_per_bar = 4, .beat_unit = 4},
    {.beat = 1.1, .beats_per_minute = 61.7, .beats_per_bar = 4, .beat_unit = 4},
    {.beat = 1.3, .beats_per_minute = 180, .beats_per_bar = 4, .beat_unit = 4},
};

// ---- The same as in frames

static uint64_t frame_of(const rcore_tempo_map_t *map, double beat) {
    return (uint64_t)floor(rcore_tempo_map_seconds(map, beat) * STAGE_RATE + 0.500001);
}

/// Posts points by the map in frames from `start` on, where beat 0 is.
static void post_frames(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, const rcore_tempo_map_t *map,
                        uint64_t start, const struct point *points, uint32_t count) {
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t frame = start + frame_of(map, points[i].beat);
        const uint32_t length = i == 0 ? 0 : (uint32_t)(frame - before);
        const uint64_t begin = i == 0 ? frame : before + 1;
        expect_ok(rcore_post_curve(queue, parameter, of, points[i].value, points[i].shape, length, begin));
        before = frame;
    }
}

static const struct point gains[] = {{0.1, 0.9f, RCORE_CURVE_LINEAR},      {0.5, 0.1f, RCORE_CURVE_S},
                                     {1.2, 0.8f, RCORE_CURVE_LINEAR},      {1.25, 0.0f, RCORE_CURVE_EXPONENTIAL},
                                     {1.25001, 0.5f, RCORE_CURVE_S}, // on the next frame
                                     {1.5, -0.5f, RCORE_CURVE_EXPONENTIAL}};
static const struct point pans[] = {{0, -0.97f, RCORE_CURVE_S},
                                    {0.6, 0.83f, RCORE_CURVE_LINEAR},
                                    {0.8, -0.51f, RCORE_CURVE_EXPONENTIAL},
                                    {1.4, 0.37f, RCORE_CURVE_S},
                                    {1.6, 0.13f, RCORE_CURVE_LINEAR}};
static const struct point speeds[] = {{0.2, 1, RCORE_CURVE_S},
                                      {0.9, 2, RCORE_CURVE_EXPONENTIAL},
                                      {1.2, 0.5f, RCORE_CURVE_LINEAR},
                                      {1.6, 1, RCORE_CURVE_S}};

/// Renders all parameters of a voice and a bus, at beats or in frames of the same tempo map.
static stage_t render_all(const rcore_buffer_t *buffer, bool beats, uint32_t period) {
    const struct {
        rcore_parameter_t parameter;
        const struct point *points;
        uint32_t count;
    } all[] = {{RCORE_PARAMETER_VOICE_GAIN, gains, 6},
               {RCORE_PARAMETER_VOICE_PAN, pans, 5},
               {RCORE_PARAMETER_VOICE_SPEED, speeds, 4},
               {RCORE_PARAMETER_BUS_GAIN, gains, 6},
               {RCORE_PARAMETER_BUS_PAN, pans, 5}};
    stage_t stage = stage_open(NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.pan_law = RCORE_PAN_EQUAL_POWER;
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    rcore_tempo_map_t *map = rcore_tempo_map_create(changes, 4, NULL);
    expect_ok(rcore_post_tempo_map(stage.core, map));
    stage_render(&stage, 1, 1);
    expect_ok(rcore_post_transport_start(stage.queue, 333));
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t of = i < 3 ? voice : 0;
        if (beats) {
            expect_ok(post_points(stage.queue, all[i].parameter, of, 1, all[i].points, all[i].count));
        } else {
            post_frames(stage.queue, all[i].parameter, of, map, 333, all[i].points, all[i].count);
        }
    }
    stage_render(&stage, 50000, period);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 0);
    return stage;
}

TEST(the_same_bits_as_in_frames_wherever_periods_end) {
    rcore_buffer_t *buffer = sine_buffer(200000, 330, 0.5f);
    stage_t expected = render_all(buffer, false, 256);
    const uint32_t periods[] = {256, 64, 1024, 37, 1, STAGE_CHANGING_PERIODS};
    for (unsigned i = 0; i < 6; i++) {
        stage_t stage = render_all(buffer, true, periods[i]);
        for (unsigned channel = 0; channel < 2; channel++) {
            uint32_t first = 0;
            while (first < stage.nframes && stage.out[channel][first] == expected.out[channel][first]) {
                first++;
            }
            EXPECT_EQUAL(first, stage.nframes);
        }
        stage_close(&stage);
    }
    stage_close(&expected);
    rcore_buffer_release(buffer);
}

// ---- Changes of the tempo

static const rcore_curve_t shapes[] = {RCORE_CURVE_LINEAR, RCORE_CURVE_EXPONENTIAL, RCORE_CURVE_S};

/// Plays a curve of two beats, and another tempo from `change` on. Expects the points, and steps
/// that are at most `faster` times those of the curve at 120 beats per minute.
static void play_change(rcore_curve_t shape, uint32_t change, double tempo) {
    curve_stage_t scene = curve_stage_open(NULL);
    stage_t *stage = &scene.stage;
    const struct point points[] = {{0.5, 1.0f, shape}, {2.5, 0.25f, shape}};
    post_gains(&scene, points, 2);
    expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
    stage_render(stage, change, 480);
    post_tempo(stage->core, tempo);
    const double before = change / (double)TRANSPORT_BEAT, beat_frames = 60 * STAGE_RATE / tempo;
    stage_render(stage, (uint64_t)((3 - before) * beat_frames), 480);
    const uint64_t end = expect_points(&scene, 0, points, 2);
    EXPECT_NEAR((double)end, change + (2.5 - before) * beat_frames, 1);
    EXPECT_EQUAL(first_other(stage->out[1], 0, 12001, 1.0f), -1);
    EXPECT_EQUAL(first_other(stage->out[1], end, stage->nframes, 0.25f), -1);
    // The steepest part of the curve, in one frame at each tempo: e-folds or 1.5 times the average.
    const double steepest = shape == RCORE_CURVE_LINEAR ? 0.75 : shape == RCORE_CURVE_S ? 1.125 : log(4);
    const double frames = 2 * fmin(beat_frames, TRANSPORT_BEAT);
    EXPECT(largest_step(stage->out[1], 1, stage->nframes) < (float)(1.01 * steepest / frames + 1e-6));
    // It moves in each part, and never backwards.
    unsigned resting = 0, backwards = 0;
    for (uint64_t i = 12001; i <= end; i++) {
        resting += stage->out[1][i] == stage->out[1][i - 1] ? 1 : 0;
        backwards += stage->out[1][i] > stage->out[1][i - 1] ? 1 : 0;
    }
    EXPECT_EQUAL(backwards, 0);
    // An S rests at both ends, as seen by 24 bits.
    EXPECT(resting < (end - 12000) / (shape == RCORE_CURVE_S ? 20 : 50));
    curve_stage_close(&scene);
}

TEST(another_tempo_within_a_curve) {
    const uint32_t frames[] = {12480, 36000, 54720, 59520};
    const double tempos[] = {119, 240, 60, 1000, 30};
    for (unsigned shape = 0; shape < 3; shape++) {
        for (unsigned i = 0; i < 20; i++) {
            play_change(shapes[shape], frames[i / 5], tempos[i % 5]);
        }
    }
}

/// The rest of the shape is spread evenly: at each beat, the value is that of the old tempo.
TEST(another_tempo_keeps_the_value_at_each_beat) {
    for (unsigned shape = 0; shape < 3; shape++) {
        curve_stage_t scenes[2] = {curve_stage_open(NULL), curve_stage_open(NULL)};
        const struct point points[] = {{0, 1.0f, shapes[shape]}, {4, 0.125f, shapes[shape]}};
        for (unsigned i = 0; i < 2; i++) {
            stage_t *stage = &scenes[i].stage;
            post_gains(&scenes[i], points, 2);
            expect_ok(rcore_post_transport_start(stage->queue, RCORE_NOW));
            stage_render(stage, 24000, 480);
            post_tempo(stage->core, i == 0 ? 120 : 60);
            stage_render(stage, i == 0 ? 80000 : 160000, 480);
        }
        for (uint32_t frame = 0; frame < 72000; frame += 100) {
            EXPECT_NEAR(scenes[1].stage.out[1][24000 + 2 * frame], scenes[0].stage.out[1][24000 + frame], 2e-4);
        }
        curve_stage_close(&scenes[0]);
        curve_stage_close(&scenes[1]);
    }
}

TEST(a_new_sample_rate_within_a_curve) {
    for (unsigned shape = 0; shape < 3; shape++) {
        curve_stage_t scene = curve_stage_open(NULL);
        const struct point points[] = {
            {0.5, 1.0f, shapes[shape]}, {1, 0.25f, shapes[shape]}, {1.5, 0.5f, shapes[shape]}};
        post_gains(&scene, points, 3);
        expect_ok(rcore_post_transport_start(scene.stage.queue, RCORE_NOW));
        stage_render(&scene.stage, 16000, 100);
        expect_ok(rcore_set_sample_rate(scene.stage.core, 96000));
        stage_render(&scene.stage, 50000, 100);
        EXPECT_EQUAL(expect_points(&scene, 0, points, 3), 16000 + 16000 + 24000);
        curve_stage_close(&scene);
    }
}

TEST(pans_and_speeds_follow_the_tempo) {
    static float samples[50000];
    for (unsigned i = 0; i < 50000; i++) {
        samples[i] = 1.0f;
    }
    const float *planes[] = {samples};
    rcore_buffer_t *ramp = ramp_buffer(200000), *ones = rcore_buffer_create(1, 50000, planes, NULL);
    for (unsigned shape = 0; shape < 3; shape++) {
        stage_t stage = stage_open(NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = ones;
        params.pan_law = RCORE_PAN_LINEAR;
        const rcore_voice_t panned = stage_start(&stage, &params, RCORE_NOW);
        const struct point sides[] = {{0, -1, shapes[shape]}, {1.5, 0.75f, shapes[shape]}};
        expect_ok(post_points(stage.queue, RCORE_PARAMETER_VOICE_PAN, panned, 0, sides, 2));
        const struct point glide[] = {{0, 1, shapes[shape]}, {1.5, 3, shapes[shape]}};
        stage_t other = stage_open(NULL);
        const rcore_voice_t gliding = stage_play(&other, ramp, RCORE_NOW);
        expect_ok(post_points(other.queue, RCORE_PARAMETER_VOICE_SPEED, gliding, 0, glide, 2));
        stage_t *const both[] = {&stage, &other};
        for (unsigned i = 0; i < 2; i++) {
            expect_ok(rcore_post_transport_start(both[i]->queue, RCORE_NOW));
            stage_render(both[i], 12000, 480);
            post_tempo(both[i]->core, 240);
            stage_render(both[i], 12480, 480);
            post_tempo(both[i]->core, 96);
            stage_render(both[i], 20000, 480);
        }
        // Beat 0.5, then 1.04 beats of 12000 frames: beat 1.54 is passed.
        const uint64_t end = 24000;
        EXPECT_NEAR(stage.out[1][end], 0.875, 0);
        EXPECT_NEAR(stage.out[0][end], 0.125, 0);
        EXPECT(stage.out[1][end - 1] < 0.875f);
        EXPECT(largest_step(stage.out[1], 1, stage.nframes) < 2 * 0.875f / 18000);
        EXPECT_NEAR((other.out[0][end + 5] - other.out[0][end + 4]) * 1048576, 3, 0);
        EXPECT((other.out[0][end - 1000] - other.out[0][end - 1001]) * 1048576 < 2.999f);
        stage_close(&stage);
        stage_close(&other);
    }
    rcore_buffer_release(ramp);
    rcore_buffer_release(ones);
}

enum { MAX_TEMPO = 400, NPOINTS = 12 };

/// Expects no step that is larger than those of the curve at the highest tempo, or three times
/// that: the last frames before a point may be rounded to fewer.
static void expect_no_jumps(const curve_stage_t *scene, const struct point *points) {
    uint64_t frames[64] = {0};
    EXPECT_EQUAL(find_impulses(&scene->stage, 0, frames, 64), NPOINTS);
    for (uint32_t i = 1; i < NPOINTS; i++) {
        const double from = (double)points[i - 1].value, to = (double)points[i].value;
        const double nframes = (points[i].beat - points[i - 1].beat) * 60 * STAGE_RATE / MAX_TEMPO;
        const double steepest =
            points[i].shape == RCORE_CURVE_EXPONENTIAL ? fabs(log(to / from)) * fmax(from, to) : 1.5 * fabs(to - from);
        EXPECT(largest_step(scene->stage.out[1], frames[i - 1], frames[i] + 1) <
               (float)(3 * steepest / nframes + 1e-6));
    }
}

/// Random points, tempos and periods.
TEST(random_tempos_keep_the_points) {
    const uint64_t seed = random_seed(5);
    printf("seed %" PRIu64 "\n", seed);
    for (uint64_t turn = 0; turn < 60 && expect_failures == 0; turn++) {
        struct random random = random_seeded(seed * 1000 + turn);
        curve_stage_t scene = curve_stage_open(NULL);
        stage_t *stage = &scene.stage;
        struct point points[NPOINTS];
        for (uint32_t i = 0; i < NPOINTS; i++) {
            points[i] = (struct point){(i > 0 ? points[i - 1].beat : 0) + random_float(&random, 0.02f, 1.5f),
                                       random_float(&random, 0.05f, 1), shapes[random_below(&random, 3)]};
        }
        post_gains(&scene, points, NPOINTS);
        expect_ok(rcore_post_transport_start(stage->queue, random_below(&random, 1000)));
        while (rcore_read_transport(stage->core).beat < points[NPOINTS - 1].beat + 0.1) {
            if (rcore_read_transport(stage->core).is_rolling && random_once_in(&random, 40)) {
                post_tempo(stage->core, random_float(&random, 40, MAX_TEMPO));
            }
            const uint32_t period = 1 + random_below(&random, 1500);
            stage_render(stage, period, period);
        }
        (void)expect_points(&scene, 0, points, NPOINTS);
        expect_no_jumps(&scene, points);
        EXPECT_EQUAL(rcore_read_counters(stage->core).late_commands, 0);
        curve_stage_close(&scene);
    }
}

int main(void) {
    RUN(the_same_bits_as_in_frames_wherever_periods_end);
    RUN(another_tempo_within_a_curve);
    RUN(another_tempo_keeps_the_value_at_each_beat);
    RUN(a_new_sample_rate_within_a_curve);
    RUN(pans_and_speeds_follow_the_tempo);
    RUN(random_tempos_keep_the_points);
    return test_result();
}
