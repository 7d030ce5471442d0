// Inputs: gain, permission, captures with the time of every frame, and lost frames.
#include "expect.h"
#include "stage.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/// A stage whose plan has one captured stereo input. Its samples at frame t are ramp_sample(t) and
/// its negative.
struct booth {
    stage_t stage;
    rcore_capture_t *capture;
    uint64_t time;
};

static void put_plan(struct booth *booth) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_input_description_t input = {
        .slot = 1, .channels = 2, .first_input = 1, .gate = booth->stage.gate, .capture = booth->capture};
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(booth->stage.queue, plan, RCORE_NOW), RCORE_OK);
}

static struct booth booth_open(uint32_t capacity) {
    struct booth booth = {.stage = stage_open(NULL), .capture = rcore_capture_create(2, capacity, NULL)};
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = true});
    put_plan(&booth);
    return booth;
}

static void booth_close(struct booth *booth) {
    stage_close(&booth->stage);
    rcore_capture_destroy(booth->capture);
}

static void come_in(struct booth *booth, uint32_t nframes) {
    static float planes[2][RCORE_MAX_PERIOD];
    for (uint32_t i = 0; i < nframes; i++) {
        planes[0][i] = ramp_sample(booth->time + i);
        planes[1][i] = -planes[0][i];
    }
    const float *inputs[] = {NULL, planes[0], planes[1]};
    rcore_process(booth->stage.core, inputs, 3, NULL, 0, nframes);
    booth->time += nframes;
}

/// Reads one run of at most `nframes`; checks each frame against its time, multiplied by `gain`.
static uint32_t take(struct booth *booth, uint32_t nframes, uint64_t *time, float gain) {
    static float frames[2 * RCORE_MAX_PERIOD];
    const uint32_t length = rcore_capture_read_interleaved(booth->capture, frames, nframes, time);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < length; i++) {
        const float expected = ramp_sample(*time + i) * gain;
        wrong += frames[2 * i] != expected || frames[2 * i + 1] != -expected;
    }
    EXPECT_EQUAL(wrong, 0);
    return length;
}

TEST(every_frame_has_its_time) {
    struct booth booth = booth_open(8192);
    const uint32_t periods[] = {64, 1, 700, 64, 3};
    uint64_t time, next = 0;
    for (unsigned i = 0; i < 5; i++) {
        come_in(&booth, periods[i]);
        EXPECT_EQUAL(rcore_capture_readable(booth.capture), periods[i]);
        while (rcore_capture_readable(booth.capture) > 0) {
            const uint32_t length = take(&booth, 100, &time, 1.0f);
            EXPECT_EQUAL(time, next);
            next += length;
        }
    }
    EXPECT_EQUAL(next, booth.time);
    EXPECT_EQUAL(take(&booth, 100, &time, 1.0f), 0);
    EXPECT_EQUAL(rcore_capture_lost_frames(booth.capture), 0);
    EXPECT_NEAR(rcore_take_input_peak(booth.stage.core, 1, 1), ramp_sample(booth.time - 1), 0);
    EXPECT_NEAR(rcore_take_input_peak(booth.stage.core, 1, 1), 0, 0);
    EXPECT_NEAR(rcore_take_input_peak(booth.stage.core, 99, 0), 0, 0);
    booth_close(&booth);
}

/// A reader that is too slow loses whole segments. They are counted, and the times show where they
/// are missing.
TEST(what_is_lost_is_counted_and_seen) {
    struct booth booth = booth_open(256);
    come_in(&booth, 200);
    come_in(&booth, 100); // no room
    uint64_t time;
    EXPECT_EQUAL(take(&booth, 150, &time, 1.0f), 150);
    come_in(&booth, 100);
    EXPECT_EQUAL(rcore_capture_lost_frames(booth.capture), 100);
    // Up to the end of its run, not beyond.
    EXPECT_EQUAL(take(&booth, 1000, &time, 1.0f), 50);
    EXPECT_EQUAL(time, 150);
    EXPECT_EQUAL(take(&booth, 1000, &time, 1.0f), 100);
    EXPECT_EQUAL(time, 300);
    booth_close(&booth);
}

