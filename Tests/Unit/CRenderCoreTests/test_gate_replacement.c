// A plan that changes only the page of a gate: the state of the slot continues, whichever page
// delivers the next grant.
#include "expect.h"
#include "stage.h"

#include <string.h>

enum { frames = 12000, replacement_at = 1777 };

/// The state of the gate when its page changes.
static const sgate_grant_t moments[] = {
    /// Full level.
    {.input_granted = true, .ramp_ms = 20},
    /// During the ramp of a duck.
    {.attenuation = 14 * 256, .ramp_ms = 50},
    /// Ducked.
    {.attenuation = 14 * 256, .ramp_ms = 1},
    /// During the fade of a pause.
    {.paused = true, .ramp_ms = 50},
    /// Suspended.
    {.paused = true, .ramp_ms = 1},
    /// During the fade of a mute.
    {.muted = true, .ramp_ms = 50, .serial = 123},
};
enum { moment_count = sizeof moments / sizeof moments[0] };

static sgate_page_t *page_like(const sgate_page_t *page) {
    sgate_page_t *copy = sgate_page_create();
    sgate_page_set_grant(copy, sgate_page_grant(page));
    sgate_page_set_volume(copy, sgate_page_volume(page));
    return copy;
}

/// Writes a grant and a volume that would silence everything at once.
static void silence(sgate_page_t *page) {
    sgate_page_set_grant(page, (sgate_grant_t){.paused = true, .muted = true, .serial = 9999});
    sgate_page_set_volume(page, (sgate_volume_t){.gain = 0});
}

/// Counts the core's events that report a grant; adds the plans applied to `plans`.
static unsigned count_events(rcore_t *core, unsigned *plans) {
    rcore_event_t event;
    unsigned grants = 0;
    while (rcore_next_event(core, &event)) {
        grants += event.kind == RCORE_EVENT_GATE_APPLIED || event.kind == RCORE_EVENT_GATE_SETTLED;
        *plans += event.kind == RCORE_EVENT_PLAN_APPLIED;
    }
    return grants;
}

/// The results of a scene other than its samples.
typedef struct traces {
    uint64_t voice_frames;
    unsigned grants, plans;
} traces_t;

/// Plays a sine through one of the states. In the middle, replaces the page `replacements` times
/// and writes a silencing grant to each old page; then returns to full level.
static traces_t play_scene(stage_t *stage, const rcore_buffer_t *sine, sgate_grant_t moment, uint32_t period,
                           unsigned replacements) {
    traces_t traces = {0};
    const rcore_voice_t voice = stage_play(stage, sine, RCORE_NOW);
    stage_render(stage, 1000, period);
    sgate_page_set_grant(stage->gate, moment);
    sgate_page_set_volume(stage->gate, (sgate_volume_t){.gain = 0.75f, .ramp_ms = 60});
    stage_render(stage, replacement_at - 1000, period);
    for (unsigned i = 0; i < replacements; i++) {
        sgate_page_t *old = stage->gate;
        stage->gate = page_like(old);
        EXPECT_EQUAL(rcore_post_plan(stage->queue, stage_plan(stage->gate), RCORE_NOW), RCORE_OK);
        stage_render(stage, 7, 7);
        // At once: no crossfade holds the old plan.
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        silence(old);
        stage_render(stage, 7, 7);
        sgate_page_destroy(old); // from here on, the address sanitizer reports any access
    }
    if (replacements == 0) {
        for (unsigned i = 0; i < 20; i++) {
            stage_render(stage, 7, 7);
        }
    }
    stage_render(stage, 6000 - stage->nframes, period);
    sgate_page_set_grant(stage->gate, (sgate_grant_t){.ramp_ms = 30, .serial = 77});
    stage_render(stage, frames - 6000, period);
    traces.voice_frames = rcore_voice_frames(stage->core, voice);
    traces.grants = count_events(stage->core, &traces.plans);
    return traces;
}

/// The same grant in another page gives the same bits and the same source frames, and reports no
/// event (keeps SRV-3).
TEST(the_same_words_change_not_one_bit) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    const uint32_t periods[] = {64, 1024, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned m = 0; m < moment_count; m++) {
            stage_t still = stage_open(NULL), replaced = stage_open(NULL);
            const traces_t expected = play_scene(&still, sine, moments[m], periods[p], 0);
            const traces_t traces = play_scene(&replaced, sine, moments[m], periods[p], 10);
            EXPECT_EQUAL(replaced.nframes, still.nframes);
            for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
                EXPECT(memcmp(still.out[channel], replaced.out[channel], sizeof(float) * frames) == 0);
            }
            EXPECT_EQUAL(traces.voice_frames, expected.voice_frames);
            EXPECT_EQUAL(traces.grants, expected.grants);
            EXPECT_EQUAL(traces.plans, expected.plans + 10);
            // The sine is audible again.
            EXPECT(largest_step(still.out[0], frames - 1000, frames) > 0.01f);
            stage_close(&still);
            stage_close(&replaced);
        }
    }
    rcore_buffer_release(sine);
}

