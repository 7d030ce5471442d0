// Playheads: loops with crossfades, leaving loops, and seeks, compared with independently computed
// samples.
#include "expect.h"
#include "stage.h"

#include <string.h>

enum { length = 1000 };

static rcore_voice_params_t looping(const rcore_buffer_t *buffer, uint64_t start, uint64_t end, uint64_t count,
                                    uint32_t fade) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.loop_start = start;
    params.loop_end = end;
    params.loop_count = count;
    params.loop_fade_frames = fade;
    return params;
}

/// Returns the expected sample, computed frame by frame from the definition of a loop.
static float expected(uint64_t heard, uint64_t start, uint64_t end, uint64_t count, uint32_t fade) {
    uint64_t frame = 0;
    for (uint64_t i = 0;; i++) {
        if (frame == end && count > 0) {
            count -= 1;
            frame = start;
        }
        if (i == heard) {
            break;
        }
        frame += 1;
    }
    if (frame >= length) {
        return 0.0f;
    }
    if (count > 0 && frame + fade >= end && frame < end) {
        const double weight = (double)(frame - (end - fade) + 1) / fade;
        return (float)((1.0 - weight) * (double)ramp_sample(frame) +
                       weight * (double)ramp_sample(frame - (end - start)));
    }
    return ramp_sample(frame);
}

static void expect_loop(uint64_t start, uint64_t end, uint64_t count, uint32_t fade, uint32_t period) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ramp = ramp_buffer(length);
    const rcore_voice_params_t params = looping(ramp, start, end, count, fade);
    const rcore_voice_t voice = stage_start(&stage, &params, RCORE_NOW);
    const uint64_t total = length + count * (end - start);
    stage_render(&stage, total + 100, period);
    float largest = 0.0f;
    for (uint64_t i = 0; i < total + 100; i++) {
        largest = fmaxf(largest, fabsf(stage.out[0][i] - expected(i, start, end, count, fade)));
        largest = fmaxf(largest, fabsf(stage.out[1][i] + expected(i, start, end, count, fade)));
    }
    EXPECT_NEAR(largest, 0.0, fade > 0 ? 1e-7 : 0.0);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, voice), RCORE_END_SOURCE);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), total);
    stage_close(&stage);
    rcore_buffer_release(ramp);
}

TEST(loops_go_back_and_on) {
    const uint32_t periods[] = {1, 64, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 3; p++) {
        expect_loop(0, length, 3, 0, periods[p]);
        expect_loop(200, 500, 4, 0, periods[p]);
        expect_loop(999, 1000, 50, 0, periods[p]); // one frame, repeated
        expect_loop(200, 500, 4, 100, periods[p]);
        expect_loop(300, 600, 3, 300, periods[p]); // the whole loop fades
        expect_loop(1, 1000, 2, 1, periods[p]);
        expect_loop(0, 500, 0, 0, periods[p]);
    }
}

/// A sine that does not fit the loop clicks at the seam. A crossfade removes the click.
TEST(a_fade_takes_the_click_away) {
    rcore_buffer_t *sine = sine_buffer(4800, 103, 0.5f);
    const float smooth = 0.5f * 2.0f * 3.1416f * 103 / 48000 * 3.0f;
    for (unsigned faded = 0; faded < 2; faded++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_params_t params = looping(sine, 1000, 2111, UINT64_MAX, faded ? 480 : 0);
        stage_start(&stage, &params, RCORE_NOW);
        stage_render(&stage, 20000, 64);
        EXPECT((find_click(stage.out[0], 1, 20000, smooth) >= 0) == !faded);
        stage_close(&stage);
    }
    rcore_buffer_release(sine);
}

TEST(leaving_a_loop) {
    rcore_buffer_t *ramp = ramp_buffer(length);
    const uint64_t leave_at[] = {100, 450, 800 /* exactly at the loop's end */, 1090};
    for (unsigned i = 0; i < 4; i++) {
        stage_t stage = stage_open(NULL);
        // Wraps at 500, 800, 1100 …
        const rcore_voice_params_t params = looping(ramp, 200, 500, UINT64_MAX, 0);
        const rcore_voice_t voice = stage_start(&stage, &params, 0);
        EXPECT_EQUAL(rcore_post_leave_loop(stage.queue, voice, leave_at[i]), RCORE_OK);
        stage_render(&stage, 3000, 64);
        const uint64_t passes = leave_at[i] <= 500 ? 0 : leave_at[i] <= 800 ? 1 : 2;
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), length + passes * 300);
        for (uint64_t frame = 0; frame < length + passes * 300; frame++) {
            EXPECT(stage.out[0][frame] == expected(frame, 200, 500, passes, 0));
        }
        stage_close(&stage);
    }
    // During the crossfade, up to its very end, the voice has already begun to wrap: it completes
    // this wrap, so that no sample jumps.
    const uint64_t in_fade[] = {400, 450, 499, 500};
    for (unsigned i = 0; i < 4; i++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_params_t params = looping(ramp, 200, 500, UINT64_MAX, 100);
        const rcore_voice_t voice = stage_start(&stage, &params, 0);
        EXPECT_EQUAL(rcore_post_leave_loop(stage.queue, voice, in_fade[i]), RCORE_OK);
        EXPECT_EQUAL(rcore_post_leave_loop(stage.queue, voice, in_fade[i] + 1), RCORE_OK);
        stage_render(&stage, 3000, 64);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), length + 300);
        stage_close(&stage);
    }
    rcore_buffer_release(ramp);
}

