// Ramps of a mixer's levels, gains and pans: exact to the frame, and independent of the periods.
#include "expect.h"
#include "mixer_stage.h"

enum { length = 3000 };

static float constant[length];

/// Returns a mixer of a bus with a pan law and a stereo bus to which the first one sends. Both are
/// routed to a master.
static struct mixer mixer_of(rcore_pan_law_t law, uint32_t channels) {
    struct mixer mixer = {.bus_count = 3, .send_count = 1, .route_count = 1, .connection_count = 1, .voice_count = 1};
    for (uint32_t i = 0; i < 3; i++) {
        mixer.buses[i] = (struct mixer_bus){
            .slot = i, .channels = 2, .parent = i == 0 ? RCORE_NONE : 0, .gain = i == 2 ? 0.0f : 1.0f};
    }
    mixer.buses[1].law = law;
    mixer.buses[1].channels = channels;
    mixer.sends[0] = (struct mixer_send){.source = 1, .target = 2, .level = 1.0f};
    mixer.routes[0] = (struct mixer_route){.channels = 2};
    mixer.voices[0] = (struct mixer_voice){
        .bus = 1, .channels = channels, .gain = 1.0f, .nframes = length, .planes = {constant, constant}};
    return mixer;
}

static struct mixer_stage *open_mixer(const struct mixer *mixer) {
    struct mixer_stage *stage = mixer_stage_open(NULL, length);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, mixer), RCORE_NOW), RCORE_OK);
    mixer_settings(stage, mixer);
    mixer_voices(stage, mixer);
    return stage;
}

/// Returns the progress at frame `i` of a ramp of `nframes` that starts at frame `from`. The last
/// frame of the ramp has the final value.
static double along(uint32_t i, uint32_t from, uint32_t nframes) {
    return i < from ? 0.0 : fmin(1.0, (double)(i + 1 - from) / nframes);
}

static double sine_of(double share) { return sin(1.5707963267948966 * share); }

/// A mono bus is panned like a voice, according to its law.
TEST(mono_is_panned) {
    for (unsigned law = RCORE_PAN_EQUAL_POWER; law <= RCORE_PAN_LINEAR; law++) {
        const struct mixer mixer = mixer_of((rcore_pan_law_t)law, 1);
        struct mixer_stage *stage = open_mixer(&mixer);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->queue, 1, -1.0f, 0, 100), RCORE_OK);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->queue, 1, 1.0f, 2000, 200), RCORE_OK);
        mixer_stage_render(stage, length, STAGE_CHANGING_PERIODS);
        double worst = 0.0;
        for (uint32_t i = 0; i < length; i++) {
            const double right = i < 100 ? 0.5 : along(i, 200, 2000);
            const double sides[] = {law == RCORE_PAN_LINEAR ? 1.0 - right : sine_of(1.0 - right),
                                    law == RCORE_PAN_LINEAR ? right : sine_of(right)};
            for (unsigned side = 0; side < 2; side++) {
                worst = fmax(worst, fabs((double)stage->out[side][i] - 0.5 * sides[side]));
            }
        }
        EXPECT_NEAR(worst, 0, 2e-4); // piecewise linear
        EXPECT_EQUAL(first_other(stage->out[0], 2199, length, 0.0f), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 2199, length, 0.5f), -1);
        mixer_stage_close(stage);
    }
}

/// A stereo bus is balanced: at the center it is bit-identical; otherwise one side is attenuated
/// and the other is not.
TEST(stereo_is_balanced) {
    for (unsigned law = RCORE_PAN_EQUAL_POWER; law <= RCORE_PAN_LINEAR; law++) {
        const struct mixer mixer = mixer_of((rcore_pan_law_t)law, 2);
        struct mixer_stage *stage = open_mixer(&mixer);
        EXPECT_EQUAL(rcore_post_bus_pan(stage->queue, 1, 1.0f, 1000, 500), RCORE_OK);
        mixer_stage_render(stage, length, STAGE_CHANGING_PERIODS);
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
        mixer_stage_close(stage);
    }
}

