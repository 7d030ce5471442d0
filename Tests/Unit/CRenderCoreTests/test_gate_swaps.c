// A plan that changes nothing but a gate's page: the slot's state goes on, whichever page its next word comes from.
#include "expect.h"
#include "stage.h"

#include <string.h>

enum { frames = 12000, swap_at = 1777 };

/// Where the gate stands when its page changes.
static const sgate_verdict_t moments[] = {
    {.input_granted = true, .ramp_ms = 20},        // full level
    {.attenuation = 14 * 256, .ramp_ms = 50},      // a duck's ramp
    {.attenuation = 14 * 256, .ramp_ms = 1},       // ducked
    {.paused = true, .ramp_ms = 50},               // a pause's fade
    {.paused = true, .ramp_ms = 1},                // frozen
    {.muted = true, .ramp_ms = 50, .serial = 123}, // a mute's fade
};
enum { moment_count = sizeof moments / sizeof moments[0] };

static sgate_page_t *page_like(const sgate_page_t *page) {
    sgate_page_t *copy = sgate_page_create();
    sgate_page_set_verdict(copy, sgate_page_verdict(page));
    sgate_page_set_volume(copy, sgate_page_volume(page));
    return copy;
}

/// Writes what would silence everything at once.
static void spoil(sgate_page_t *page) {
    sgate_page_set_verdict(page, (sgate_verdict_t){.paused = true, .muted = true, .serial = 9999});
    sgate_page_set_volume(page, (sgate_volume_t){.gain = 0});
}

/// Events of a core, and those of them that tell a verdict.
static unsigned count_events(rcore_t *core, unsigned *plans) {
    rcore_event_t event;
    unsigned verdicts = 0;
    while (rcore_next_event(core, &event)) {
        verdicts += event.kind == RCORE_EVENT_GATE_APPLIED || event.kind == RCORE_EVENT_GATE_SETTLED;
        *plans += event.kind == RCORE_EVENT_PLAN_APPLIED;
    }
    return verdicts;
}

/// What a scene leaves besides its samples.
typedef struct traces {
    uint64_t voice_frames;
    unsigned verdicts, plans;
} traces_t;

/// A sine through one of the moments; `swaps` pages one after the other in its middle, the old ones spoiled; then full level again.
static traces_t play_scene(stage_t *stage, const rcore_buffer_t *sine, sgate_verdict_t moment, uint32_t period,
                           unsigned swaps) {
    traces_t traces = {0};
    const rcore_voice_t voice = stage_play(stage, sine, RCORE_NOW);
    stage_render(stage, 1000, period);
    sgate_page_set_verdict(stage->gate, moment);
    sgate_page_set_volume(stage->gate, (sgate_volume_t){.gain = 0.75f, .ramp_ms = 60});
    stage_render(stage, swap_at - 1000, period);
    for (unsigned i = 0; i < swaps; i++) {
        sgate_page_t *old = stage->gate;
        stage->gate = page_like(old);
        EXPECT_EQUAL(rcore_post_plan(stage->port, stage_plan(stage->gate), RCORE_NOW), RCORE_OK);
        stage_render(stage, 7, 7);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1); // at once: no cross-fade holds the old one
        spoil(old);
        stage_render(stage, 7, 7);
        sgate_page_destroy(old); // from here on the address sanitizer watches
    }
    if (swaps == 0) {
        for (unsigned i = 0; i < 20; i++) {
            stage_render(stage, 7, 7);
        }
    }
    stage_render(stage, 6000 - stage->nframes, period);
    sgate_page_set_verdict(stage->gate, (sgate_verdict_t){.ramp_ms = 30, .serial = 77});
    stage_render(stage, frames - 6000, period);
    traces.voice_frames = rcore_voice_frames(stage->core, voice);
    traces.verdicts = count_events(stage->core, &traces.plans);
    return traces;
}

/// The same words in another page: the same bits, the same frames of the sources, nothing told (keeps SRV-3).
TEST(the_same_words_change_not_one_bit) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    const uint32_t periods[] = {64, 1024, STAGE_CHANGING_PERIODS};
    for (unsigned p = 0; p < 3; p++) {
        for (unsigned m = 0; m < moment_count; m++) {
            stage_t still = stage_open(NULL), swapped = stage_open(NULL);
            const traces_t expected = play_scene(&still, sine, moments[m], periods[p], 0);
            const traces_t traces = play_scene(&swapped, sine, moments[m], periods[p], 10);
            EXPECT_EQUAL(swapped.nframes, still.nframes);
            for (unsigned channel = 0; channel < STAGE_CHANNELS; channel++) {
                EXPECT(memcmp(still.out[channel], swapped.out[channel], sizeof(float) * frames) == 0);
            }
            EXPECT_EQUAL(traces.voice_frames, expected.voice_frames);
            EXPECT_EQUAL(traces.verdicts, expected.verdicts);
            EXPECT_EQUAL(traces.plans, expected.plans + 10);
            EXPECT(largest_step(still.out[0], frames - 1000, frames) > 0.01f); // it is heard again
            stage_close(&still);
            stage_close(&swapped);
        }
    }
    rcore_buffer_release(sine);
}