TEST(gain_is_a_ramp) {
    struct booth booth = booth_open(8192);
    EXPECT_EQUAL(rcore_post_input_gain(booth.stage.queue, 1, 0.5f, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_input_gain(booth.stage.queue, 1, 2.0f, 100, 1000), RCORE_OK);
    come_in(&booth, 2000);
    uint64_t time;
    EXPECT_EQUAL(take(&booth, 1000, &time, 0.5f), 1000);
    float frames[200];
    EXPECT_EQUAL(rcore_capture_read_interleaved(booth.capture, frames, 100, &time), 100);
    for (unsigned i = 0; i < 100; i++) {
        EXPECT_NEAR(frames[2 * i], ramp_sample(1000 + i) * (0.5f + 1.5f * (float)(i + 1) / 100), 1e-8);
    }
    EXPECT_EQUAL(take(&booth, 900, &time, 2.0f), 900);
    EXPECT_EQUAL(rcore_post_input_gain(booth.stage.queue, 99, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_input_gain(booth.stage.queue, 1, NAN, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    booth_close(&booth);
}

/// Without the session's permission, the input is silent. Permission changes use the grant's ramp.
TEST(permission_is_a_gate) {
    struct booth booth = booth_open(8192);
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = false});
    put_plan(&booth);
    come_in(&booth, 480);
    uint64_t time;
    // The frames exist, but are silent.
    EXPECT_EQUAL(take(&booth, 1000, &time, 0.0f), 480);
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = true, .ramp_ms = 5});
    come_in(&booth, 480);
    float frames[960];
    EXPECT_EQUAL(rcore_capture_read_interleaved(booth.capture, frames, 480, &time), 480);
    EXPECT_NEAR(frames[0], ramp_sample(480) / 240, 1e-8);
    EXPECT_NEAR(frames[2 * 100], ramp_sample(580) * 101 / 240, 1e-8);
    EXPECT_NEAR(frames[2 * 240], ramp_sample(720), 0);
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = false});
    come_in(&booth, 100);
    EXPECT_EQUAL(take(&booth, 1000, &time, 0.0f), 100);
    booth_close(&booth);
}

/// A paused session records nothing after its fade. The times show the gap.
TEST(a_pause_is_a_gap) {
    struct booth booth = booth_open(8192);
    come_in(&booth, 480);
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = true, .paused = true, .ramp_ms = 1});
    come_in(&booth, 480);
    come_in(&booth, 480);
    stage_grant(&booth.stage, (sgate_grant_t){.input_granted = true, .ramp_ms = 0});
    come_in(&booth, 480);
    uint64_t time;
    float frames[2000];
    EXPECT_EQUAL(rcore_capture_read_interleaved(booth.capture, frames, 480, &time), 480);
    const uint32_t faded = rcore_capture_read_interleaved(booth.capture, frames, 1000, &time);
    EXPECT(faded >= 48 && faded <= 48 + rcore_configuration(booth.stage.core).block_frames);
    EXPECT_NEAR(frames[2 * (faded - 1)], 0.0, 0);
    EXPECT_EQUAL(take(&booth, 1000, &time, 1.0f), 480);
    EXPECT_EQUAL(time, 1440);
    booth_close(&booth);
}

TEST(what_is_no_number_is_silenced) {
    struct booth booth = booth_open(1024);
    float plane[64];
    for (unsigned i = 0; i < 64; i++) {
        plane[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? -INFINITY : 0.25f;
    }
    const float *inputs[] = {plane, plane};
    rcore_process(booth.stage.core, inputs, 2, NULL, 0, 64);
    float frames[128];
    uint64_t time;
    EXPECT_EQUAL(rcore_capture_read_interleaved(booth.capture, frames, 64, &time), 64);
    for (unsigned i = 0; i < 64; i++) {
        EXPECT(frames[2 * i] == (i % 3 == 2 ? 0.25f : 0.0f));
        // A channel that the driver does not have.
        EXPECT(frames[2 * i + 1] == 0.0f);
    }
    booth_close(&booth);
}

TEST(bad_inputs_are_refused) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_capture_t *capture = rcore_capture_create(2, 64, NULL);
    rcore_input_description_t input = {.slot = 0, .channels = 1, .capture = capture};
    // Different channel count.
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_BAD_ARGUMENT);
    input.channels = 2;
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
    // The slot is in use.
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_BAD_ARGUMENT);
    input.slot = 1;
    // Two producers for one ring.
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_BAD_ARGUMENT);
    input.capture = NULL;
    input.channels = RCORE_MAX_CHANNELS + 1;
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_BAD_ARGUMENT);
    input.channels = 1;
    input.slot = 77;
    // The plan cannot know the core's number of slots.
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
    stage_t stage = stage_open(NULL);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_NO_SLOT);
    rcore_plan_destroy(plan);
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_capture_create(0, 64, &status) == NULL);
    EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    EXPECT(rcore_capture_create(2, 0, NULL) == NULL);
    rcore_capture_destroy(NULL);
    rcore_capture_destroy(capture);
    stage_close(&stage);
}

// ---- Two threads --------------------------------------------------------------------------------

static atomic_bool over;

static void *write_runs(void *argument) {
    static float samples[64];
    for (uint64_t time = 0, turn = 0; turn < 20000; turn++) {
        const uint32_t nframes = 1 + (uint32_t)(turn * 7 % 64);
        for (uint32_t i = 0; i < nframes; i++) {
            samples[i] = ramp_sample(time + i);
        }
        const float *planes[] = {samples};
        if (!rcore_capture_write(argument, time, planes, nframes)) {
            sched_yield();
        }
        time += nframes + (turn % 13 == 0 ? 5 : 0);
    }
    atomic_store(&over, true);
    return NULL;
}

