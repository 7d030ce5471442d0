// Curves: each shape and each parameter against its formula, exact at both ends, with other events
// in between.
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <string.h>

enum { start_frame = 777 };

// ---- Expected values ----------------------------------------------------------------------------

struct course {
    double from, to;
    rcore_curve_t shape;
    uint32_t nframes;
};

static bool is_straight(const struct course *course) {
    return course->shape == RCORE_CURVE_LINEAR || course->from * course->to < 0 || course->from == course->to;
}

// Returns the curve's value after `done` frames, as specified in the header.
static double course_at(const struct course *course, uint32_t done) {
    if (done >= course->nframes) {
        return course->to;
    }
    const double x = (double)done / course->nframes, way = course->to - course->from;
    if (course->shape == RCORE_CURVE_S) {
        return course->from + way * (3 * x * x - 2 * x * x * x);
    }
    if (is_straight(course)) {
        return course->from + way * x;
    }
    const double from = course->from != 0 ? course->from : 1e-5 * course->to;
    const double to = course->to != 0 ? course->to : 1e-5 * course->from;
    return from * pow(to / from, x);
}

// Returns the maximum error of the core's polyline: its points are at most 1/128 of the length
// apart, or 8 frames.
static double course_bound(const struct course *course, uint32_t done) {
    const double apart = fmin(1.0, fmax(8.0 / course->nframes, 1.0 / 128));
    const double way = fabs(course->to - course->from);
    if (course->shape == RCORE_CURVE_S) {
        return 0.75 * apart * apart * way + 1e-6;
    }
    if (is_straight(course)) {
        return 1e-6;
    }
    const double ratio = course->from != 0 && course->to != 0 ? course->to / course->from : 1e5;
    const double turn = fabs(log(ratio)) * apart; // of one line segment
    const double towards_zero = course->from == 0 || course->to == 0 ? 1e-5 * way : 0;
    return turn * turn / 8 * exp(turn) * fabs(course_at(course, done)) + towards_zero + 1e-6;
}

// Compares the formula with the output from frame `begin` on. The output is `scale` × value +
// `offset`.
static void expect_course(const struct course *course, const float *heard, uint64_t begin, double scale,
                          double offset) {
    unsigned off = 0;
    double worst = 0;
    for (uint32_t i = 0; i < course->nframes; i++) {
        const double error = fabs((double)heard[begin + i] - (scale * course_at(course, i + 1) + offset));
        worst = fmax(worst, error);
        off += error <= fabs(scale) * course_bound(course, i + 1) ? 0 : 1;
    }
    EXPECT_EQUAL(off, 0);
    if (off > 0) {
        fprintf(stderr, "shape %d from %g to %g in %u frames: largest error %g\n", (int)course->shape, course->from,
                course->to, course->nframes, worst);
    }
    const float last = (float)(scale * course->to + offset);
    EXPECT_EQUAL(first_other(heard, begin + course->nframes - 1, begin + course->nframes + 20, last), -1);
    EXPECT_EQUAL(first_other(heard, begin - 5, begin, (float)(scale * course->from + offset)), -1);
}

static const struct course courses[] = {
    {1.0, 0.25, RCORE_CURVE_LINEAR, 1000},
    {1.0, 0.001, RCORE_CURVE_EXPONENTIAL, 24000},
    {0.001, 1.0, RCORE_CURVE_EXPONENTIAL, 4800},
    {-0.5, -0.01, RCORE_CURVE_EXPONENTIAL, 1024},
    {1.0, 0.0, RCORE_CURVE_EXPONENTIAL, 9600},
    {0.0, 1.0, RCORE_CURVE_EXPONENTIAL, 9601},
    {-0.5, 0.5, RCORE_CURVE_EXPONENTIAL, 2000},
    {0.5, 0.5, RCORE_CURVE_EXPONENTIAL, 200},
    {0.0, 1.0, RCORE_CURVE_S, 70000},
    {1.0, -1.0, RCORE_CURVE_S, 5000},
    {0.0, 1.0, RCORE_CURVE_S, 1023},
    {0.0, 1.0, RCORE_CURVE_S, 240},
    {1.0, 0.5, RCORE_CURVE_S, 7},
    {1.0, 0.5, RCORE_CURVE_S, 1},
    {0.5, 1.0, RCORE_CURVE_EXPONENTIAL, 3},
    {0.5, 1.0, RCORE_CURVE_EXPONENTIAL, 131},
};
enum { ncourses = sizeof courses / sizeof courses[0] };

static rcore_buffer_t *mono_ones(uint64_t nframes) {
    float *samples = malloc(sizeof(float) * nframes);
    for (uint64_t i = 0; i < nframes; i++) {
        samples[i] = 1.0f;
    }
    const float *planes[] = {samples};
    rcore_buffer_t *buffer = rcore_buffer_create(1, nframes, planes, NULL);
    free(samples);
    return buffer;
}

// ---- Each parameter -----------------------------------------------------------------------------

