// What moves on a desk: levels, gains and pans, to the frame, and the same wherever a period is cut.
#include "desk_stage.h"
#include "expect.h"

enum { length = 3000 };

static float constant[length];

/// A mono bus with a law, a stereo bus beside it that the first sends to, both on a master.
static struct desk desk_of(rcore_pan_law_t law, uint32_t channels) {
    struct desk desk = {.bus_count = 3, .send_count = 1, .route_count = 1, .connection_count = 1, .voice_count = 1};
    for (uint32_t i = 0; i < 3; i++) {
        desk.buses[i] = (struct desk_bus){
            .slot = i, .channels = 2, .parent = i == 0 ? RCORE_NONE : 0, .gain = i == 2 ? 0.0f : 1.0f};
    }
    desk.buses[1].law = law;
    desk.buses[1].channels = channels;
    desk.sends[0] = (struct desk_send){.source = 1, .target = 2, .level = 1.0f};
    desk.routes[0] = (struct desk_route){.channels = 2};
    desk.voices[0] = (struct desk_voice){
        .bus = 1, .channels = channels, .gain = 1.0f, .nframes = length, .planes = {constant, constant}};
    return desk;
}

static struct desk_stage *open_desk(const struct desk *desk) {
    struct desk_stage *stage = desk_stage_open(NULL, length);
    EXPECT_EQUAL(rcore_post_plan(stage->port, desk_plan(stage, desk), RCORE_NOW), RCORE_OK);
    desk_settings(stage, desk);
    desk_voices(stage, desk);
    return stage;
}

/// How far a move of `nframes` from frame `from` is at frame `i`: the last of them is there.
static double along(uint32_t i, uint32_t from, uint32_t nframes) {
    return i < from ? 0.0 : fmin(1.0, (double)(i + 1 - from) / nframes);
}

static double sine_of(double share) { return sin(1.5707963267948966 * share); }

/// A mono bus is panned as a voice is, along its law.
TEST(mono_is_panned) {
    for (unsigned law = RCORE_PAN_EQUAL_POWER; law <= RCORE_PAN_LINEAR; law++) {
        const struct desk desk = desk_of((rcore_pan_law_t)law, 1);
        struct desk_stage *stage = open_desk(&desk);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->port, 1, -1.0f, 0, 100), RCORE_OK);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->port, 1, 1.0f, 2000, 200), RCORE_OK);
        desk_stage_render(stage, length, STAGE_CHANGING_PERIODS);
        double worst = 0.0;
        for (uint32_t i = 0; i < length; i++) {
            const double right = i < 100 ? 0.5 : along(i, 200, 2000);
            const double sides[] = {law == RCORE_PAN_LINEAR ? 1.0 - right : sine_of(1.0 - right),
                                    law == RCORE_PAN_LINEAR ? right : sine_of(right)};
            for (unsigned side = 0; side < 2; side++) {
                worst = fmax(worst, fabs((double)stage->out[side][i] - 0.5 * sides[side]));
            }
        }
        EXPECT_NEAR(worst, 0, 2e-4); // a polygon
        EXPECT_EQUAL(first_other(stage->out[0], 2199, length, 0.0f), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 2199, length, 0.5f), -1);
        desk_stage_close(stage);
    }
}

/// A stereo bus is balanced: the middle is as it was, bit by bit, one side falls and the other stays.
TEST(stereo_is_balanced) {
    for (unsigned law = RCORE_PAN_EQUAL_POWER; law <= RCORE_PAN_LINEAR; law++) {
        const struct desk desk = desk_of((rcore_pan_law_t)law, 2);
        struct desk_stage *stage = open_desk(&desk);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->port, 1, 1.0f, 1000, 500), RCORE_OK);
        desk_stage_render(stage, length, STAGE_CHANGING_PERIODS);
        EXPECT_EQUAL(first_other(stage->out[0], 0, 500, 0.5f), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 0, length, 0.5f), -1);
        double worst = 0.0;
        for (uint32_t i = 500; i < length; i++) {
            const double left = 0.5 - 0.5 * along(i, 500, 1000);
            const double gain = law == RCORE_PAN_LINEAR ? 2.0 * left : sine_of(left) / sine_of(0.5);
            worst = fmax(worst, fabs((double)stage->out[0][i] - 0.5 * gain));
        }
        EXPECT_NEAR(worst, 0, 2e-4);
        EXPECT_EQUAL(first_other(stage->out[0], 1499, length, 0.0f), -1);
        desk_stage_close(stage);
    }
}