/// Other words in the new page, or written in the old one: the same bits (keeps INT-8, DUCK-5).
TEST(other_words_ramp_as_in_the_old_page) {
    rcore_buffer_t *sine = sine_buffer(48000, 440, 0.5f);
    for (unsigned from = 0; from < moment_count; from++) {
        for (unsigned to = 0; to < moment_count; to++) {
            stage_t written = stage_open(NULL), swapped = stage_open(NULL);
            stage_t *stages[] = {&written, &swapped};
            sgate_verdict_t verdict = moments[to];
            verdict.serial = 1000;
            for (unsigned s = 0; s < 2; s++) {
                stage_t *stage = stages[s];
                stage_play(stage, sine, RCORE_NOW);
                stage_render(stage, 1000, 64);
                sgate_page_set_verdict(stage->gate, moments[from]);
                stage_render(stage, swap_at - 1000, 64);
                sgate_page_t *old = stage->gate;
                if (s == 1) {
                    stage->gate = page_like(old);
                    EXPECT_EQUAL(rcore_post_plan(stage->port, stage_plan(stage->gate), RCORE_NOW), RCORE_OK);
                }
                sgate_page_set_verdict(stage->gate, verdict);
                sgate_page_set_volume(stage->gate, (sgate_volume_t){.gain = 0.5f, .ramp_ms = 20});
                stage_render(stage, 64, 64);
                if (s == 1) {
                    spoil(old);
                    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
                    sgate_page_destroy(old);
                }
                stage_render(stage, frames - swap_at, 64);
            }
            EXPECT(memcmp(written.out[0], swapped.out[0], sizeof(float) * frames) == 0);
            EXPECT_NEAR(rcore_bus_gate_gain(swapped.core, 0), rcore_bus_gate_gain(written.core, 0), 0);
            EXPECT_EQUAL(find_click(swapped.out[0], 1500, frames, 0.04f), -1);
            stage_close(&written);
            stage_close(&swapped);
        }
    }
    rcore_buffer_release(sine);
}

/// A page that comes with a changed map, or in the midst of that cross-fade: the old page is read no more, though its plan is still heard.
TEST(a_cross_fade_reads_the_new_page_only) {
    rcore_buffer_t *buffer = constant_buffer(9000, 0.5f);
    const float gains[] = {0.5f, 0, 0, 0.5f};
    rcore_matrix_t *half = rcore_matrix_create(2, 2, gains, NULL);
    for (unsigned late = 0; late < 2; late++) {
        stage_t stage = stage_open(NULL);
        stage_play(&stage, buffer, RCORE_NOW);
        stage_render(&stage, 960, 64);
        sgate_page_t *old = stage.gate;
        for (unsigned i = 0; i <= late; i++) { // late: first the map, then the page
            stage.gate = i == late ? page_like(old) : old;
            rcore_plan_t *plan = rcore_plan_create();
            const rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE, .gate = stage.gate};
            const rcore_route_description_t route = {.slot = 0, .channels = 2};
            const rcore_input_description_t input = {.slot = 0, .channels = 1, .gate = stage.gate};
            EXPECT_EQUAL(rcore_plan_add_input(plan, &input), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
            EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, half), RCORE_OK);
            EXPECT_EQUAL(rcore_post_plan(stage.port, plan, RCORE_NOW), RCORE_OK);
            stage_render(&stage, 64, 64);
        }
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 2 + late); // the fade goes on
        spoil(old);
        stage_render(&stage, 976, 64);
        for (unsigned i = 0; i < 240; i++) {
            EXPECT_NEAR(stage.out[0][960 + i], 0.5 - 0.25 * (i + 1) / 240, 1e-6);
        }
        EXPECT_EQUAL(first_other(stage.out[0], 1200, 2000, 0.25f), -1);
        EXPECT_EQUAL(rcore_collect_plans(stage.core), 1);
        sgate_page_destroy(old);
        sgate_page_set_verdict(stage.gate, (sgate_verdict_t){.muted = true}); // and the new one is obeyed
        stage_render(&stage, 64, 64);
        EXPECT_EQUAL(first_other(stage.out[0], stage.nframes - 64, stage.nframes, 0.0f), -1);
        stage_close(&stage);
    }
    rcore_matrix_destroy(half);
    rcore_buffer_release(buffer);
}

/// A thousand pages: none is kept, and no plan.
TEST(no_page_and_no_plan_is_kept) {
    rcore_buffer_t *ramp = ramp_buffer(90000);
    stage_t stage = stage_open(NULL);
    stage_play(&stage, ramp, RCORE_NOW);
    for (unsigned i = 0; i < 1000; i++) {
        sgate_page_t *old = stage.gate;
        stage.gate = page_like(old);
        EXPECT_EQUAL(rcore_post_plan(stage.port, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
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