TEST(gains_of_voices_and_buses) {
    rcore_buffer_t *ones = constant_buffer(100000, 1.0f);
    for (unsigned i = 0; i < 2 * ncourses; i++) {
        const struct course *course = &courses[i / 2];
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
        const bool bus = i % 2 == 1;
        const rcore_parameter_t parameter = bus ? RCORE_PARAMETER_BUS_GAIN : RCORE_PARAMETER_VOICE_GAIN;
        const uint64_t of = bus ? 0 : voice;
        EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, of, (float)course->from, RCORE_CURVE_S, 0, RCORE_NOW),
                     RCORE_OK);
        EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, of, (float)course->to, course->shape, course->nframes,
                                      start_frame),
                     RCORE_OK);
        stage_render(&stage, start_frame + course->nframes + 100, 256);
        expect_course(course, stage.out[0], start_frame, 1, 0);
        expect_course(course, stage.out[1], start_frame, 1, 0);
        stage_close(&stage);
    }
    rcore_buffer_release(ones);
}

TEST(gains_of_inputs) {
    float *ones = malloc(sizeof(float) * 80000), *heard = malloc(sizeof(float) * 80000);
    for (unsigned i = 0; i < 80000; i++) {
        ones[i] = 1.0f;
    }
    for (unsigned i = 0; i < ncourses; i++) {
        stage_t stage = stage_open(NULL);
        stage_grant(&stage, (sgate_grant_t){.input_granted = true});
        rcore_voice_params_t params = rcore_voice_params_default();
        params.input_channels = 1;
        params.input = 1;
        (void)stage_start(&stage, &params, RCORE_NOW);
        const rcore_parameter_t parameter = RCORE_PARAMETER_INPUT_GAIN;
        const struct course *course = &courses[i];
        rcore_post_input_gain(stage.queue, 1, (float)course->from, 0, RCORE_NOW);
        EXPECT_EQUAL(
            rcore_post_curve(stage.queue, parameter, 1, (float)course->to, course->shape, course->nframes, start_frame),
            RCORE_OK);
        for (uint32_t done = 0; done < start_frame + course->nframes + 100; done += 64) {
            const float *inputs[] = {NULL, ones + done};
            float *outputs[] = {heard + done, NULL};
            rcore_process(stage.core, inputs, 2, outputs, 2, 64);
        }
        expect_course(course, heard, start_frame, 1, 0);
        stage_close(&stage);
    }
    free(ones);
    free(heard);
}

// A zero matrix: nothing of a bus reaches its parent.
static rcore_matrix_t *nothing;

// Bus 1 feeds bus 0 through send 3 only. Bus 0 is connected to the route and panned with the linear
// law.
static void post_mixer(stage_t *stage, bool with_send) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t main = {
        .slot = 0, .channels = 1, .parent = RCORE_NONE, .gate = stage->gate, .pan_law = RCORE_PAN_LINEAR};
    const rcore_bus_description_t aside = {.slot = 1, .channels = 1, .parent = 0, .matrix = nothing};
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    const rcore_send_description_t send = {.slot = 3, .source = 1, .target = 0};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &main), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &aside), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(with_send ? rcore_plan_add_send(plan, &send) : RCORE_OK, RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
}

static stage_t mixer_stage(const rcore_buffer_t *mono) {
    stage_t stage = stage_open(NULL);
    post_mixer(&stage, true);
    stage_play_on(&stage, mono, 1, RCORE_NOW);
    return stage;
}

TEST(levels_of_sends) {
    rcore_buffer_t *ones = mono_ones(100000);
    for (unsigned i = 0; i < ncourses; i++) {
        stage_t stage = mixer_stage(ones);
        const rcore_parameter_t parameter = RCORE_PARAMETER_SEND_LEVEL;
        const struct course *course = &courses[i];
        rcore_post_send_level(stage.queue, 3, (float)course->from, 0, RCORE_NOW);
        rcore_post_bus_pan(stage.queue, 0, -1.0f, 0, RCORE_NOW);
        EXPECT_EQUAL(
            rcore_post_curve(stage.queue, parameter, 3, (float)course->to, course->shape, course->nframes, start_frame),
            RCORE_OK);
        stage_render(&stage, start_frame + course->nframes + 100, 256);
        expect_course(course, stage.out[0], start_frame, 1, 0);
        stage_close(&stage);
    }
    rcore_buffer_release(ones);
}

TEST(pans_of_buses) {
    static const struct course moves[] = {
        {-1.0, 1.0, RCORE_CURVE_S, 9600}, {1.0, -0.5, RCORE_CURVE_S, 1000}, {0.25, 1.0, RCORE_CURVE_LINEAR, 5000}};
    rcore_buffer_t *ones = mono_ones(100000);
    for (unsigned i = 0; i < 3; i++) {
        stage_t stage = mixer_stage(ones);
        rcore_post_bus_pan(stage.queue, 0, (float)moves[i].from, 0, RCORE_NOW);
        EXPECT_EQUAL(rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_PAN, 0, (float)moves[i].to, moves[i].shape,
                                      moves[i].nframes, start_frame),
                     RCORE_OK);
        stage_render(&stage, start_frame + moves[i].nframes + 100, 100);
        expect_course(&moves[i], stage.out[1], start_frame, 0.5, 0.5);
        expect_course(&moves[i], stage.out[0], start_frame, -0.5, 0.5);
        stage_close(&stage);
    }
    rcore_buffer_release(ones);
}