/// A different grant in the new page, or written to the old one, gives the same bits (keeps INT-8,
/// DUCK-5).
TEST(other_words_ramp_as_in_the_old_page) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    for (unsigned from = 0; from < moment_count; from++) {
        for (unsigned to = 0; to < moment_count; to++) {
            stage_t written = stage_open(NULL), replaced = stage_open(NULL);
            stage_t *stages[] = {&written, &replaced};
            sgate_grant_t grant = moments[to];
            grant.serial = 1000;
            for (unsigned s = 0; s < 2; s++) {
                stage_t *stage = stages[s];
                stage_play(stage, sine, RCORE_NOW);
                stage_render(stage, 1000, 64);
                sgate_page_set_grant(stage->gate, moments[from]);
                stage_render(stage, replacement_at - 1000, 64);
                sgate_page_t *old = stage->gate;
                if (s == 1) {
                    stage->gate = page_like(old);
                    EXPECT_EQUAL(rcore_post_plan(stage->queue, stage_plan(stage->gate), RCORE_NOW), RCORE_OK);
                }
                sgate_page_set_grant(stage->gate, grant);
                sgate_page_set_volume(stage->gate, (sgate_volume_t){.gain = 0.5f, .ramp_ms = 20});
                stage_render(stage, 64, 64);
                if (s == 1) {
                    silence(old);
                    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
                    sgate_page_destroy(old);
                }
                stage_render(stage, frames - replacement_at, 64);
            }
            EXPECT(memcmp(written.out[0], replaced.out[0], sizeof(float) * frames) == 0);
            EXPECT_NEAR(rcore_bus_gate_gain(replaced.core, 0), rcore_bus_gate_gain(written.core, 0), 0);
            EXPECT_EQUAL(find_click(replaced.out[0], 1500, frames, 0.04f), -1);
            stage_close(&written);
            stage_close(&replaced);
        }
    }
    rcore_buffer_release(sine);
}

/// A new page that arrives with a changed matrix, or during that crossfade: the core no longer
/// reads the old page, although its plan is still audible.
TEST(a_cross_fade_reads_the_new_page_only) {
    rcore_buffer_t *buffer = constant_buffer(9000, 0.5f);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    for (unsigned late = 0; late < 2; late++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 960, 64);
        sgate_page_t *old = stage.gate;
        for (unsigned i = 0; i <= late; i++) { // late: first the matrix, then the page
            stage.gate = i == late ? page_like(old) : old;
            rcore_plan_t *plan = rcore_plan_create();
            const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate};
            const rcore_route_description_t route = {.slot = 0, .channels = 2};
            const rcore_input_description_t input = {.slot = 0, .channels = 1, .gate = stage.gate};
            EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, half), RCORE_OK);
            EXPECT_EQUAL(rcore_post_plan(stage.queue, plan, RCORE_NOW), RCORE_OK);
            stage_render(&stage, 64, 64);
        }
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 2 + late); // the crossfade continues
        silence(old);
        stage_render(&stage, 976, 64);
        for (unsigned i = 0; i < 240; i++) {
            EXPECT_NEAR(stage.out[0][960 + i], 0.5 - 0.25 * (i + 1) / 240, 1e-6);
        }
        EXPECT_EQUAL(first_other(stage.out[0], 1200, 2000, 0.25f), -1);
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
        sgate_page_destroy(old);
        // The new page takes effect.
        sgate_page_set_grant(stage.gate, (sgate_grant_t){.muted = true});
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(first_other(stage.out[0], stage.nframes - 64, stage.nframes, 0.0f), -1);
        stage_close(&stage);
    }
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// After a thousand pages, the core holds no old page and no old plan.
TEST(no_page_and_no_plan_is_kept) {
    rcore_buffer_t *ramp = ramp_buffer(90000);
    stage_t stage = stage_open(NULL);
    stage_play(&stage, ramp, RCORE_NOW);
    for (unsigned i = 0; i < 1000; i++) {
        sgate_page_t *old = stage.gate;
        stage.gate = page_like(old);
        EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
        sgate_page_destroy(old);
    }
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < stage.nframes; i++) {
        wrong += stage.out[0][i] != ramp_sample(i);
    }
    EXPECT_EQUAL(wrong, 0);
    stage_close(&stage);
    rcore_buffer_release(ramp);
}

int main(void) {
    RUN(the_same_words_change_not_one_bit);
    RUN(other_words_ramp_as_in_the_old_page);
    RUN(a_cross_fade_reads_the_new_page_only);
    RUN(no_page_and_no_plan_is_kept);
    return test_result();
}