TEST(seeking) {
    rcore_buffer_t *ramp = ramp_buffer(length);
    const uint32_t periods[] = {1, 64, 3000};
    for (unsigned p = 0; p < 3; p++) {
        stage_t stage = stage_open(NULL);
        const rcore_voice_t voice = stage_play(&stage, ramp, 0);
        EXPECT_EQUAL(rcore_post_seek(stage.queue, voice, 700, 0, 100), RCORE_OK);
        EXPECT_EQUAL(rcore_post_seek(stage.queue, voice, 50, 80, 200), RCORE_OK);
        stage_render(&stage, 3000, periods[p]);
        float largest = 0.0f;
        for (uint64_t i = 0; i < 200 + 950; i++) {
            const double place = i < 100 ? i : i < 200 ? 600 + i : i - 150;
            const double weight = i < 200 || i >= 280 ? 0.0 : 1.0 - (double)(i - 199) / 80;
            const double sample =
                (1.0 - weight) * (double)ramp_sample((uint64_t)place) + weight * (double)ramp_sample(600 + i);
            largest = fmaxf(largest, fabsf(stage.out[0][i] - (float)sample));
        }
        EXPECT_NEAR(largest, 0.0, 1e-7);
        EXPECT_EQUAL(first_other(stage.out[0], 1150, 3000, 0.0f), -1);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 1150);
        stage_close(&stage);
    }
    rcore_buffer_release(ramp);
}

/// A seek beyond the end goes to the end: the old signal fades out, then the voice ends.
TEST(seeking_beyond_the_end) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = constant_buffer(length, 0.5f);
    const rcore_voice_t voice = stage_play(&stage, buffer, 0);
    EXPECT_EQUAL(rcore_post_seek(stage.queue, voice, UINT64_MAX, 50, 100), RCORE_OK);
    stage_render(&stage, 300, 64);
    EXPECT_NEAR(stage.out[0][100], 0.5 * (1.0 - 1.0 / 50), 1e-6);
    EXPECT_NEAR(stage.out[0][148], 0.5 * (1.0 - 49.0 / 50), 1e-6);
    EXPECT_EQUAL(first_other(stage.out[0], 149, 300, 0.0f), -1);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A seek during the crossfade of another waits for its end, so that nothing clicks. Of several
/// waiting seeks, the last one counts.
TEST(seeking_while_seeking) {
    rcore_buffer_t *sine = sine_buffer(9600, 103, 0.5f);
    const float smooth = 0.5f * 2.0f * 3.1416f * 103 / 48000 * 3.0f;
    for (unsigned fast = 0; fast < 2; fast++) {
        stage_t stage = stage_open(NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = sine;
        params.speed = fast ? 1.25f : 1.0f;
        const rcore_voice_t voice = stage_start(&stage, &params, 0);
        rcore_post_seek(stage.queue, voice, 5000, 600, 1000);
        rcore_post_seek(stage.queue, voice, 100, 600, 1200);
        rcore_post_seek(stage.queue, voice, 3000, 600, 1300);
        stage_render(&stage, 9600, 64);
        EXPECT_EQUAL(find_click(stage.out[0], 1, 4000, smooth), -1);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
        if (!fast) {
            EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), 1600 + 9600 - 3000);
            EXPECT_NEAR(stage.out[0][2500], 0.5 * sin(6.283185307179586 * 103 * (3000 + 900) / 48000), 1e-5);
        }
        stage_close(&stage);
    }
    rcore_buffer_release(sine);
}

/// A seek before the start takes effect sets the start position. Beyond the end there is nothing to
/// play.
TEST(seeking_before_the_start) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ramp = ramp_buffer(length);
    const uint64_t frames[] = {500, length, UINT64_MAX};
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t begin = stage.nframes;
        const rcore_voice_t voice = stage_play(&stage, ramp, begin + 100);
        EXPECT_EQUAL(rcore_post_seek(stage.queue, voice, frames[i], 50, RCORE_NOW), RCORE_OK);
        EXPECT_EQUAL(rcore_post_leave_loop(stage.queue, voice, RCORE_NOW), RCORE_OK);
        stage_render(&stage, 1000, 64);
        EXPECT_EQUAL(rcore_voice_frames(stage.core, voice), i == 0 ? 500 : 0);
        EXPECT_EQUAL(rcore_voice_end_reason(stage.core, voice), RCORE_END_SOURCE);
        EXPECT(stage.out[0][begin + 100] == (i == 0 ? ramp_sample(500) : 0.0f));
    }
    stage_close(&stage);
    rcore_buffer_release(ramp);
}