/// With the linear law, the right channel's gain is the pan position; with the equal-power law, its
/// sine.
TEST(pans_of_voices) {
    static const struct course moves[] = {
        {-1.0, 1.0, RCORE_CURVE_S, 9600},
        {0.25, -0.75, RCORE_CURVE_S, 1000},
        {1.0, -1.0, RCORE_CURVE_S, 60000},
        {0.25, 1.0, RCORE_CURVE_LINEAR, 5000},
    };
    rcore_buffer_t *ones = mono_ones(100000);
    for (unsigned i = 0; i < sizeof moves / sizeof moves[0]; i++) {
        stage_t stages[2] = {stage_open(NULL), stage_open(NULL)};
        for (unsigned law = 0; law < 2; law++) {
            rcore_voice_params_t params = rcore_voice_params_default();
            params.buffer = ones;
            params.pan_law = law == 0 ? RCORE_PAN_LINEAR : RCORE_PAN_EQUAL_POWER;
            params.pan = (float)moves[i].from;
            const rcore_voice_t voice = stage_start(&stages[law], &params, RCORE_NOW);
            EXPECT_EQUAL(rcore_post_curve(stages[law].queue, RCORE_PARAMETER_VOICE_PAN, voice, (float)moves[i].to,
                                          moves[i].shape, moves[i].nframes, start_frame),
                         RCORE_OK);
            stage_render(&stages[law], start_frame + moves[i].nframes + 100, STAGE_CHANGING_PERIODS);
        }
        expect_course(&moves[i], stages[0].out[1], start_frame, 0.5, 0.5);
        expect_course(&moves[i], stages[0].out[0], start_frame, -0.5, 0.5);
        for (uint32_t done = 1; done <= moves[i].nframes; done++) {
            const double angle = 0.78539816339744831 * (1.0 + course_at(&moves[i], done));
            EXPECT_NEAR(stages[1].out[0][start_frame + done - 1], cos(angle), 2e-4);
            EXPECT_NEAR(stages[1].out[1][start_frame + done - 1], sin(angle), 2e-4);
        }
        stage_close(&stages[0]);
        stage_close(&stages[1]);
    }
    rcore_buffer_release(ones);
}

/// An exponential curve of the speed is a glide with constant cents per second. The playhead is the
/// sum of the speeds.
TEST(speeds_of_voices) {
    static const struct course glides[] = {
        {1.0, 2.0, RCORE_CURVE_EXPONENTIAL, 4800}, {1.0, 0.25, RCORE_CURVE_EXPONENTIAL, 4800},
        {1.0, 4.0, RCORE_CURVE_S, 3000},           {2.0, 1.0, RCORE_CURVE_S, 20000},
        {1.0, 16.0, RCORE_CURVE_S, 100},
    };
    rcore_buffer_t *ramp = ramp_buffer(100000);
    for (unsigned i = 0; i < sizeof glides / sizeof glides[0]; i++) {
        const struct course *glide = &glides[i];
        stage_t stage = stage_open(NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = ramp;
        params.speed = (float)glide->from;
        const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
        EXPECT_EQUAL(rcore_post_curve(stage.queue, RCORE_PARAMETER_VOICE_SPEED, voice, (float)glide->to, glide->shape,
                                      glide->nframes, start_frame),
                     RCORE_OK);
        stage_render(&stage, start_frame + glide->nframes + 1000, 100);
        double place = start_frame * glide->from, bound = 0.02;
        for (uint32_t done = 1; done <= glide->nframes + 900; done++) {
            place += course_at(glide, done);
            bound += done < glide->nframes ? course_bound(glide, done) : 0;
            const double heard = (double)stage.out[0][start_frame + done] * 1048576.0 - 1.0;
            if (!(fabs(heard - place) <= bound)) {
                EXPECT_NEAR(heard, place, bound);
                break;
            }
        }
        stage_close(&stage);
    }
    rcore_buffer_release(ramp);
}

// ---- Periods and interruptions ------------------------------------------------------------------

static void play_curves(stage_t *stage, const rcore_buffer_t *buffer, uint32_t period) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.pan_law = RCORE_PAN_EQUAL_POWER;
    const rcore_voice_t voice = stage_start(stage, &params, RCORE_NOW);
    rcore_queue_t *queue = stage->queue;
    rcore_post_curve(queue, RCORE_PARAMETER_VOICE_GAIN, voice, 0.1f, RCORE_CURVE_EXPONENTIAL, 3000, 100);
    rcore_post_curve(queue, RCORE_PARAMETER_VOICE_GAIN, voice, 0.9f, RCORE_CURVE_S, 100, 4000);
    rcore_post_curve(queue, RCORE_PARAMETER_VOICE_PAN, voice, 1.0f, RCORE_CURVE_S, 5000, 333);
    rcore_post_curve(queue, RCORE_PARAMETER_VOICE_SPEED, voice, 1.5f, RCORE_CURVE_EXPONENTIAL, 2000, 1234);
    rcore_post_curve(queue, RCORE_PARAMETER_VOICE_SPEED, voice, 1.0f, RCORE_CURVE_S, 500, 6000);
    rcore_post_curve(queue, RCORE_PARAMETER_BUS_GAIN, 0, 0.0f, RCORE_CURVE_S, 7000, 50);
    // While the first one is running.
    rcore_post_curve(queue, RCORE_PARAMETER_BUS_GAIN, 0, 1.0f, RCORE_CURVE_EXPONENTIAL, 900, 5001);
    stage_render(stage, 10000, period);
}

