// Signal detection: whether the sources of a session deliver signal to its bus.
#include "expect.h"
#include "mixer_effect.h"
#include "stage.h"

/// RCORE_SIGNAL_HOLD_MS at STAGE_RATE.
enum { hold = RCORE_SIGNAL_HOLD_MS * (int)STAGE_RATE / 1000, period = 64 };

/// Opens a stage whose plan is in effect, and takes the work of that.
static stage_t open_steady_stage(void) {
    stage_t stage = stage_open(NULL);
    stage_render(&stage, 10 * period, period);
    (void)rcore_collect_plans(stage.core);
    (void)rcore_try_wait(stage.core);
    return stage;
}

/// Renders until the signal of bus 0 is `expected`, at most `limit` frames. Returns the frames.
static uint64_t render_until(stage_t *stage, bool expected, uint64_t limit) {
    const uint64_t start = stage->nframes;
    while (rcore_bus_has_signal(stage->core, 0) != expected && stage->nframes - start < limit) {
        stage_render(stage, period, period);
    }
    return stage->nframes - start;
}

static uint64_t whole_periods(uint64_t nframes) { return (nframes + period - 1) / period * period; }

/// Signal begins with the first block of a voice, and ends with the first cycle after the hold.
/// Both are work, once. A steady signal, and steady silence, make none.
TEST(signal_begins_at_once_and_ends_after_the_hold) {
    stage_t stage = open_steady_stage();
    rcore_buffer_t *buffer = constant_buffer(STAGE_RATE, 1.0f);
    EXPECT(!rcore_bus_has_signal(stage.core, 0));
    const uint64_t start = stage.nframes;
    const rcore_voice_t voice = stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    EXPECT(rcore_try_wait(stage.core));
    stage_render(&stage, 2 * hold, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0) && !rcore_try_wait(stage.core));
    stage_render(&stage, start + STAGE_RATE - stage.nframes, period); // the buffer's last frame
    EXPECT_EQUAL(rcore_voice_state(stage.core, voice), RCORE_VOICE_ENDED);
    EXPECT(rcore_bus_has_signal(stage.core, 0) && rcore_try_wait(stage.core));
    // The hold counts from the start of the last block.
    EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
    EXPECT(rcore_try_wait(stage.core));
    stage_render(&stage, 2 * hold, period);
    EXPECT(!rcore_try_wait(stage.core));
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A one-shot that is shorter than a block counts, also on a bus that feeds the session's bus. Gaps
/// that are shorter than the hold do not end the signal.
TEST(one_shots_below_the_session_bus_count) {
    stage_t stage = open_steady_stage();
    rcore_buffer_t *buffer = constant_buffer(8, 0.5f);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = buffer;
    params.bus = 2; // feeds bus 1, which feeds bus 0
    params.one_shot = true;
    for (unsigned turn = 0; turn < 3; turn++) {
        (void)stage_start(&stage, &params, RCORE_NOW);
        stage_render(&stage, period, period);
        EXPECT(rcore_bus_has_signal(stage.core, 0));
        EXPECT(!rcore_bus_has_signal(stage.core, 2));
        EXPECT_EQUAL(rcore_try_wait(stage.core), true); // the start, or the end of a voice
        stage_render(&stage, hold - 2 * period, period);
        EXPECT(rcore_bus_has_signal(stage.core, 0));
    }
    EXPECT(render_until(&stage, false, STAGE_RATE) <= 2 * period);
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

/// A voice that renders silence plays; one that waits for its start, is paused, or belongs to a
/// suspended session does not.
TEST(a_voice_counts_while_it_advances) {
    stage_t stage = open_steady_stage();
    rcore_buffer_t *silence = constant_buffer(10 * STAGE_RATE, 0.0f);
    const rcore_voice_t voice = stage_play(&stage, silence, stage.nframes + 10 * period);
    stage_render(&stage, 10 * period, period);
    EXPECT(!rcore_bus_has_signal(stage.core, 0));
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    EXPECT_EQUAL(rcore_post_pause(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
    EXPECT_EQUAL(rcore_post_resume(stage.queue, voice, 0, RCORE_NOW), RCORE_OK);
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    stage_grant(&stage, (sgate_grant_t){.paused = true});
    EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
    // A muted session's sources continue.
    stage_grant(&stage, (sgate_grant_t){.muted = true});
    stage_render(&stage, 2 * hold, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    stage_close(&stage);
    rcore_buffer_release(silence);
}

/// Signal does not depend on how the time is divided into periods, beyond the length of one.
TEST(every_period_gives_the_same_signal) {
    static const uint32_t periods[] = {1, 16, 480, 4096, 8192};
    for (unsigned i = 0; i < sizeof periods / sizeof *periods; i++) {
        stage_t stage = open_steady_stage();
        rcore_buffer_t *buffer = constant_buffer(100, 1.0f);
        (void)stage_play(&stage, buffer, RCORE_NOW);
        const uint64_t start = stage.nframes;
        stage_render(&stage, periods[i], periods[i]);
        EXPECT(rcore_bus_has_signal(stage.core, 0));
        while (rcore_bus_has_signal(stage.core, 0) && stage.nframes - start < STAGE_RATE) {
            stage_render(&stage, periods[i], periods[i]);
        }
        EXPECT(stage.nframes - start >= hold);
        EXPECT(stage.nframes - start <= hold + 100 + periods[i]);
        stage_close(&stage);
        rcore_buffer_release(buffer);
    }
}

/// Fills its bus with a constant level, whatever it receives.
struct generator {
    float level;
};

static void generate(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    const struct generator *generator = context;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] = generator->level;
        }
    }
}

/// Posts a plan with bus 0, which has a gate, and bus 1 below it, with an insert on one of them.
static void post_insert(stage_t *stage, uint32_t slot, rcore_insert_t insert) {
    rcore_plan_t *plan = rcore_plan_create();
    for (uint32_t i = 0; i < 2; i++) {
        const rcore_bus_description_t bus = {.slot = i,
                                             .channels = 2,
                                             .parent = i == 0 ? RCORE_NONE : 0,
                                             .gate = i == 0 ? stage->gate : NULL,
                                             .insert = i == slot ? insert : (rcore_insert_t){.render = NULL}};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    }
    const rcore_route_description_t route = {.slot = 0, .channels = 2, .first_output = 0};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    stage_render(stage, 100 * period, period); // the crossfade is over
}

/// An insert runs without pause, so it counts by its samples: on the session's bus and below it.
TEST(an_insert_counts_by_its_samples) {
    for (uint32_t slot = 0; slot < 2; slot++) {
        stage_t stage = open_steady_stage();
        struct generator generator = {.level = 0.0f};
        post_insert(&stage, slot, (rcore_insert_t){.render = generate, .context = &generator});
        stage_render(&stage, 2 * hold, period);
        EXPECT(!rcore_bus_has_signal(stage.core, 0));
        generator.level = RCORE_SIGNAL_THRESHOLD;
        stage_render(&stage, period, period);
        EXPECT(!rcore_bus_has_signal(stage.core, 0));
        generator.level = -2 * RCORE_SIGNAL_THRESHOLD;
        stage_render(&stage, period, period);
        EXPECT(rcore_bus_has_signal(stage.core, 0));
        generator.level = RCORE_SIGNAL_THRESHOLD;
        EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
        stage_close(&stage);
    }
}

/// The tail of an effect counts after the voice has ended; a voice that renders silence counts as
/// it does without an insert.
TEST(a_tail_counts) {
    stage_t stage = open_steady_stage();
    struct mixer_effect echo;
    mixer_effect_open(&echo, 2, STAGE_RATE, 1.0f); // repeats its input after one second
    post_insert(&stage, 1, mixer_effect_insert(&echo));
    rcore_buffer_t *buffer = constant_buffer(period, 1.0f);
    (void)stage_play_on(&stage, buffer, 1, RCORE_NOW);
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
    EXPECT_EQUAL(render_until(&stage, true, 2 * STAGE_RATE), STAGE_RATE - whole_periods(hold - period));
    EXPECT_EQUAL(render_until(&stage, false, STAGE_RATE), whole_periods(hold - period));
    rcore_buffer_t *silence = constant_buffer(STAGE_RATE, 0.0f);
    (void)stage_play_on(&stage, silence, 1, RCORE_NOW);
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    stage_close(&stage);
    mixer_effect_close(&echo);
    rcore_buffer_release(buffer);
    rcore_buffer_release(silence);
}

/// A bus keeps its signal from plan to plan; a removed bus, one without a gate and one that does
/// not exist have none.
TEST(plans_keep_the_signal) {
    stage_t stage = open_steady_stage();
    rcore_buffer_t *buffer = constant_buffer(10 * STAGE_RATE, 1.0f);
    (void)stage_play(&stage, buffer, RCORE_NOW);
    stage_render(&stage, period, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    EXPECT(!rcore_bus_has_signal(stage.core, 8) && !rcore_bus_has_signal(stage.core, RCORE_NONE));
    post_insert(&stage, RCORE_NONE, (rcore_insert_t){.render = NULL});
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    stage_render(&stage, 2 * hold, period);
    EXPECT(rcore_bus_has_signal(stage.core, 0));
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(NULL), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 2 * hold, period);
    EXPECT_EQUAL(rcore_post_plan(stage.queue, rcore_plan_create(), RCORE_NOW), RCORE_OK);
    stage_render(&stage, 2 * hold, period);
    EXPECT(!rcore_bus_has_signal(stage.core, 0));
    EXPECT_EQUAL(rcore_post_plan(stage.queue, stage_plan(stage.gate), RCORE_NOW), RCORE_OK);
    stage_render(&stage, period, period);
    EXPECT(!rcore_bus_has_signal(stage.core, 1));
    stage_close(&stage);
    rcore_buffer_release(buffer);
}

int main(void) {
    RUN(signal_begins_at_once_and_ends_after_the_hold);
    RUN(one_shots_below_the_session_bus_count);
    RUN(a_voice_counts_while_it_advances);
    RUN(every_period_gives_the_same_signal);
    RUN(an_insert_counts_by_its_samples);
    RUN(a_tail_counts);
    RUN(plans_keep_the_signal);
    return test_result();
}