/// The level of a send is a linear ramp; the connection of its source to its parent is not
/// affected.
TEST(levels_are_ramps) {
    struct mixer mixer = mixer_of(RCORE_PAN_NONE, 2);
    mixer.buses[2].gain = 0.5f;
    struct mixer_stage *stage = open_mixer(&mixer);
    EXPECT_EQUAL(rcore_post_send_level(stage->queue, 0, 0.0f, 400, 300), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage->queue, 0, 2.0f, 100, 1000), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage->queue, 0, -1.0f, 0, 1500), RCORE_OK);
    mixer_stage_render(stage, length, STAGE_CHANGING_PERIODS);
    double worst = 0.0;
    for (uint32_t i = 0; i < length; i++) {
        double expected = i < 1000 ? 1.0 - along(i, 300, 400) : 2.0 * along(i, 1000, 100);
        expected = i < 1500 ? expected : -1.0;
        worst = fmax(worst, fabs((double)stage->out[0][i] - (0.5 + 0.25 * expected)));
    }
    EXPECT_NEAR(worst, 0, 1e-6);
    mixer_stage_close(stage);
}

/// Gain and pan do not affect a pre-fader send; they affect a post-fader send.
TEST(the_fader_is_between_the_sends) {
    for (unsigned pre_fader = 0; pre_fader < 2; pre_fader++) {
        struct mixer mixer = mixer_of(RCORE_PAN_LINEAR, 2);
        mixer.sends[0].pre_fader = pre_fader == 1;
        mixer.buses[1].gain = 0.0f; // its connection to the parent is silent
        mixer.buses[1].pan = 1.0f;
        mixer.buses[2].gain = 1.0f;
        struct mixer_stage *stage = open_mixer(&mixer);
        EXPECT_EQUAL(rcore_post_bus_gain(stage->queue, 1, 1.0f, 0, 1000), RCORE_OK);
        mixer_stage_render(stage, length, 64);
        const float before = pre_fader ? 0.5f : 0.0f;
        EXPECT_EQUAL(first_other(stage->out[0], 0, length, before), -1);
        EXPECT_EQUAL(first_other(stage->out[1], 0, 1000, before), -1);
        // Both the connection and the send.
        EXPECT_EQUAL(first_other(stage->out[1], 1000, length, 1.0f), -1);
        mixer_stage_close(stage);
    }
}

static struct mixer_stage *play_moves(uint32_t period) {
    struct mixer mixer = mixer_of(RCORE_PAN_EQUAL_POWER, 1);
    mixer.buses[2].gain = 0.5f;
    mixer.buses[2].law = RCORE_PAN_LINEAR;
    struct mixer_stage *stage = open_mixer(&mixer);
    rcore_queue_t *queue = stage->queue;
    EXPECT_EQUAL(rcore_post_bus_pan(queue, 1, -0.8f, 777, 50), RCORE_OK);
    // During the previous ramp.
    EXPECT_EQUAL(rcore_post_bus_pan(queue, 1, 0.9f, 1000, 333), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_pan(queue, 2, 1.0f, 900, 400), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(queue, 1, 0.25f, 500, 200), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(queue, 0, 0.25f, 900, 100), RCORE_OK);
    // While the other ramps run.
    EXPECT_EQUAL(rcore_post_bus_mute(queue, 1, true, 300, 950), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(queue, 1, false, 300, 1100), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(queue, 2, true, 600, 1700), RCORE_OK);
    mixer_stage_render(stage, length, period);
    return stage;
}

TEST(the_same_wherever_periods_end) {
    struct mixer_stage *whole = play_moves(length), *single = play_moves(1), *cut = play_moves(STAGE_CHANGING_PERIODS);
    for (unsigned side = 0; side < 2; side++) {
        double worst = 0.0;
        for (unsigned i = 0; i < length; i++) {
            worst = fmax(worst, fabs((double)whole->out[side][i] - (double)single->out[side][i]));
            worst = fmax(worst, fabs((double)whole->out[side][i] - (double)cut->out[side][i]));
        }
        EXPECT_NEAR(worst, 0, 2e-7); // products of ramps, applied to segments
        EXPECT(largest_step(whole->out[side], 1, length) < 0.02f);
        EXPECT(largest_step(whole->out[side], 1, length) > 1e-4f);
    }
    mixer_stage_close(whole);
    mixer_stage_close(single);
    mixer_stage_close(cut);
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
