// Invalid graphs, values and commands: the core refuses them without side effects.
#include "expect.h"
#include "mixer_changes.h"

#include <string.h>

static void nothing(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    (void)context;
    (void)planes;
    (void)channels;
    (void)nframes;
}

static int contexts[4];

static rcore_status_t add_bus(rcore_plan_t *plan, uint32_t slot, uint32_t parent, rcore_insert_t insert) {
    const rcore_bus_description_t bus = {.slot = slot, .channels = 2, .parent = parent, .insert = insert};
    return rcore_plan_add_bus(plan, &bus);
}

static rcore_insert_t delay_of(unsigned context, uint32_t latency) {
    return (rcore_insert_t){.render = nothing, .context = &contexts[context], .latency_frames = latency};
}

static const rcore_insert_t none;

TEST(inserts_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, (rcore_insert_t){.render = nothing}), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, delay_of(0, RCORE_MAX_LATENCY + 1)), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, delay_of(0, UINT32_MAX)), RCORE_BAD_ARGUMENT);
    // The refusal reserved no slot.
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, delay_of(0, RCORE_MAX_LATENCY)), RCORE_OK);
    // The context of another bus.
    EXPECT_EQUAL(add_bus(plan, 1, 0, delay_of(0, 10)), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_bus(plan, 1, 0, delay_of(1, 0)), RCORE_OK);
    rcore_plan_destroy(plan);
}

TEST(laws_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_bus_description_t bus = {.slot = 0, .channels = 2, .parent = RCORE_NONE};
    const int laws[] = {3, -1, 255, 1 << 20};
    for (unsigned i = 0; i < 4; i++) {
        memcpy(&bus.pan_law, &laws[i], sizeof bus.pan_law);
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_BAD_ARGUMENT);
    }
    bus.pan_law = RCORE_PAN_LINEAR;
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &bus), RCORE_OK);
    rcore_plan_destroy(plan);
}

// ---- Sends --------------------------------------------------------------------------------------

static rcore_status_t add_send(rcore_plan_t *plan, uint32_t slot, uint32_t source, uint32_t target) {
    const rcore_send_description_t send = {.slot = slot, .source = source, .target = target};
    return rcore_plan_add_send(plan, &send);
}

TEST(sends_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, none), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, none), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 2, 0, none), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, RCORE_NONE, 1, 2), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_send(plan, 0, 9, 2), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_send(plan, 0, 1, 9), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_send(plan, 0, RCORE_NONE, 2), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_send(plan, 0, 1, RCORE_NONE), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(add_send(plan, 0, 1, 1), RCORE_BAD_ARGUMENT); // to itself
    EXPECT_EQUAL(add_send(plan, 0, 0, 1), RCORE_BAD_ARGUMENT); // to its own child
    EXPECT_EQUAL(add_send(plan, 0, 1, 2), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, 0, 1, 0), RCORE_BAD_ARGUMENT); // slot in use
    // In addition to its connection to the parent.
    EXPECT_EQUAL(add_send(plan, 1, 1, 0), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, 2, 2, 1), RCORE_BAD_ARGUMENT); // cycle
    EXPECT_EQUAL(add_send(plan, 2, 1, 2), RCORE_OK);           // a second send on the same path
    rcore_plan_destroy(plan);
}

TEST(maps_of_sends_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    rcore_matrix_t *map = rcore_matrix_create_standard(1, 2, NULL);
    const rcore_bus_description_t mono = {.slot = 1, .channels = 1, .parent = 0};
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, none), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_add_bus(plan, &mono), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 2, 0, none), RCORE_OK);
    rcore_send_description_t send = {.slot = 0, .source = 2, .target = 1, .matrix = map};
    // Stereo to mono, the matrix is mono to stereo.
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_BAD_ARGUMENT);
    send.target = 0;
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_BAD_ARGUMENT); // stereo to stereo
    send.source = 1;
    send.target = 2;
    EXPECT_EQUAL(rcore_plan_add_send(plan, &send), RCORE_OK);
    rcore_plan_destroy(plan);
    rcore_matrix_destroy(map);
}

