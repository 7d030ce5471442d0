// Inserts: when the core calls them, their input, and their output.
#include "expect.h"
#include "mixer_stage.h"

#include <string.h>

enum { length = 4000 };

/// A session's master bus with one child; both have inserts with latency.
static struct mixer chain(void) {
    struct mixer mixer = {.bus_count = 2, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t i = 0; i < 2; i++) {
        mixer.buses[i] = (struct mixer_bus){
            .slot = i,
            .channels = 2,
            .parent = i == 0 ? RCORE_NONE : 0,
            .insert = {.given = true, .context = i, .latency = 30 + 70 * i, .gain = 1.0f},
            .gain = 1.0f,
            .gated = i == 0,
        };
    }
    return mixer;
}

static const float *ramp_plane(void) {
    static float ramp[length];
    for (uint32_t i = 0; i < length; i++) {
        ramp[i] = (float)(i + 1) / 65536.0f;
    }
    return ramp;
}

static void voice_on_both(struct mixer *mixer) {
    for (uint32_t i = 0; i < 2; i++) {
        mixer->voices[mixer->voice_count++] = (struct mixer_voice){
            .bus = i, .channels = 1, .gain = 1.0f, .nframes = length - 1000, .planes = {ramp_plane()}};
    }
}

static struct mixer_stage *open_mixer(const struct mixer *mixer) {
    struct mixer_stage *stage = mixer_stage_open(NULL, 2 * length);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, mixer), RCORE_NOW), RCORE_OK);
    mixer_voices(stage, mixer);
    return stage;
}

/// Every frame passes through each insert once, whether or not a voice plays.
TEST(inserts_run_in_silence) {
    const struct mixer mixer = chain();
    struct mixer_stage *stage = open_mixer(&mixer);
    uint64_t rendered[2] = {0, 0};
    for (unsigned turn = 0; turn < 50; turn++) {
        const uint64_t calls = stage->effects[0].calls;
        const uint32_t frames = 1 + turn * 3 % 64; // at most a block
        mixer_stage_render(stage, frames, frames);
        EXPECT_EQUAL(stage->effects[0].calls, calls + 1);
        for (unsigned i = 0; i < 2; i++) {
            EXPECT_EQUAL(stage->effects[i].rendered, frames);
            rendered[i] += stage->effects[i].rendered;
        }
    }
    EXPECT_EQUAL(rendered[0], stage->nframes);
    EXPECT_EQUAL(rendered[1], stage->nframes);
    mixer_stage_close(stage);
}

static void sound_by_itself(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    const float *level = context;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] += *level;
        }
    }
}

/// An effect that generates a signal is audible without any voice, like the tail of a reverb.
TEST(an_insert_may_sound_by_itself) {
    struct mixer_stage *stage = mixer_stage_open(NULL, 1000);
    float value = 0.25f;
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_bus_description_t buses[] = {
        {.slot = 0, .channels = 1, .parent = RCORE_NONE},
        {.slot = 1, .channels = 1, .parent = 0},
        {.slot = 2, .channels = 1, .parent = 1, .insert = {.render = sound_by_itself, .context = &value}},
        {.slot = 3, .channels = 1, .parent = 0},
    };
    for (unsigned i = 0; i < 4; i++) {
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &buses[i]), RCORE_OK);
    }
    const rcore_send_description_t send = {.source = 2, .target = 3};
    const rcore_route_description_t route = {.channels = 1};
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    mixer_stage_render(stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage->out[0], 0, 1000, 0.5f), -1);
    mixer_stage_close(stage);
}

/// While the session is paused the core calls no insert. The contents of inserts and delay lines
/// are retained: on resumption nothing is missing or repeated.
TEST(a_pause_leaves_no_hole) {
    struct mixer mixer = chain();
    voice_on_both(&mixer);
    struct mixer_stage *alone = open_mixer(&mixer), *paused = open_mixer(&mixer);
    mixer_stage_render(alone, length, 64);
    mixer_stage_render(paused, 960, 64);
    sgate_page_set_grant(paused->gate, (sgate_grant_t){.paused = true, .serial = 2});
    mixer_stage_render(paused, 64, 64);
    const uint64_t calls[] = {paused->effects[0].calls, paused->effects[1].calls};
    mixer_stage_render(paused, 1000, 64);
    EXPECT_EQUAL(paused->effects[0].calls, calls[0]);
    EXPECT_EQUAL(paused->effects[1].calls, calls[1]);
    sgate_page_set_grant(paused->gate, (sgate_grant_t){.serial = 3});
    mixer_stage_render(paused, length - 960, 64);
    EXPECT(memcmp(alone->out[0], paused->out[0], 960 * sizeof(float)) == 0);
    EXPECT_EQUAL(first_other(paused->out[0], 960, 960 + 1064, 0.0f), -1);
    EXPECT(memcmp(alone->out[0] + 960, paused->out[0] + 960 + 1064, (length - 960) * sizeof(float)) == 0);
    EXPECT(alone->out[0][length - 1001] != 0.0f);
    mixer_stage_close(alone);
    mixer_stage_close(paused);
}

/// The mute is after the insert: the insert keeps running, and its state is as if the bus had not
/// been muted.
TEST(mute_is_after_the_insert) {
    struct mixer mixer = chain();
    voice_on_both(&mixer);
    struct mixer_stage *alone = open_mixer(&mixer), *muted = open_mixer(&mixer);
    EXPECT_EQUAL(rcore_post_bus_mute(muted->queue, 0, true, 0, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(muted->queue, 0, false, 0, 1500), RCORE_OK);
    mixer_stage_render(alone, length, 64);
    mixer_stage_render(muted, length, STAGE_CHANGING_PERIODS);
    EXPECT(memcmp(alone->out[0], muted->out[0], 1000 * sizeof(float)) == 0);
    EXPECT_EQUAL(first_other(muted->out[0], 1000, 1500, 0.0f), -1);
    EXPECT(memcmp(alone->out[0] + 1500, muted->out[0] + 1500, (length - 1500) * sizeof(float)) == 0);
    mixer_stage_close(alone);
    mixer_stage_close(muted);
}

/// Frames in the delay lines are output after the voices have ended.
TEST(tails_come_out) {
    struct mixer mixer = chain();
    voice_on_both(&mixer);
    struct mixer_stage *stage = open_mixer(&mixer);
    mixer_stage_render(stage, length, 64);
    const uint32_t last = length - 1000 - 1 + 130;
    EXPECT_NEAR(stage->out[0][last], 2.0 * (length - 1000) / 65536.0, 1e-6);
    EXPECT_EQUAL(first_other(stage->out[0], last + 1, length, 0.0f), -1);
    mixer_stage_close(stage);
}

int main(void) {
    RUN(inserts_run_in_silence);
    RUN(an_insert_may_sound_by_itself);
    RUN(a_pause_leaves_no_hole);
    RUN(mute_is_after_the_insert);
    RUN(tails_come_out);
    return test_result();
}
