// Inserts: when they are called, what they hear, and what is heard of them.
#include "desk_stage.h"
#include "expect.h"

#include <string.h>

enum { length = 4000 };

/// A master of one session with a child; both have inserts that delay.
static struct desk chain(void) {
    struct desk desk = {.bus_count = 2, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t i = 0; i < 2; i++) {
        desk.buses[i] = (struct desk_bus){
            .slot = i,
            .channels = 2,
            .parent = i == 0 ? RCORE_NONE : 0,
            .insert = {.given = true, .context = i, .latency = 30 + 70 * i, .gain = 1.0f},
            .gain = 1.0f,
            .gated = i == 0,
        };
    }
    return desk;
}

static const float *ramp_plane(void) {
    static float ramp[length];
    for (uint32_t i = 0; i < length; i++) {
        ramp[i] = (float)(i + 1) / 65536.0f;
    }
    return ramp;
}

static void voice_on_both(struct desk *desk) {
    for (uint32_t i = 0; i < 2; i++) {
        desk->voices[desk->voice_count++] = (struct desk_voice){
            .bus = i, .channels = 1, .gain = 1.0f, .nframes = length - 1000, .planes = {ramp_plane()}};
    }
}

static struct desk_stage *open_desk(const struct desk *desk) {
    struct desk_stage *stage = desk_stage_open(NULL, 2 * length);
    EXPECT_EQUAL(rcore_post_plan(stage->port, desk_plan(stage, desk), RCORE_NOW), RCORE_OK);
    desk_voices(stage, desk);
    return stage;
}

/// Every frame goes through each of them once, whether anything is played or not.
TEST(inserts_run_in_silence) {
    const struct desk desk = chain();
    struct desk_stage *stage = open_desk(&desk);
    uint64_t rendered[2] = {0, 0};
    for (unsigned turn = 0; turn < 50; turn++) {
        const uint64_t calls = stage->effects[0].calls;
        const uint32_t frames = 1 + turn * 3 % 64; // at most a slice
        desk_stage_render(stage, frames, frames);
        EXPECT_EQUAL(stage->effects[0].calls, calls + 1);
        for (unsigned i = 0; i < 2; i++) {
            EXPECT_EQUAL(stage->effects[i].rendered, frames);
            rendered[i] += stage->effects[i].rendered;
        }
    }
    EXPECT_EQUAL(rendered[0], stage->nframes);
    EXPECT_EQUAL(rendered[1], stage->nframes);
    desk_stage_close(stage);
}

static void sound_by_itself(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    const float *level = context;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] += *level;
        }
    }
}

/// An effect that sounds by itself is heard without any voice: the tail of a reverb.
TEST(an_insert_may_sound_by_itself) {
    struct desk_stage *stage = desk_stage_open(NULL, 1000);
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
    EXPECT_EQUAL(rcore_post_plan(stage->port, plan, RCORE_NOW), RCORE_OK);
    desk_stage_render(stage, 1000, 64);
    EXPECT_EQUAL(first_other(stage->out[0], 0, 1000, 0.5f), -1);
    desk_stage_close(stage);
}

/// While the session is paused nothing is called, and what the inserts and delays hold is there when it goes on: no hole, nothing twice.
TEST(a_pause_leaves_no_hole) {
    struct desk desk = chain();
    voice_on_both(&desk);
    struct desk_stage *alone = open_desk(&desk), *paused = open_desk(&desk);
    desk_stage_render(alone, length, 64);
    desk_stage_render(paused, 960, 64);
    sgate_page_set_verdict(paused->gate, (sgate_verdict_t){.paused = true, .serial = 2});
    desk_stage_render(paused, 64, 64);
    const uint64_t calls[] = {paused->effects[0].calls, paused->effects[1].calls};
    desk_stage_render(paused, 1000, 64);
    EXPECT_EQUAL(paused->effects[0].calls, calls[0]);
    EXPECT_EQUAL(paused->effects[1].calls, calls[1]);
    sgate_page_set_verdict(paused->gate, (sgate_verdict_t){.serial = 3});
    desk_stage_render(paused, length - 960, 64);
    EXPECT(memcmp(alone->out[0], paused->out[0], 960 * sizeof(float)) == 0);
    EXPECT_EQUAL(first_other(paused->out[0], 960, 960 + 1064, 0.0f), -1);
    EXPECT(memcmp(alone->out[0] + 960, paused->out[0] + 960 + 1064, (length - 960) * sizeof(float)) == 0);
    EXPECT(alone->out[0][length - 1001] != 0.0f);
    desk_stage_close(alone);
    desk_stage_close(paused);
}

/// Mute is behind the insert: that goes on meanwhile, and is where it would be afterwards.
TEST(mute_is_behind_the_insert) {
    struct desk desk = chain();
    voice_on_both(&desk);
    struct desk_stage *alone = open_desk(&desk), *muted = open_desk(&desk);
    EXPECT_EQUAL(rcore_post_bus_mute(muted->port, 0, true, 0, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(muted->port, 0, false, 0, 1500), RCORE_OK);
    desk_stage_render(alone, length, 64);
    desk_stage_render(muted, length, STAGE_CHANGING_PERIODS);
    EXPECT(memcmp(alone->out[0], muted->out[0], 1000 * sizeof(float)) == 0);
    EXPECT_EQUAL(first_other(muted->out[0], 1000, 1500, 0.0f), -1);
    EXPECT(memcmp(alone->out[0] + 1500, muted->out[0] + 1500, (length - 1500) * sizeof(float)) == 0);
    desk_stage_close(alone);
    desk_stage_close(muted);
}

/// What is in the delays when the voices end comes out all the same.
TEST(tails_come_out) {
    struct desk desk = chain();
    voice_on_both(&desk);
    struct desk_stage *stage = open_desk(&desk);
    desk_stage_render(stage, length, 64);
    const uint32_t last = length - 1000 - 1 + 130;
    EXPECT_NEAR(stage->out[0][last], 2.0 * (length - 1000) / 65536.0, 1e-6);
    EXPECT_EQUAL(first_other(stage->out[0], last + 1, length, 0.0f), -1);
    desk_stage_close(stage);
}

int main(void) {
    RUN(inserts_run_in_silence);
    RUN(an_insert_may_sound_by_itself);
    RUN(a_pause_leaves_no_hole);
    RUN(mute_is_behind_the_insert);
    RUN(tails_come_out);
    return test_result();
}
