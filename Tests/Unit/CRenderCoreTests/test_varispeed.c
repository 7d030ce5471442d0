// Varispeed: pitch, positions and ends, from memory and from a stream.
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static rcore_voice_t start_at(stage_t *stage, const rcore_buffer_t *buffer, float speed, uint64_t loops) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.speed = speed;
    params.loop_count = loops;
    return stage_start(stage, &params, RCORE_NOW);
}

// Returns the signal-to-noise ratio, in dB, of `samples` compared with a sine of `hertz` and
// `level` that begins at frame 0.
static double sine_quality(const float *samples, uint64_t nframes, double hertz, double level) {
    double signal = 0;
    double noise = 0;
    for (uint64_t i = 0; i < nframes; i++) {
        const double ideal = level * sin(2.0 * PI * hertz * (double)i / STAGE_RATE);
        signal += ideal * ideal;
        noise += (samples[i] - ideal) * (samples[i] - ideal);
    }
    return 10.0 * log10(signal / noise);
}

static void expect_pitch(float speed, uint32_t period) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = sine_buffer(48000, 440.0, 0.5f);
    const rcore_voice_t voice = start_at(&stage, buffer, speed, 0);
    const uint64_t whole = (uint64_t)ceil(48000.0 / (double)speed);
    stage_render(&stage, whole + 5000, period);
    // All but the last frames, whose interpolation reaches beyond the end.
    EXPECT(sine_quality(stage.out[0], whole - 10, 440.0 * (double)speed, 0.5) > 60.0);
    EXPECT_EQUAL(first_other(stage.out[0], whole, whole + 5000, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT(rcore_voice_frames(stage.core, voice) >= 48000);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(speed_is_pitch) {
    const float speeds[] = {0.0625f, 0.5f, 0.9999f, 1.0001f, 1.498307f, 2.0f, 3.7f, 16.0f};
    for (unsigned i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        expect_pitch(speeds[i], 64);
    }
    expect_pitch(1.498307f, 1);
    expect_pitch(1.498307f, STAGE_CHANGING_PERIODS);
}

TEST(speed_one_is_the_sources_own_bits) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(10000);
    const rcore_voice_t voice = start_at(&stage, buffer, 2.0f, 0);
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 2000);
    EXPECT_EQUAL(rcore_post_speed(stage.queue, voice, 1.0f, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, 1000, 64);
    for (uint64_t i = 0; i < 1000; i++) {
        EXPECT(stage.out[0][1000 + i] == ramp_sample(2000 + i));
    }
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(loops_have_no_seam) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = sine_buffer(480, 1000.0, 0.5f); // ten whole cycles
    start_at(&stage, buffer, 1.37f, UINT64_MAX);
    stage_render(&stage, 20000, 64);
    EXPECT(sine_quality(stage.out[0], 20000, 1370.0, 0.5) > 60.0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// A short loop, at a constant speed or during a speed ramp. The ends of the loop and of the periods
// divide the vectors of frames at changing positions.
static stage_t play_short_loop(float speed, bool ramps, uint32_t period) {
    enum { length = 53 };
    stage_t stage = stage_open(NULL);
    float samples[2][length];
    const float *planes[] = {samples[0], samples[1]};
    struct random random = random_seeded(4);
    for (unsigned i = 0; i < 2 * length; i++) {
        samples[i % 2][i / 2] = random_float(&random, -1.0f, 1.0f);
    }
    rcore_buffer_t *buffer = rcore_buffer_create(2, length, planes, NULL);
    const rcore_voice_t voice = start_at(&stage, buffer, speed, UINT64_MAX);
    if (ramps) {
        EXPECT_EQUAL(rcore_post_speed(stage.queue, voice, 17.0f - speed, 1500, 101), RCORE_OK);
    }
    stage_render(&stage, 2000, period);
    rcore_buffer_release(buffer);
    return stage;
}

TEST(every_period_renders_the_same_bits) {
    const float speeds[] = {1.0001f, 1.498307f, 3.7f, 15.9f};
    const uint32_t periods[] = {1, 3, 4, 7, 8, 9, 15, 31, STAGE_CHANGING_PERIODS};
    for (unsigned i = 0; i < 2 * sizeof speeds / sizeof *speeds; i++) {
        stage_t whole = play_short_loop(speeds[i / 2], i % 2 == 1, 64);
        EXPECT(largest_step(whole.out[0], 1, 2000) > 0.0f);
        for (unsigned k = 0; k < sizeof periods / sizeof *periods; k++) {
            stage_t divided = play_short_loop(speeds[i / 2], i % 2 == 1, periods[k]);
            for (unsigned channel = 0; channel < 2; channel++) {
                EXPECT(memcmp(whole.out[channel], divided.out[channel], 2000 * sizeof(float)) == 0);
            }
            stage_close(&divided);
        }
        stage_close(&whole);
    }
}

TEST(loops_are_counted) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(100, 0.5f);
    const rcore_voice_t voice = start_at(&stage, buffer, 16.0f, 3);
    stage_render(&stage, 100, 7);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    const int64_t last = first_other(stage.out[0], 0, 100, 0.5f);
    // 400 frames at 16 per frame; the interpolation of the last ones reaches beyond the end.
    EXPECT(last >= 23 && last <= 25);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(a_speed_ramp_covers_its_ground) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(20000);
    const rcore_voice_t voice = start_at(&stage, buffer, 1.0f, 0);
    EXPECT_EQUAL(rcore_post_speed(stage.queue, voice, 2.0f, 1000, 100), RCORE_OK);
    stage_render(&stage, 2100, STAGE_CHANGING_PERIODS);
    // 100 frames at 1, 1000 from 1 to 2, 1000 at 2.
    const double place = (double)stage.out[0][2099] * 1048576.0 - 1.0;
    EXPECT_NEAR(place, 100.0 + 1500.5 + 999.0 * 2.0 - 2.0, 2.5);
    EXPECT(largest_step(stage.out[0], 1, 2100) < 2.01f / 1048576.0f);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// The same samples, from memory and through a ring that is refilled as it empties, must give the
// same bits.
TEST(a_stream_is_as_memory) {
    stage_t memory = stage_open(NULL);
    stage_t stream = stage_open(NULL);
    rcore_buffer_t *buffer = sine_buffer(30000, 440.0, 0.5f);
    start_at(&memory, buffer, 1.3f, 0);
    rcore_fifo_t *fifo = rcore_fifo_create(1, 1000, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    params.speed = 1.3f;
    const rcore_voice_t voice = stage_start(&stream, &params, RCORE_NOW);
    float *samples = malloc(sizeof(float) * 30000);
    for (uint32_t i = 0; i < 30000; i++) {
        samples[i] = (float)(0.5 * sin(2.0 * PI * 440.0 * i / STAGE_RATE));
    }
    uint32_t written = 0;
    for (uint32_t cycle = 0; cycle < 400; cycle++) {
        while (written < 30000 && rcore_fifo_writable(fifo) >= 100) {
            EXPECT(rcore_fifo_write_interleaved(fifo, samples + written, 100));
            written += 100;
        }
        if (written == 30000) {
            rcore_fifo_finish(fifo);
        }
        stage_render(&stream, 64, 64);
        stage_render(&memory, 64, 64);
    }
    for (uint64_t i = 0; i < 23070; i++) {
        EXPECT_NEAR(stream.out[0][i], memory.out[0][i], 1e-6);
    }
    EXPECT_EQUAL(rcore_voice_state(stream.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_read_counters(stream.core).underrun_frames, 0);
    stage_close(&memory);
    stage_close(&stream);
    rcore_fifo_destroy(fifo);
    rcore_buffer_release(buffer);
    free(samples);
}

TEST(bad_speeds_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(100);
    const rcore_voice_t voice = start_at(&stage, buffer, 1.0f, 0);
    const float bad[] = {0.0f, -1.0f, 0.06f, 16.1f, NAN, INFINITY};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        EXPECT_EQUAL(rcore_post_speed(stage.queue, voice, bad[i], 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = buffer;
        params.speed = bad[i];
        const rcore_voice_t other = rcore_voice_acquire(stage.core);
        EXPECT_EQUAL(rcore_post_start(stage.queue, other, &params, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_voice_release(stage.core, other), RCORE_OK);
    }
    rcore_voice_params_t live = rcore_voice_params_default();
    live.input_channels = 1;
    const rcore_voice_t input = stage_start(&stage, &live, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_speed(stage.queue, input, 2.0f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A voice that leaves its loop between two source frames, the second of which it already played as
/// the loop's first one, does so in the same way in all periods.
TEST(leaving_a_loop_does_not_depend_on_periods) {
    rcore_buffer_t *buffer = ramp_buffer(1000);
    for (uint64_t leave = 100; leave < 160; leave++) {
        stage_t stages[2];
        for (unsigned i = 0; i < 2; i++) {
            stages[i] = stage_open(NULL);
            rcore_voice_params_t params = rcore_voice_params_default();
            params.buffer = buffer;
            params.speed = 0.3f;
            params.loop_start = 20, params.loop_end = 30, params.loop_count = UINT64_MAX;
            const rcore_voice_t voice = stage_start(&stages[i], &params, 0);
            EXPECT_EQUAL(rcore_post_leave_loop(stages[i].queue, voice, leave), RCORE_OK);
            stage_render(&stages[i], 1000, i == 0 ? 1 : 1000);
        }
        uint64_t wrong = 0;
        for (unsigned frame = 0; frame < 1000; frame++) {
            wrong += stages[0].out[0][frame] != stages[1].out[0][frame];
        }
        EXPECT_EQUAL(wrong, 0);
        stage_close(&stages[0]);
        stage_close(&stages[1]);
    }
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(speed_is_pitch);
    RUN(speed_one_is_the_sources_own_bits);
    RUN(loops_have_no_seam);
    RUN(every_period_renders_the_same_bits);
    RUN(loops_are_counted);
    RUN(a_speed_ramp_covers_its_ground);
    RUN(a_stream_is_as_memory);
    RUN(bad_speeds_are_refused);
    RUN(leaving_a_loop_does_not_depend_on_periods);
    return test_result();
}