TEST(sends_stay_within_a_session) {
    rcore_plan_t *plan = rcore_plan_create();
    sgate_page_t *gates[] = {sgate_page_create(), sgate_page_create()};
    for (uint32_t i = 0; i < 2; i++) { // two sessions: 0 ← 2, and 1 ← 3
        const rcore_bus_description_t top = {.slot = i, .channels = 2, .parent = RCORE_NONE, .gate = gates[i]};
        EXPECT_EQUAL(rcore_plan_add_bus(plan, &top), RCORE_OK);
        EXPECT_EQUAL(add_bus(plan, 2 + i, i, none), RCORE_OK);
    }
    EXPECT_EQUAL(add_bus(plan, 4, RCORE_NONE, none), RCORE_OK); // in no session
    EXPECT_EQUAL(add_bus(plan, 5, 0, none), RCORE_OK);
    const uint32_t pairs[][2] = {{2, 3}, {2, 1}, {3, 2}, {3, 0}, {2, 4}, {4, 2}, {0, 1}, {0, 4}, {4, 1}};
    for (unsigned i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        EXPECT_EQUAL(add_send(plan, 0, pairs[i][0], pairs[i][1]), RCORE_BAD_ARGUMENT);
    }
    EXPECT_EQUAL(add_send(plan, 0, 2, 5), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, 1, 5, 0), RCORE_OK);
    rcore_plan_destroy(plan);
    sgate_page_destroy(gates[0]);
    sgate_page_destroy(gates[1]);
}

/// Random graphs: a send is refused exactly if it would form a cycle.
TEST(cycles_are_found) {
    struct random random = random_seeded(20261205);
    unsigned refused = 0;
    for (unsigned turn = 0; turn < 300; turn++) {
        struct mixer mixer = {.bus_count = mixer_most_buses};
        rcore_plan_t *plan = rcore_plan_create();
        for (uint32_t i = 0; i < mixer.bus_count; i++) {
            mixer.buses[i].parent = i == 0 ? RCORE_NONE : random_once_in(&random, 2) ? 0 : random_below(&random, i);
            EXPECT_EQUAL(add_bus(plan, i, mixer.buses[i].parent, none), RCORE_OK);
        }
        while (mixer.send_count < mixer_most_sends) {
            const uint32_t source = random_below(&random, mixer.bus_count),
                           target = random_below(&random, mixer.bus_count);
            const bool cycle = mixer_feeds(&mixer, target, source);
            EXPECT_EQUAL(add_send(plan, mixer.send_count, source, target), cycle ? RCORE_BAD_ARGUMENT : RCORE_OK);
            refused += cycle;
            if (!cycle) {
                mixer.sends[mixer.send_count++] = (struct mixer_send){.source = source, .target = target};
            }
        }
        rcore_plan_destroy(plan);
    }
    EXPECT(refused > 300);
}

TEST(limiters_are_checked) {
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_limiter_description_t description = {.channels = 2, .sample_rate = STAGE_RATE};
    rcore_limiter_t *limiter = rcore_limiter_create(&description, NULL);
    rcore_route_description_t route = {.slot = 0, .channels = 1, .limiter = limiter};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_BAD_ARGUMENT);
    route.channels = 2;
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    route.slot = 1;
    // The limiter belongs to another route.
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_BAD_ARGUMENT);
    route.limiter = NULL;
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    rcore_plan_destroy(plan);
    rcore_limiter_destroy(limiter);
}

TEST(sizes_are_checked) {
    rcore_config_t config = mixer_config();
    config.max_sends = 4097;
    rcore_status_t status = RCORE_OK;
    EXPECT(rcore_create(&config, &status) == NULL && status == RCORE_BAD_ARGUMENT);
    config = mixer_config();
    config.max_curves = 4097;
    EXPECT(rcore_create(&config, &status) == NULL && status == RCORE_BAD_ARGUMENT);
}