/// At other speeds too, seams and seeks do not click, and periods make no difference.
TEST(speed_and_seams) {
    rcore_buffer_t *sine = sine_buffer(9600, 103, 0.5f);
    const float smooth = 0.5f * 2.0f * 3.1416f * 103 / 48000 * 4.0f;
    stage_t stages[2] = {stage_open(NULL), stage_open(NULL)};
    for (unsigned i = 0; i < 2; i++) {
        rcore_voice_params_t params = looping(sine, 1000, 3333, UINT64_MAX, 700);
        params.speed = 1.37f;
        const rcore_voice_t voice = stage_start(&stages[i], &params, 0);
        rcore_post_seek(stages[i].queue, voice, 2222, 600, 5000);
        rcore_post_speed(stages[i].queue, voice, 0.7f, 1000, 9000);
        rcore_post_speed(stages[i].queue, voice, 1.0f, 500, 12000);
        rcore_post_seek(stages[i].queue, voice, 40, 600, 14000);
        rcore_post_leave_loop(stages[i].queue, voice, 16000);
        stage_render(&stages[i], 30000, i == 0 ? 64 : STAGE_CHANGING_PERIODS);
        EXPECT_EQUAL(rcore_voice_state(stages[i].core, voice), RCORE_VOICE_ENDED);
        EXPECT_EQUAL(find_click(stages[i].out[0], 1, 20000, smooth), -1);
    }
    float largest = 0.0f;
    for (unsigned i = 0; i < 30000; i++) {
        largest = fmaxf(largest, fabsf(stages[0].out[0][i] - stages[1].out[0][i]));
    }
    EXPECT_NEAR(largest, 0.0, 1e-6);
    stage_close(&stages[0]);
    stage_close(&stages[1]);
    rcore_buffer_release(sine);
}

/// At other speeds too, a counted loop ends at its exact frame, and a playhead past the end yields
/// silence, whatever the periods.
TEST(speed_and_ends) {
    float *outputs[2] = {NULL, NULL};
    const uint32_t periods[] = {1, 1024};
    rcore_buffer_t *buffer = constant_buffer(100, 0.5f);
    stage_t stages[2];
    for (unsigned p = 0; p < 2; p++) {
        stages[p] = stage_open(NULL);
        rcore_voice_params_t params = looping(buffer, 0, 50, 1, 0);
        params.speed = 2.0f;
        const rcore_voice_t voice = stage_start(&stages[p], &params, 0);
        params = looping(buffer, 0, 0, 0, 0);
        params.speed = 0.5f;
        const rcore_voice_t sought = stage_start(&stages[p], &params, 0);
        EXPECT_EQUAL(rcore_post_seek(stages[p].queue, sought, 100, 1000, 150), RCORE_OK);
        stage_render(&stages[p], 4096, periods[p]);
        EXPECT_EQUAL(rcore_voice_frames(stages[p].core, voice), 150);
        outputs[p] = stages[p].out[0];
    }
    float largest = 0.0f;
    for (unsigned i = 0; i < 4096; i++) {
        largest = fmaxf(largest, fabsf(outputs[0][i] - outputs[1][i]));
    }
    EXPECT_NEAR(largest, 0, 1e-6);
    stage_close(&stages[0]);
    stage_close(&stages[1]);
    rcore_buffer_release(buffer);
}

TEST(bad_loops_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *ramp = ramp_buffer(length);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    const rcore_voice_params_t bad[] = {
        looping(ramp, 500, 500, 1, 0),      looping(ramp, 600, 500, 1, 0), looping(ramp, 0, length + 1, 1, 0),
        looping(ramp, length, 0, 1, 0),     looping(ramp, 50, 500, 1, 51), looping(ramp, 400, 500, 1, 101),
        looping(ramp, UINT64_MAX, 0, 1, 0),
    };
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &bad[i], RCORE_NOW), RCORE_BAD_ARGUMENT);
    }
    rcore_fifo_t *fifo = rcore_fifo_create(2, 64, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.fifo = fifo;
    const rcore_voice_t stream = stage_start(&stage, &params, RCORE_NOW);
    EXPECT_EQUAL(rcore_post_seek(stage.queue, stream, 0, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    // Of a stream: its owner could not know when the FIFO is free again.
    params.one_shot = true;
    EXPECT_EQUAL(rcore_post_start(stage.queue, voice, &params, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_OK);
    stage_close(&stage);
    rcore_fifo_destroy(fifo);
    rcore_buffer_release(ramp);
}

int main(void) {
    RUN(loops_go_back_and_on);
    RUN(a_fade_takes_the_click_away);
    RUN(leaving_a_loop);
    RUN(seeking);
    RUN(seeking_beyond_the_end);
    RUN(seeking_while_seeking);
    RUN(seeking_before_the_start);
    RUN(speed_and_seams);
    RUN(speed_and_ends);
    RUN(bad_loops_are_refused);
    return test_result();
}