TEST(the_same_bits_wherever_periods_end) {
    rcore_buffer_t *buffer = sine_buffer(20000, 330, 0.5f);
    static const uint32_t periods[] = {
        10000 > RCORE_MAX_PERIOD ? 5000 : 10000, 64, 1024, 37, 1, STAGE_CHANGING_PERIODS};
    stage_t stages[6];
    for (unsigned i = 0; i < 6; i++) {
        stages[i] = stage_open(NULL);
        play_curves(&stages[i], buffer, periods[i]);
        for (unsigned channel = 0; channel < 2; channel++) {
            float largest = 0.0f;
            for (unsigned frame = 0; frame < 10000; frame++) {
                largest = fmaxf(largest, fabsf(stages[i].out[channel][frame] - stages[0].out[channel][frame]));
            }
            EXPECT_NEAR(largest, 0, 0);
        }
    }
    for (unsigned i = 0; i < 6; i++) {
        stage_close(&stages[i]);
    }
    rcore_buffer_release(buffer);
}

/// From its current value: with a ramp, with a curve, and at once.
TEST(another_command_ends_a_curve_where_it_is) {
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    for (unsigned i = 0; i < 2; i++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
        const rcore_parameter_t parameter = i == 0 ? RCORE_PARAMETER_BUS_GAIN : RCORE_PARAMETER_VOICE_GAIN;
        const uint64_t of = i == 0 ? 0 : voice;
        rcore_post_curve(stage.queue, parameter, of, 0.0f, RCORE_CURVE_S, 4000, 100);
        rcore_post_curve(stage.queue, parameter, of, 1.0f, RCORE_CURVE_S, 3000, 2077);
        rcore_post_curve(stage.queue, parameter, of, 0.5f, RCORE_CURVE_LINEAR, 2000, 3999);
        stage_render(&stage, 6500, 256);
        EXPECT(largest_step(stage.out[0], 1, 6500) < 1.5f / 3000);
        const struct course first = {1.0, 0.0, RCORE_CURVE_S, 4000};
        const struct course second = {(double)stage.out[0][2076], 1.0, RCORE_CURVE_S, 3000};
        EXPECT_NEAR(stage.out[0][2076], course_at(&first, 2077 - 100), 1e-4);
        EXPECT_NEAR(stage.out[0][3998], course_at(&second, 3999 - 2077), 1e-4);
        const double middle = (double)stage.out[0][3998];
        for (unsigned frame = 3999; frame < 5999; frame++) { // nothing of the curve is left
            EXPECT_NEAR(stage.out[0][frame], middle + (0.5 - middle) * (frame - 3998) / 2000.0, 1e-6);
        }
        EXPECT_EQUAL(first_other(stage.out[0], 5998, 6500, 0.5f), -1);
        stage_close(&stage);
    }
    rcore_buffer_release(ones);
}

/// A stop cannot be revoked, and a curve does not alter its ramp.
TEST(a_voice_that_stops_takes_no_curve) {
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
    rcore_post_gain(stage.queue, voice, 0.5f, 4000, RCORE_NOW);
    rcore_post_stop(stage.queue, voice, 3000, 100);
    rcore_post_curve(stage.queue, RCORE_PARAMETER_VOICE_GAIN, voice, 2.0f, RCORE_CURVE_S, 2000, 200);
    stage_render(&stage, 4000, 256);
    for (unsigned frame = 1; frame < 3000; frame++) {
        EXPECT(stage.out[0][frame] <= stage.out[0][frame - 1]);
    }
    stage_close(&stage);
    rcore_buffer_release(ones);
}

/// At the flat start of the curve the speed is still 1, and the voice renders as without a speed.
TEST(a_speed_that_begins_slowly) {
    rcore_buffer_t *ramp = ramp_buffer(100000);
    stage_t stage = stage_open(NULL);
    const rcore_voice_t voice = stage_play(&stage, ramp, RCORE_NOW);
    const struct course course = {1.0, 1.1, RCORE_CURVE_S, 1000000};
    rcore_post_curve(stage.queue, RCORE_PARAMETER_VOICE_SPEED, voice, 1.1f, RCORE_CURVE_S, course.nframes, 1024);
    stage_render(&stage, 61025, 256);
    double place = 1024;
    for (uint32_t done = 1; done <= 60000; done++) {
        place += course_at(&course, done);
    }
    // 21 further than at speed 1
    EXPECT_NEAR((double)stage.out[0][61024] * 1048576.0 - 1.0, place, 1.0);
    stage_close(&stage);
    rcore_buffer_release(ramp);
}

/// A pause is a gap in the time of a suspended curve: with the gap cut out, the curve is whole.
static void expect_course_around(const stage_t *stage, const struct course *course, uint64_t begin, uint64_t pause,
                                 uint64_t resume) {
    float *heard = malloc(sizeof(float) * stage->nframes);
    memcpy(heard, stage->out[0], sizeof(float) * pause);
    memcpy(heard + pause, stage->out[0] + resume, sizeof(float) * (stage->nframes - resume));
    expect_course(course, heard, begin, 1, 0);
    free(heard);
}