// ---- Posting ------------------------------------------------------------------------------------

/// Plans that are valid on their own, but that a core refuses.
static void post_bad_plans(struct mixer_stage *stage) {
    const uint32_t sends = rcore_configuration(stage->core).max_sends;
    rcore_plan_t *plan = rcore_plan_create(); // a send slot that the core does not have
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, none), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, none), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, sends, 1, 0), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_NO_SLOT);
    rcore_plan_destroy(plan);

    plan = rcore_plan_create(); // two inserts in series
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, delay_of(0, 40000)), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, delay_of(1, RCORE_MAX_LATENCY - 40000 + 1)), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);

    plan = rcore_plan_create(); // two inserts in series through a send
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, none), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, delay_of(0, 40000)), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 2, 0, delay_of(1, 40000)), RCORE_OK);
    EXPECT_EQUAL(add_send(plan, 0, 1, 2), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_BAD_ARGUMENT);
    rcore_plan_destroy(plan);
}

/// Every command of a bus or send with invalid values.
static void post_bad_commands(struct mixer_stage *stage) {
    rcore_queue_t *queue = stage->queue;
    const rcore_config_t config = rcore_configuration(stage->core);
    const float numbers[] = {NAN, INFINITY, -INFINITY};
    const uint32_t slots[] = {config.max_buses, RCORE_NONE, config.max_sends + 1000};
    for (unsigned i = 0; i < 3; i++) {
        EXPECT_EQUAL(rcore_post_bus_gain(queue, 1, numbers[i], 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_bus_pan(queue, 1, numbers[i], 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_send_level(queue, 0, numbers[i], 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_bus_gain(queue, slots[i], 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_bus_pan(queue, slots[i], 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_bus_mute(queue, slots[i], true, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
        EXPECT_EQUAL(rcore_post_bus_solo(queue, slots[i], true, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    }
    EXPECT_EQUAL(rcore_post_bus_pan(queue, 1, 1.001f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_bus_pan(queue, 1, -1.001f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_send_level(queue, config.max_sends, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    EXPECT_EQUAL(rcore_post_send_level(queue, RCORE_NONE, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
}

/// Commands to slots that the core has but no plan uses are accepted, and have no audible effect.
static void post_unheard_commands(struct mixer_stage *stage) {
    EXPECT_EQUAL(rcore_post_bus_mute(stage->queue, 9, true, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(stage->queue, 9, true, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_pan(stage->queue, 9, -1.0f, 0, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_send_level(stage->queue, 9, 0.0f, 0, RCORE_NOW), RCORE_OK);
    // No pan law.
    EXPECT_EQUAL(rcore_post_bus_pan(stage->queue, slot_first, 1.0f, 0, RCORE_NOW), RCORE_OK);
}

enum { length = 3000 };

static struct mixer_stage *play(void (*disturb)(struct mixer_stage *stage)) {
    static float ramp[length];
    for (uint32_t i = 0; i < length; i++) {
        ramp[i] = (float)(i + 1) / 65536.0f;
    }
    const struct mixer mixer = mixer_before();
    struct mixer_stage *stage = mixer_stage_open(NULL, length);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, &mixer), RCORE_NOW), RCORE_OK);
    mixer_play_on_slots(stage, ramp, length);
    for (unsigned turn = 0; turn < 3; turn++) {
        mixer_stage_render(stage, length / 3, 64);
        if (disturb != NULL) {
            disturb(stage);
        }
    }
    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
    return stage;
}

TEST(what_is_refused_changes_nothing) {
    void (*const kinds[])(struct mixer_stage *) = {post_bad_plans, post_bad_commands, post_unheard_commands};
    struct mixer_stage *alone = play(NULL);
    for (unsigned i = 0; i < 3; i++) {
        struct mixer_stage *disturbed = play(kinds[i]);
        for (uint32_t output = 0; output < 2; output++) {
            EXPECT(memcmp(alone->out[output], disturbed->out[output], sizeof(float) * length) == 0);
        }
        mixer_stage_close(disturbed);
    }
    EXPECT(alone->out[0][length - 1] != 0.0f);
    mixer_stage_close(alone);
}

TEST(the_longest_latency_is_taken) {
    struct mixer_stage *stage = mixer_stage_open(NULL, 1);
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, delay_of(0, 40000)), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, delay_of(1, RCORE_MAX_LATENCY - 40000)), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_latency(plan, 1), RCORE_MAX_LATENCY);
    EXPECT_EQUAL(rcore_plan_latency(plan, 0), RCORE_MAX_LATENCY);
    mixer_stage_close(stage);
}

TEST(a_core_without_sends) {
    rcore_config_t config = mixer_config();
    config.max_sends = 0;
    struct mixer_stage *stage = mixer_stage_open(&config, 1);
    EXPECT_EQUAL(rcore_post_send_level(stage->queue, 0, 0.5f, 0, RCORE_NOW), RCORE_BAD_ARGUMENT);
    mixer_stage_close(stage);
}

// ---- Misbehaving inserts ------------------------------------------------------------------------

struct poison {
    uint32_t call;
};

static void render_poison(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct poison *poison = context;
    const uint32_t call = poison->call++;
    for (uint32_t channel = 0; channel < channels && (call == 5 || call == 6); channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            planes[channel][i] = call == 5 ? NAN : INFINITY;
        }
    }
}

/// Non-finite samples get no further than the outputs, and no state retains them.
TEST(what_is_no_number_passes) {
    struct mixer_stage *stage = mixer_stage_open(NULL, 2000);
    struct poison poison = {0};
    rcore_plan_t *plan = rcore_plan_create();
    const rcore_insert_t bad = {.render = render_poison, .context = &poison};
    EXPECT_EQUAL(add_bus(plan, 0, RCORE_NONE, none), RCORE_OK);
    EXPECT_EQUAL(add_bus(plan, 1, 0, bad), RCORE_OK);
    // Bus 1 is delayed to compensate its latency.
    EXPECT_EQUAL(add_bus(plan, 2, 0, delay_of(1, 100)), RCORE_OK);
    const rcore_route_description_t route = {.slot = 0, .channels = 2};
    EXPECT_EQUAL(rcore_plan_add_route(plan, &route), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_connect(plan, 0, 0, NULL), RCORE_OK);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    static float constant[2000];
    for (uint32_t i = 0; i < 2000; i++) {
        constant[i] = 0.25f;
    }
    struct mixer all = {.bus_count = 2, .voice_count = 1, .buses = {{.channels = 2}, {.slot = 1, .channels = 2}}};
    all.voices[0] = (struct mixer_voice){.bus = 1, .channels = 1, .gain = 1.0f, .nframes = 2000, .planes = {constant}};
    mixer_voices(stage, &all);
    mixer_stage_render(stage, 2000, 64);
    uint32_t bad_frames = 0, silent = 0;
    for (uint32_t i = 200; i < 2000; i++) {
        bad_frames += !isfinite(stage->out[0][i]);
        silent += stage->out[0][i] != 0.25f;
    }
    EXPECT_EQUAL(bad_frames, 0);
    EXPECT_EQUAL(silent, 2 * 64); // exactly the corrupted ones
    mixer_stage_close(stage);
}

int main(void) {
    RUN(inserts_are_checked);
    RUN(laws_are_checked);
    RUN(sends_are_checked);
    RUN(maps_of_sends_are_checked);
    RUN(sends_stay_within_a_session);
    RUN(cycles_are_found);
    RUN(limiters_are_checked);
    RUN(sizes_are_checked);
    RUN(what_is_refused_changes_nothing);
    RUN(the_longest_latency_is_taken);
    RUN(a_core_without_sends);
    RUN(what_is_no_number_passes);
    return test_result();
}