/// A send's level moves in a straight line; its source's own way stays as it is.
TEST(levels_are_ramps) {
    struct desk desk = desk_of(RCORE_PAN_NONE, 2);
    desk.buses[2].gain = 0.5f;
    struct desk_stage *stage = open_desk(&desk);
    EXPECT_EQUAL(rcore_post_send_level(stage->port, 0, 0.0f, 400, 300), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage->port, 0, 2.0f, 100, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage->port, 0, -1.0f, 0, 1500), RCORE_OK);
    desk_stage_render(stage, length, STAGE_CHANGING_PERIODS);
    double worst = 0.0;
    for (uint32_t i = 0; i < length; i++) {
        double expected = i < 1000 ? 1.0 - along(i, 300, 400) : 2.0 * along(i, 1000, 100);
        expected = i < 1500 ? expected : -1.0;
        worst = fmax(worst, fabs((double)stage->out[0][i] - (0.5 + 0.25 * expected)));
    }
    EXPECT_NEAR(worst, 0, 1e-6);
    desk_stage_close(stage);
}

/// A send before the fader does not hear gain and pan; one behind it hears both.
TEST(the_fader_is_between_the_sends) {
    for (unsigned pre_fader = 0; pre_fader < 2; pre_fader++) {
        struct desk desk = desk_of(RCORE_PAN_LINEAR, 2);
        desk.sends[0].pre_fader = pre_fader == 1;
        desk.buses[1].gain = 0.0f; // its own way is silent
        desk.buses[1].pan = 1.0f;
        desk.buses[2].gain = 1.0f;
        struct desk_stage *stage = open_desk(&desk);
        EXPECT_EQUAL(rcore_post_bus_gain(stage->port, 1, 1.0f, 0, 1000), RCORE_OK);
        desk_stage_render(stage, length, 64);
        const float before = pre_fader ? 0.5f : 0.0f;
        EXPECT_EQUAL(first_other(stage->out[0], 0, length, before), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 0, 1000, before), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 1000, length, 1.0f), -1); // both ways
        desk_stage_close(stage);
    }
}

static struct desk_stage *play_moves(uint32_t period) {
    struct desk desk = desk_of(RCORE_PAN_EQUAL_POWER, 1);
    desk.buses[2].gain = 0.5f;
    desk.buses[2].law = RCORE_PAN_LINEAR;
    struct desk_stage *stage = open_desk(&desk);
    rcore_port_t *port = stage->port;
    EXPECT_EQUAL(rcore_post_bus_pan(port, 1, -0.8f, 777, 50), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_pan(port, 1, 0.9f, 1000, 333), RCORE_OK); // in the middle of the move before
    EXPECT_EQUAL(rcore_post_bus_pan(port, 2, 1.0f, 900, 400), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(port, 1, 0.25f, 500, 200), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(port, 0, 0.25f, 900, 100), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(port, 1, true, 300, 950), RCORE_OK); // all at once
    EXPECT_EQUAL(rcore_post_bus_mute(port, 1, false, 300, 1100), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(port, 2, true, 600, 1700), RCORE_OK);
    desk_stage_render(stage, length, period);
    return stage;
}

TEST(the_same_wherever_periods_end) {
    struct desk_stage *whole = play_moves(length), *single = play_moves(1), *cut = play_moves(STAGE_CHANGING_PERIODS);
    for (unsigned side = 0; side < 2; side++) {
        double worst = 0.0;
        for (unsigned i = 0; i < length; i++) {
            worst = fmax(worst, fabs((double)whole->out[side][i] - (double)single->out[side][i]));
            worst = fmax(worst, fabs((double)whole->out[side][i] - (double)cut->out[side][i]));
        }
        EXPECT_NEAR(worst, 0, 2e-7); // products of ramps, applied to pieces
        EXPECT(largest_step(whole->out[side], 1, length) < 0.02f);
        EXPECT(largest_step(whole->out[side], 1, length) > 1e-4f);
    }
    desk_stage_close(whole);
    desk_stage_close(single);
    desk_stage_close(cut);
}

int main(void) {
    for (unsigned i = 0; i < length; i++) {
        constant[i] = 0.5f;
    }
    RUN(mono_is_panned);
    RUN(stereo_is_balanced);
    RUN(levels_are_ramps);
    RUN(the_fader_is_between_the_sends);
    RUN(the_same_wherever_periods_end);
    return test_result();
}