TEST(a_curve_stands_still_with_what_it_moves) {
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    const struct course course = {1.0, 0.1, RCORE_CURVE_EXPONENTIAL, 4000};
    for (unsigned i = 0; i < 4; i++) {
        const bool session = i < 2, bus = i % 2 == 0;
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
        rcore_post_curve(stage.queue, bus && session ? RCORE_PARAMETER_BUS_GAIN : RCORE_PARAMETER_VOICE_GAIN,
                         bus && session ? 0 : voice, 0.1f, course.shape, course.nframes, 100);
        stage_render(&stage, 1333, 256);
        if (session) {
            stage_grant(&stage, (sgate_grant_t){.paused = true});
        } else {
            rcore_post_pause(stage.queue, voice, 0, RCORE_NOW);
        }
        stage_render(&stage, 3000, 256);
        EXPECT_EQUAL(first_other(stage.out[0], 1333, 4333, 0.0f), -1);
        if (session) {
            stage_grant(&stage, (sgate_grant_t){.paused = false});
        } else {
            rcore_post_resume(stage.queue, voice, 0, RCORE_NOW);
        }
        stage_render(&stage, 4000, 256);
        expect_course_around(&stage, &course, 100, 1333, 4333);
        stage_close(&stage);
    }
    rcore_buffer_release(ones);
}

TEST(one_that_falls_in_a_pause_is_late) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    (void)stage_play(&stage, ones, RCORE_NOW);
    rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 0, 0.5f, RCORE_CURVE_S, 1000, 500);
    stage_render(&stage, 256, 256);
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    stage_render(&stage, 1024, 256);
    EXPECT_EQUAL(rcore_read_counters(stage.core).late_commands, 1);
    stage_grant(&stage, (sgate_grant_t){.paused = false});
    stage_render(&stage, 2048, 256);
    const struct course course = {1.0, 0.5, RCORE_CURVE_S, 1000};
    expect_course_around(&stage, &course, 256, 256, 1280);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

// ---- Curve slots --------------------------------------------------------------------------------

enum { places = 4 };

static stage_t small_stage(void) {
    rcore_config_t config = stage_config();
    config.max_curves = places;
    return stage_open(&config);
}

static rcore_status_t post_one(stage_t *stage, uint32_t bus, uint64_t when) {
    return rcore_post_curve(stage->queue, RCORE_PARAMETER_BUS_GAIN, bus, 0.25f, RCORE_CURVE_S, 100, when);
}

// Returns the number of free curve slots.
static uint32_t places_left(stage_t *stage) {
    uint32_t count = 0;
    EXPECT_EQUAL(rcore_transaction_begin(stage->queue), RCORE_OK);
    while (count < 2 * places && post_one(stage, 5, RCORE_NOW) == RCORE_OK) {
        count++;
    }
    rcore_transaction_cancel(stage->queue);
    return count;
}

TEST(places_come_back) {
    stage_t stage = small_stage();
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    EXPECT_EQUAL(places_left(&stage), places);
    for (uint32_t i = 0; i < places; i++) { // waits, runs, ends
        EXPECT_EQUAL(places_left(&stage), places - i);
        EXPECT_EQUAL(post_one(&stage, i % 2, 200 + 10 * i), RCORE_OK);
    }
    EXPECT_EQUAL(post_one(&stage, 0, RCORE_NOW), RCORE_FULL);
    // A ramp needs no curve slot.
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.5f, 100, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 205, 64);
    EXPECT_EQUAL(places_left(&stage), 0);
    stage_render(&stage, 64, 64); // two of them were replaced by another
    EXPECT_EQUAL(places_left(&stage), places - 2);
    stage_render(&stage, 400, 64);
    EXPECT_EQUAL(places_left(&stage), places);

    // Curves that end with their voice, and curves that find their voice ended, waiting or
    // stopping.
    rcore_voice_t voices[4];
    for (unsigned i = 0; i < 4; i++) {
        voices[i] = stage_play(&stage, ones, i == 2 ? stage.nframes + 5000 : RCORE_NOW);
        EXPECT_EQUAL(rcore_post_curve(stage.queue, RCORE_PARAMETER_VOICE_GAIN, voices[i], 0.5f, RCORE_CURVE_S, 1000,
                                      i == 0 ? RCORE_NOW : stage.nframes + 300),
                     RCORE_OK);
    }
    rcore_post_stop(stage.queue, voices[0], 0, stage.nframes + 100);
    rcore_post_stop(stage.queue, voices[1], 0, stage.nframes + 200);
    rcore_post_stop(stage.queue, voices[3], 2000, stage.nframes + 200);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(places_left(&stage), 0);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(places_left(&stage), 1);
    stage_render(&stage, 256, 64);
    EXPECT_EQUAL(places_left(&stage), places);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

TEST(transactions_with_curves) {
    stage_t stage = small_stage();
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    for (uint32_t i = 0; i < places; i++) {
        EXPECT_EQUAL(post_one(&stage, 0, RCORE_NOW), RCORE_OK);
    }
    EXPECT_EQUAL(post_one(&stage, 0, RCORE_NOW), RCORE_FULL);
    // The transaction has failed permanently.
    EXPECT_EQUAL(rcore_post_bus_gain(stage.queue, 0, 0.5f, 0, RCORE_NOW), RCORE_FULL);
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_FULL);
    EXPECT_EQUAL(places_left(&stage), places);
    // As many as there are slots, one after the other.
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    for (uint32_t i = 0; i < places; i++) {
        EXPECT_EQUAL(post_one(&stage, 0, RCORE_NOW), RCORE_OK);
    }
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_OK);
    EXPECT_EQUAL(places_left(&stage), 0);
    stage_render(&stage, 64, 64);
    // Each of them ended the one before.
    EXPECT_EQUAL(places_left(&stage), places - 1);
    stage_close(&stage);
}

