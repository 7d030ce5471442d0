// Polyphony: which voices get a slot, which voices are stolen, and that stealing does not click.
#include "expect.h"
#include "stage.h"

enum { places = 4, fade = 100 };

static stage_t open_small(void) {
    rcore_config_t config = stage_config();
    config.max_playing = places;
    config.steal_frames = fade;
    return stage_open(&config);
}

static rcore_voice_t play(stage_t *stage, const rcore_buffer_t *buffer, uint32_t priority, uint64_t when) {
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.priority = priority;
    return stage_start(stage, &params, when);
}

TEST(the_oldest_of_the_lowest_priority_leaves) {
    stage_t stage = open_small();
    rcore_buffer_t *buffer = constant_buffer(10000, 0.125f);
    const rcore_voice_t high = play(&stage, buffer, 9, 0);
    const rcore_voice_t low[] = {play(&stage, buffer, 2, 1), play(&stage, buffer, 2, 2), play(&stage, buffer, 3, 3)};
    stage_render(&stage, 100, 64);
    const rcore_voice_t fresh = play(&stage, buffer, 2, 150); // an equal priority is sufficient
    stage_render(&stage, 400, 64);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, low[0]), RCORE_END_STOLEN);
    EXPECT_EQUAL(rcore_voice_state(stage.core, low[0]), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_state(stage.core, low[1]), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_state(stage.core, low[2]), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_state(stage.core, high), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_state(stage.core, fresh), RCORE_VOICE_PLAYING);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, fresh), RCORE_END_NONE);
    // At its frame the new voice is audible at once, and the old one starts to fade: from 5/4 of
    // the level of four voices down to four.
    EXPECT_EQUAL(first_other(stage.out[0], 3, 150, 0.5f), -1);
    EXPECT_NEAR(stage.out[0][150], 0.5f + 0.125f * (1.0f - 1.0f / fade), 1e-6);
    EXPECT_NEAR(stage.out[0][150 + fade - 1], 0.5f, 1e-6);
    EXPECT_EQUAL(first_other(stage.out[0], 150 + fade, 500, 0.5f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).stolen_voices, 1);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

TEST(lower_priorities_are_refused) {
    stage_t stage = open_small();
    rcore_buffer_t *buffer = constant_buffer(10000, 0.125f);
    for (unsigned i = 0; i < places; i++) {
        play(&stage, buffer, 5, 0);
    }
    const rcore_voice_t late = play(&stage, buffer, 4, 10);
    stage_render(&stage, 100, 64);
    EXPECT_EQUAL(rcore_voice_state(stage.core, late), RCORE_VOICE_ENDED);
    EXPECT_EQUAL(rcore_voice_end_reason(stage.core, late), RCORE_END_REFUSED);
    EXPECT_EQUAL(rcore_voice_frames(stage.core, late), 0);
    EXPECT_EQUAL(rcore_voice_release(stage.core, late), RCORE_OK);
    EXPECT_EQUAL(first_other(stage.out[0], 0, 100, 0.5f), -1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).refused_voices, 1);
    EXPECT_EQUAL(rcore_read_counters(stage.core).stolen_voices, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// Voices that end, stop or fade out release their slot at once.
TEST(places_come_back) {
    stage_t stage = open_small();
    rcore_buffer_t *buffer = constant_buffer(100000, 0.125f), *brief = constant_buffer(10, 0.125f);
    rcore_voice_t voices[places];
    for (unsigned turn = 0; turn < 6; turn++) {
        for (unsigned i = 0; i < places; i++) {
            voices[i] = play(&stage, i == 0 ? brief : buffer, 0, RCORE_NOW);
        }
        stage_render(&stage, 64, 64); // the first one has ended
        EXPECT_EQUAL(rcore_post_stop(stage.queue, voices[1], 1000, RCORE_NOW), RCORE_OK);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, voices[2], 0, RCORE_NOW), RCORE_OK);
        const rcore_voice_t more[] = {play(&stage, buffer, 0, RCORE_NOW), play(&stage, buffer, 0, RCORE_NOW),
                                      play(&stage, buffer, 0, RCORE_NOW)};
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(rcore_read_counters(stage.core).stolen_voices, 0);
        EXPECT_EQUAL(rcore_voice_state(stage.core, voices[3]), RCORE_VOICE_PLAYING);
        EXPECT_EQUAL(rcore_post_stop(stage.queue, voices[3], 5, RCORE_NOW), RCORE_OK);
        for (unsigned i = 0; i < 3; i++) {
            EXPECT_EQUAL(rcore_post_stop(stage.queue, more[i], 5, RCORE_NOW), RCORE_OK);
        }
        stage_render(&stage, 2000, 64);
        for (unsigned i = 0; i < places; i++) {
            EXPECT_EQUAL(rcore_voice_release(stage.core, voices[i]), RCORE_OK);
        }
        for (unsigned i = 0; i < 3; i++) {
            EXPECT_EQUAL(rcore_voice_release(stage.core, more[i]), RCORE_OK);
        }
    }
    EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
    rcore_buffer_release(brief);
}

/// A chord steals the slots of a whole chord, at one frame, without a click. Paused voices are
/// stolen silently.
TEST(a_chord_steals_a_chord) {
    stage_t stage = open_small();
    rcore_buffer_t *sine = sine_buffer(20000, 220, 0.1f);
    for (unsigned i = 0; i < places; i++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = sine;
        params.paused = i == 0;
        stage_start(&stage, &params, 0);
    }
    stage_render(&stage, 1000, 64);
    EXPECT_EQUAL(rcore_transaction_begin(stage.queue), RCORE_OK);
    for (unsigned i = 0; i < places; i++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = sine;
        params.fade_in_frames = fade;
        stage_start(&stage, &params, 1500);
    }
    EXPECT_EQUAL(rcore_transaction_commit(stage.queue), RCORE_OK);
    stage_render(&stage, 2000, 64);
    EXPECT_EQUAL(rcore_read_counters(stage.core).stolen_voices, places);
    EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, places);
    const float smooth = 8 * (0.1f * 2.0f * 3.1416f * 220 / 48000 + 0.1f / fade);
    EXPECT_EQUAL(find_click(stage.out[0], 1, stage.nframes, smooth), -1);
    stage_close(&stage);
    rcore_buffer_release(sine);
}

/// A stolen one-shot voice is freed automatically.
TEST(one_shots_give_themselves_back) {
    stage_t stage = open_small();
    rcore_buffer_t *buffer = constant_buffer(50, 0.125f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.one_shot = true;
    rcore_voice_t voice = 0;
    for (unsigned turn = 0; turn < 500; turn++) {
        voice = stage_start(&stage, &params, RCORE_NOW);
        EXPECT(voice != 0);
        if (turn % 3 == 0) {
            EXPECT_EQUAL(rcore_post_stop(stage.queue, voice, turn % 2 * 20, RCORE_NOW), RCORE_OK);
        }
        stage_render(&stage, 10, 10);
    }
    stage_render(&stage, 200, 64);
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_FREE);
    EXPECT_EQUAL(rcore_voice_release(stage.core, voice), RCORE_STALE);
    EXPECT_EQUAL(rcore_read_counters(stage.core).playing_voices, 0);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(the_oldest_of_the_lowest_priority_leaves);
    RUN(lower_priorities_are_refused);
    RUN(places_come_back);
    RUN(a_chord_steals_a_chord);
    RUN(one_shots_give_themselves_back);
    return test_result();
}