/// A reader concurrent with the writer sees each frame with its own time, whether or not frames are
/// lost.
TEST(a_reader_beside_the_writer) {
    rcore_capture_t *capture = rcore_capture_create(1, 512, NULL);
    pthread_t writer;
    EXPECT_EQUAL(pthread_create(&writer, NULL, write_runs, capture), 0);
    uint64_t wrong = 0, read = 0, last = 0;
    for (bool finished = false; !finished;) {
        finished = atomic_load(&over);
        float frames[100];
        uint64_t time;
        uint32_t length;
        while ((length = rcore_capture_read_interleaved(capture, frames, 100, &time)) > 0) {
            wrong += time < last;
            for (uint32_t i = 0; i < length; i++) {
                wrong += frames[i] != ramp_sample(time + i);
            }
            last = time + length;
            read += length;
        }
        sched_yield();
    }
    pthread_join(writer, NULL);
    EXPECT_EQUAL(wrong, 0);
    EXPECT(read > 0);
    rcore_capture_destroy(capture);
}

/// Renders periods of `nframes` frames of a mono input that fades out: `values` in turn, one for
/// each period, or an impulse in the last frame for a negative one. Returns the captured samples,
/// which the caller frees.
static float *render_source(const float *values, uint32_t count, uint32_t nframes, bool fades_out) {
    stage_t stage = stage_open(NULL);
    rcore_capture_t *capture = rcore_capture_create(1, 8192, NULL);
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_input_description_t input = {.slot = 0, .channels = 1, .capture = capture, .fades_out = fades_out};
    EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
    for (uint32_t i = 0; i < count; i++) {
        float plane[512];
        for (uint32_t frame = 0; frame < nframes; frame++) {
            plane[frame] = values[i] >= 0.0f ? values[i] : frame == nframes - 1 ? -values[i] : 0.0f;
        }
        const float *inputs[] = {plane};
        rcore_process(stage.core, inputs, 1, NULL, 0, nframes);
    }
    float *samples = calloc((size_t)count * nframes, sizeof(float));
    uint64_t time;
    EXPECT_EQUAL(rcore_capture_read_interleaved(capture, samples, count * nframes, &time), count * nframes);
    stage_close(&stage);
    rcore_capture_destroy(capture);
    return samples;
}

/// A program that ends leaves a line to 0 of 240 frames instead of a step, whatever the period; a
/// signal that goes on is unchanged.
TEST(a_signal_that_breaks_off_fades_out) {
    const uint32_t periods[] = {1, 7, 64, 240, 512};
    for (unsigned p = 0; p < 5; p++) {
        const uint32_t nframes = periods[p], count = 1200 / nframes + 3;
        float values[1203] = {0.25f, 0.25f};
        float *samples = render_source(values, count, nframes, true);
        const uint32_t end = 2 * nframes;
        uint32_t wrong = 0;
        for (uint32_t i = 0; i < count * nframes; i++) {
            const float line = i < end ? 0.25f : i < end + 240 ? 0.25f * (float)(239 - (i - end)) / 240.0f : 0.0f;
            const float error = samples[i] - line;
            wrong += error > 1e-6f || error < -1e-6f;
        }
        EXPECT_EQUAL(wrong, 0);
        EXPECT_NEAR(samples[end - 1], 0.25f, 0);
        EXPECT_NEAR(samples[end + 239], 0, 0);
        free(samples);
    }
    const float values[] = {0.25f, 0.25f, 0, 0, 0};
    float *samples = render_source(values, 5, 64, false);
    EXPECT_NEAR(samples[128], 0, 0);
    free(samples);
}

/// What is meant to be short, or ends by itself, keeps every sample; a signal that returns at once
/// is added to the line.
TEST(an_impulse_does_not_fade_out) {
    const float impulse[] = {0, -0.5f, 0, 0, 0};
    float *samples = render_source(impulse, 5, 64, true);
    for (uint32_t i = 0; i < 5 * 64; i++) {
        EXPECT_NEAR(samples[i], i == 127 ? 0.5f : 0, 0);
    }
    free(samples);
    const float returns[] = {0.25f, 0.25f, 0, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    samples = render_source(returns, 8, 64, true);
    EXPECT_NEAR(samples[128 + 64], 0.5f + 0.25f * 175.0f / 240.0f, 1e-6);
    EXPECT_NEAR(samples[8 * 64 - 1], 0.5f, 0);
    free(samples);
}

int main(void) {
    RUN(every_frame_has_its_time);
    RUN(what_is_lost_is_counted_and_seen);
    RUN(gain_is_a_ramp);
    RUN(permission_is_a_gate);
    RUN(a_pause_is_a_gap);
    RUN(what_is_no_number_is_silenced);
    RUN(bad_inputs_are_refused);
    RUN(a_reader_beside_the_writer);
    RUN(a_signal_that_breaks_off_fades_out);
    RUN(an_impulse_does_not_fade_out);
    return test_result();
}