/// A slot that is removed releases its curves; a slot whose plan is waiting keeps them.
TEST(plans_and_curves) {
    stage_t stage = small_stage();
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    stage_play_on(&stage, ones, 2, RCORE_NOW);
    // No plan has this slot.
    EXPECT_EQUAL(post_one(&stage, 7, RCORE_NOW), RCORE_OK);
    const rcore_parameter_t parameter = RCORE_PARAMETER_BUS_GAIN;
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 2, 0.5f, RCORE_CURVE_S, 50000, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 0, 0.5f, RCORE_CURVE_S, 50000, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 640, 64);
    EXPECT_EQUAL(places_left(&stage), places - 2);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    // The bus fades out.
    EXPECT_EQUAL(places_left(&stage), places - 2);
    // Waits, and restores the bus.
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 640, 64);
    EXPECT_EQUAL(places_left(&stage), places - 1); // as an independent bus
    stage_close(&stage);
    rcore_buffer_release(ones);
}

TEST(a_bus_that_is_on_its_way) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    (void)stage_play(&stage, ones, RCORE_NOW);
    stage_render(&stage, 100, 64);
    for (unsigned i = 0; i < 2; i++) { // the first crossfades, the second waits for its end
        rcore_plan_t *plan = rcore_plan_create();
        const rcore_bus_description_t bus = {.slot = 3, .channels = 2, .parent = RCORE_NONE};
        const rcore_bus_description_t other = {.slot = 4, .channels = 2, .parent = RCORE_NONE};
        const rcore_route_description_t route = {.slot = 0, .channels = 2};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, i == 0 ? &other : &bus), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
        EXPECT_EQUAL(rcore_plan_connect(plan, i == 0 ? 4 : 3, 0, NULL), RCORE_OK);
        if (i == 1) { // routed elsewhere: the change is more than an addition
            const rcore_bus_description_t first = {.slot = 0, .channels = 2, .parent = 3};
            EXPECT_EQUAL(rcore_plan_add_bus(plan, &first), RCORE_OK);
        }
        EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    }
    rcore_post_bus_gain(stage.queue, 3, 0.0f, 0, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 3, 1.0f, RCORE_CURVE_S, 2000, RCORE_NOW),
                 RCORE_OK);
    stage_render(&stage, 4000, 64);
    const struct course course = {0.0, 1.0, RCORE_CURVE_S, 2000};
    unsigned off = 0;
    // The curve begins with the second crossfade. From frame 300 on, that has ended and only the
    // curve remains.
    for (uint32_t done = 300; done < 2100; done++) {
        off += fabs((double)stage.out[0][340 + done - 1] - course_at(&course, done)) <= 1e-4 ? 0 : 1;
    }
    EXPECT_EQUAL(off, 0);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

// Posts the stage's plan without inputs. A different parent of bus 0 causes a crossfade.
static void post_plan(stage_t *stage, uint32_t parent, int32_t input) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = parent};
    const rcore_bus_description_t other = {.slot = 6, .channels = 2, .parent = RCORE_NONE};
    const rcore_input_description_t live = {.slot = (uint32_t)input, .channels = 1, .first_input = 0};
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &other), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, parent == RCORE_NONE ? 0 : parent, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(input < 0 ? RCORE_OK : rcore_plan_add_input(plan, &live), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
}

TEST(plans_and_curves_of_inputs) {
    stage_t stage = small_stage();
    rcore_buffer_t *silence = constant_buffer(20000, 0.0f);
    (void)stage_play(&stage, silence, RCORE_NOW);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.input_channels = 1;
    params.input = 1;
    (void)stage_start(&stage, &params, RCORE_NOW);
    const rcore_parameter_t parameter = RCORE_PARAMETER_INPUT_GAIN;
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 1, 0.5f, RCORE_CURVE_S, 50000, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(places_left(&stage), places - 1);
    post_plan(&stage, RCORE_NONE, -1);
    stage_render(&stage, 500, 64);
    // Released with its slot.
    EXPECT_EQUAL(places_left(&stage), places);
    // Starts a crossfade.
    post_plan(&stage, 6, -1);
    // Waits for the end of the crossfade.
    post_plan(&stage, RCORE_NONE, 1);
    rcore_post_input_gain(stage.queue, 1, 0.0f, 0, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 1, 1.0f, RCORE_CURVE_S, 2000, RCORE_NOW), RCORE_OK);
    float ones[64], heard[64 * 40];
    for (unsigned i = 0; i < 64; i++) {
        ones[i] = 1.0f;
    }
    for (unsigned i = 0; i < 40; i++) {
        const float *inputs[] = {ones};
        float *outputs[] = {heard + (size_t)64 * i, NULL};
        rcore_process(stage.core, inputs, 1, outputs, 2, 64);
    }
    const struct course course = {0.0, 1.0, RCORE_CURVE_S, 2000};
    unsigned off = 0;
    // The input joins at the end of the first crossfade.
    for (uint32_t done = 300; done < 2100; done++) {
        off += fabs((double)heard[240 + done - 1] - course_at(&course, done)) <= 1e-4 ? 0 : 1;
    }
    EXPECT_EQUAL(off, 0);
    stage_close(&stage);
    rcore_buffer_release(silence);
}

