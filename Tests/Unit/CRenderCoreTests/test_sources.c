// Render callbacks of an app as sources, and live input.
#include "expect.h"
#include "stage.h"

#include <math.h>

struct counter {
    uint64_t next;
    /// Total number of frames.
    uint64_t end;
};

static uint32_t count(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct counter *counter = context;
    const uint64_t left = counter->end - counter->next;
    const uint32_t rendered = left < nframes ? (uint32_t)left : nframes;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < rendered; i++) {
            planes[channel][i] = (float)(counter->next + i + 1) / 1048576.0f * (channel == 0 ? 1.0f : -1.0f);
        }
    }
    counter->next += rendered;
    return rendered;
}

static uint32_t poison(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    (void)context;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] = i % 2 == 0 ? NAN : INFINITY;
        }
    }
    // More than requested.
    return nframes + 1000;
}

static rcore_voice_params_t rendering(rcore_render_t render, void *context) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.render = render;
    params.render_context = context;
    params.render_channels = 2;
    return params;
}

static void play_callback(uint32_t period) {
    stage_t stage = stage_open(NULL);
    struct counter counter = {.end = 3000};
    const rcore_voice_params_t params = rendering(count, &counter);
    const rcore_voice_t voice = stage_start(&stage, &params, 501);
    stage_render(&stage, 5000, period);
    EXPECT(first_other(stage.out[0], 0, 501, 0.0f) == -1);
    for (uint64_t i = 0; i < 3000; i++) {
        EXPECT(stage.out[0][501 + i] == ramp_sample(i));
        EXPECT(stage.out[1][501 + i] == -ramp_sample(i));
    }
    EXPECT(first_other(stage.out[0], 3501, 5000, 0.0f) == -1);
    EXPECT(rcore_voice_state(stage.core, voice) == RCORE_VOICE_ENDED);
    EXPECT(rcore_voice_frames(stage.core, voice) == 3000);
    EXPECT(rcore_read_counters(stage.core).underrun_frames == 0);
    stage_close(&stage);
}

TEST(callback_stands_still_when_paused) {
    stage_t stage = stage_open(NULL);
    struct counter counter = {.end = 100000};
    const rcore_voice_params_t params = rendering(count, &counter);
    stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 1000, 64);
    stage_grant(&stage, (sgate_grant_t){.paused = true, .ramp_ms = 5});
    stage_render(&stage, 2000, 64);
    // The fade, and not a frame more.
    EXPECT(counter.next == 1240);
    stage_grant(&stage, (sgate_grant_t){.ramp_ms = 5});
    stage_render(&stage, 1000, 64);
    EXPECT(stage.out[0][3240] == ramp_sample(1480));
    stage_close(&stage);
}

TEST(callback_cannot_harm) {
    stage_t stage = stage_open(NULL);
    const rcore_voice_params_t params = rendering(poison, NULL);
    stage_start(&stage, &params, RCORE_NOW);
    stage_render(&stage, 1000, STAGE_CHANGING_PERIODS);
    EXPECT(first_other(stage.out[0], 0, 1000, 0.0f) == -1);
    EXPECT(rcore_read_counters(stage.core).nonfinite_samples == 2000);
    stage_close(&stage);
}

TEST(bad_sources_are_refused) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffer = ramp_buffer(10);
    const rcore_voice_t voice = rcore_voice_acquire(stage.core);
    struct counter counter = {.end = 1};
    rcore_voice_params_t params = rendering(count, &counter);
    params.render_channels = 0;
    EXPECT(rcore_post_start(stage.queue, voice, &params, RCORE_NOW) == RCORE_BAD_ARGUMENT);
    params.render_channels = stage_config().max_channels + 1;
    EXPECT(rcore_post_start(stage.queue, voice, &params, RCORE_NOW) == RCORE_BAD_ARGUMENT);
    params.render_channels = 2;
    params.buffer = buffer;
    EXPECT(rcore_post_start(stage.queue, voice, &params, RCORE_NOW) == RCORE_BAD_ARGUMENT);
    params = rcore_voice_params_default();
    EXPECT(rcore_post_start(stage.queue, voice, &params, RCORE_NOW) == RCORE_BAD_ARGUMENT);
    params.input_channels = RCORE_MAX_CHANNELS + 1;
    EXPECT(rcore_post_start(stage.queue, voice, &params, RCORE_NOW) == RCORE_BAD_ARGUMENT);
    EXPECT(rcore_voice_release(stage.core, voice) == RCORE_OK);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

// Renders one period with inputs. `out` receives the output of the first channel.
static void process(rcore_t *core, const float *const *inputs, uint32_t ninputs, float *out, uint32_t nframes) {
    float *outputs[] = {out};
    rcore_process(core, inputs, ninputs, outputs, 1, nframes);
}

TEST(input_is_heard_in_the_same_cycle) {
    stage_t stage = stage_open(NULL);
    stage_grant(&stage, (sgate_grant_t){.input_granted = true});
    rcore_voice_params_t params = rcore_voice_params_default();
    params.input_channels = 1;
    params.input = 1;
    const rcore_voice_t voice = stage_start(&stage, &params, 100);
    float input[1000];
    float out[1000];
    for (uint32_t i = 0; i < 1000; i++) {
        input[i] = ramp_sample(i);
    }
    const float *inputs[] = {NULL, input};
    // Longer than a block: split, and still exact to the frame.
    process(stage.core, inputs, 2, out, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        EXPECT(out[i] == (i < 100 ? 0.0f : input[i]));
    }
    process(stage.core, inputs, 1, out, 1000); // the driver no longer has this channel
    EXPECT(first_other(out, 0, 1000, 0.0f) == -1);
    process(stage.core, NULL, 0, out, 1000);
    EXPECT(first_other(out, 0, 1000, 0.0f) == -1);
    EXPECT(rcore_voice_state(stage.core, voice) == RCORE_VOICE_PLAYING);
    stage_close(&stage);
}

TEST(input_needs_the_grant) {
    stage_t stage = stage_open(NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.input_channels = 1;
    stage_start(&stage, &params, RCORE_NOW);
    float input[64];
    float out[64];
    for (uint32_t i = 0; i < 64; i++) {
        input[i] = 0.5f;
    }
    const float *inputs[] = {input};
    process(stage.core, inputs, 1, out, 64);
    EXPECT(first_other(out, 0, 64, 0.0f) == -1);
    stage_grant(&stage, (sgate_grant_t){.input_granted = true});
    process(stage.core, inputs, 1, out, 64);
    EXPECT(first_other(out, 0, 64, 0.5f) == -1);
    // Revoked: silent within this period.
    stage_grant(&stage, (sgate_grant_t){.input_granted = false});
    process(stage.core, inputs, 1, out, 64);
    EXPECT(first_other(out, 0, 64, 0.0f) == -1);
    stage_close(&stage);
}

TEST(callback_is_a_source) {
    play_callback(1);
    play_callback(64);
    play_callback(STAGE_CHANGING_PERIODS);
}

int main(void) {
    RUN(callback_is_a_source);
    RUN(callback_stands_still_when_paused);
    RUN(callback_cannot_harm);
    RUN(bad_sources_are_refused);
    RUN(input_is_heard_in_the_same_cycle);
    RUN(input_needs_the_grant);
    return test_result();
}