TEST(plans_and_curves_of_sends) {
    rcore_buffer_t *ones = mono_ones(100000);
    rcore_config_t config = stage_config();
    config.max_curves = places;
    stage_t stage = stage_open(&config);
    post_mixer(&stage, true);
    stage_play_on(&stage, ones, 1, RCORE_NOW);
    rcore_post_bus_pan(stage.queue, 0, -1.0f, 0, RCORE_NOW);
    const rcore_parameter_t parameter = RCORE_PARAMETER_SEND_LEVEL;
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 3, 0.1f, RCORE_CURVE_EXPONENTIAL, 4000, 100), RCORE_OK);
    // No such slot.
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 5, 0.1f, RCORE_CURVE_S, 4000, 100), RCORE_OK);
    stage_render(&stage, 1333, 256);
    EXPECT_EQUAL(places_left(&stage), places - 1);
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    stage_render(&stage, 3000, 256);
    stage_grant(&stage, (sgate_grant_t){.paused = false});
    stage_render(&stage, 4000, 256);
    const struct course course = {1.0, 0.1, RCORE_CURVE_EXPONENTIAL, 4000};
    expect_course_around(&stage, &course, 100, 1333, 4333);
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, 3, 1.0f, RCORE_CURVE_S, 50000, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 64, 64);
    EXPECT_EQUAL(places_left(&stage), places - 1);
    post_mixer(&stage, false);
    stage_render(&stage, 640, 64);
    // Released with its send.
    EXPECT_EQUAL(places_left(&stage), places);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

// ---- Cost ---------------------------------------------------------------------------------------

// The core calls this callback once per block.
static uint32_t count_blocks(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    uint32_t *count = context;
    *count += 1;
    for (uint32_t channel = 0; channel < channels; channel++) {
        memset(planes[channel], 0, sizeof(float) * nframes);
    }
    return nframes;
}

static void start_count(stage_t *stage, uint32_t *blocks) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.render = count_blocks;
    params.render_context = blocks;
    params.render_channels = 1;
    (void)stage_start(stage, &params, RCORE_NOW);
}

TEST(many_curves_cut_blocks_at_the_same_frames) {
    stage_t stage = stage_open(NULL);
    uint32_t blocks = 0;
    start_count(&stage, &blocks);
    for (uint32_t i = 0; i < 50; i++) { // starting at many different frames, all of them short
        EXPECT_EQUAL(
            rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, i % 3, 0.1f, RCORE_CURVE_S, 900, 1 + 13 * i),
            RCORE_OK);
    }
    stage_render(&stage, 2048, 256);
    EXPECT(blocks >= 1500 / 8 && blocks <= 2048 / 8 + 50 + 3);
    blocks = 0;
    EXPECT_EQUAL(rcore_post_curve(stage.queue, RCORE_PARAMETER_BUS_GAIN, 1, 0.9f, RCORE_CURVE_S, 100000, RCORE_NOW),
                 RCORE_OK);
    stage_render(&stage, 25600, 256);
    EXPECT_EQUAL(blocks, 100); // long curves cost no additional blocks
    stage_close(&stage);
}

TEST(one_that_stands_still_cuts_nothing) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ones = constant_buffer(20000, 1.0f);
    uint32_t blocks = 0;
    start_count(&stage, &blocks);
    const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
    const rcore_parameter_t parameter = RCORE_PARAMETER_VOICE_GAIN;
    EXPECT_EQUAL(rcore_post_curve(stage.queue, parameter, voice, 0.1f, RCORE_CURVE_S, 900, RCORE_NOW), RCORE_OK);
    rcore_post_pause(stage.queue, voice, 0, 101);
    stage_render(&stage, 256, 256);
    blocks = 0;
    stage_render(&stage, 2560, 256);
    EXPECT_EQUAL(blocks, 10);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

TEST(bad_curves_are_refused) {
    stage_t stage = small_stage();
    rcore_buffer_t *ones = constant_buffer(2000, 1.0f);
    rcore_queue_t *queue = stage.queue;
    const rcore_voice_t voice = stage_play(&stage, ones, RCORE_NOW);
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int parameter = 0; parameter <= RCORE_PARAMETER_INPUT_GAIN; parameter++) {
        for (int curve = 0; curve <= RCORE_CURVE_S; curve++) {
            const uint64_t of = parameter <= RCORE_PARAMETER_VOICE_SPEED ? voice : 0;
            for (unsigned i = 0; i < 3; i++) {
                EXPECT_EQUAL(rcore_post_curve(queue, (rcore_parameter_t)parameter, of, bad[i], (rcore_curve_t)curve,
                                              100, RCORE_NOW),
                             RCORE_BAD_ARGUMENT);
            }
        }
    }
    const rcore_parameter_t gain = RCORE_PARAMETER_VOICE_GAIN, bus_gain = RCORE_PARAMETER_BUS_GAIN;
    const rcore_curve_t s = RCORE_CURVE_S, even = RCORE_CURVE_EXPONENTIAL;
    const rcore_parameter_t pan = RCORE_PARAMETER_VOICE_PAN, speed = RCORE_PARAMETER_VOICE_SPEED;
    EXPECT_EQUAL(rcore_post_curve(queue, (rcore_parameter_t)7, 0, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, (rcore_parameter_t)-1, 0, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, gain, voice, 1, (rcore_curve_t)3, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, gain, voice, 1, (rcore_curve_t)-1, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, gain, 0, 1, s, 100, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_curve(queue, gain, voice + (UINT64_C(1) << 32), 1, s, 100, RCORE_NOW), RCORE_STALE);
    EXPECT_EQUAL(rcore_post_curve(queue, gain, rcore_voice_acquire(stage.core), 1, s, 100, RCORE_NOW),
                 RCORE_BAD_ARGUMENT);
    // The voice has no pan law.
    EXPECT_EQUAL(rcore_post_curve(queue, pan, voice, 0.5f, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, speed, voice, 17, even, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, speed, voice, 0, even, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, bus_gain, 8, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, bus_gain, UINT64_C(1) << 32, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, RCORE_PARAMETER_INPUT_GAIN, 2, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, RCORE_PARAMETER_SEND_LEVEL, 64, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, RCORE_PARAMETER_BUS_PAN, 8, 1, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_curve(queue, RCORE_PARAMETER_BUS_PAN, 0, 2, s, 100, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(places_left(&stage), places);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 1000, 1.0f), -1);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

// ---- Random curves ------------------------------------------------------------------------------

static rcore_voice_t play_aside(stage_t *stage, const rcore_buffer_t *buffer, uint32_t bus, float pan) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.loop_count = UINT64_MAX;
    params.bus = bus;
    params.pan_law = RCORE_PAN_LINEAR;
    params.pan = pan;
    return stage_start(stage, &params, RCORE_NOW);
}

/// Thousands of curves, consecutive and overlapping: those of a bus on the left, those of a voice
/// on the right.
TEST(thousands_of_curves) {
    enum { count = 4000 };
    rcore_config_t config = stage_config();
    config.max_curves = 3;
    stage_t stage = stage_open(&config);
    rcore_buffer_t *ones = mono_ones(64);
    (void)play_aside(&stage, ones, 1, -1.0f);
    const rcore_voice_t voice = play_aside(&stage, ones, 0, 1.0f);
    const rcore_parameter_t parameters[] = {RCORE_PARAMETER_BUS_GAIN, RCORE_PARAMETER_VOICE_GAIN};
    const uint64_t of[] = {1, voice};
    struct random random = random_seeded(27);
    struct course course[2] = {{1, 1, RCORE_CURVE_LINEAR, 1}, {1, 1, RCORE_CURVE_LINEAR, 1}};
    uint64_t begin[2] = {0, 0};
    unsigned off = 0;
    stage_render(&stage, 10, 10);
    for (unsigned i = 0; i < count; i++) {
        const unsigned side = random_below(&random, 2);
        const uint64_t heard = stage.nframes, when = heard + random_below(&random, 300);
        const float value = random_once_in(&random, 10) ? 0.0f : random_float(&random, 0.01f, 1.0f);
        const rcore_curve_t shape = (rcore_curve_t)random_below(&random, 3);
        const uint32_t nframes = random_below(&random, random_once_in(&random, 3) ? 50 : 5000);
        EXPECT_EQUAL(rcore_post_curve(stage.queue, parameters[side], of[side], value, shape, nframes, when), RCORE_OK);
        stage_render(&stage, 300 + random_below(&random, 2000), 1 + random_below(&random, 600));
        for (uint64_t frame = heard; frame < stage.nframes; frame++) {
            if (frame == when) {
                course[side] = (struct course){(double)stage.out[side][frame - 1], (double)value, shape, nframes};
                begin[side] = when;
            }
            for (unsigned s = 0; s < 2; s++) {
                const uint32_t done = (uint32_t)(frame + 1 - begin[s]);
                const double error = fabs((double)stage.out[s][frame] - course_at(&course[s], done));
                off += error <= (done < course[s].nframes ? course_bound(&course[s], done) : 0) ? 0 : 1;
            }
        }
    }
    EXPECT_EQUAL(off, 0);
    stage_close(&stage);
    rcore_buffer_release(ones);
}

int main(void) {
    nothing = rcore_matrix_create(1, 1, (const float[]){0.0f}, NULL);
    RUN(gains_of_voices_and_buses);
    RUN(gains_of_inputs);
    RUN(levels_of_sends);
    RUN(pans_of_buses);
    RUN(pans_of_voices);
    RUN(speeds_of_voices);
    RUN(the_same_bits_wherever_periods_end);
    RUN(another_command_ends_a_curve_where_it_is);
    RUN(a_curve_stands_still_with_what_it_moves);
    RUN(one_that_falls_in_a_pause_is_late);
    RUN(places_come_back);
    RUN(transactions_with_curves);
    RUN(plans_and_curves);
    RUN(a_bus_that_is_on_its_way);
    RUN(plans_and_curves_of_inputs);
    RUN(plans_and_curves_of_sends);
    RUN(a_voice_that_stops_takes_no_curve);
    RUN(a_speed_that_begins_slowly);
    RUN(many_curves_cut_blocks_at_the_same_frames);
    RUN(one_that_stands_still_cuts_nothing);
    RUN(bad_curves_are_refused);
    RUN(thousands_of_curves);
    rcore_matrix_destroy(nothing);
    return test_result();
}
