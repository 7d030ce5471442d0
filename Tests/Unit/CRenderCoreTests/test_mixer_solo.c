// Mute and solo: every state of small trees compared with the specification, and tables written by
// hand.
#include "expect.h"
#include "mixer_stage.h"

enum { states = 1 << 10, frames = 3 };

/// A tree of five mono buses, with a distinct constant on each.
struct tree {
    const char *name;
    uint32_t parents[5];
    struct {
        uint32_t source, target;
        bool pre_fader;
    } sends[2];
    uint32_t send_count;
    /// Number of routes to which bus 0 is connected: 1 or 2.
    uint32_t connections;
};

static const struct tree trees[] = {
    {.name = "nested", .parents = {RCORE_NONE, 0, 1, 1, 0}, .connections = 1},
    {.name = "a chain on two routes", .parents = {RCORE_NONE, 0, 1, 2, 3}, .connections = 2},
    {.name = "sends to a return",
     .parents = {RCORE_NONE, 0, 0, 1, 0},
     .sends = {{1, 4, false}, {2, 4, true}},
     .send_count = 2,
     .connections = 1},
    {.name = "a send from a child, pre-fader, and one from the return on",
     .parents = {RCORE_NONE, 0, 1, 0, 0},
     .sends = {{2, 3, true}, {3, 4, false}},
     .send_count = 2,
     .connections = 1},
    {.name = "two trees", .parents = {RCORE_NONE, 0, 0, RCORE_NONE, 3}, .connections = 1},
};

static const float values[] = {1.0f, 1.0f / 8, 1.0f / 64, 1.0f / 512, 1.0f / 4096};

static struct mixer mixer_of(const struct tree *tree, unsigned safe) {
    struct mixer mixer = {.bus_count = 5, .send_count = tree->send_count, .route_count = 2, .voice_count = 5};
    for (uint32_t i = 0; i < 5; i++) {
        mixer.buses[i] = (struct mixer_bus){.slot = 4 - i,
                                            .channels = 1,
                                            .parent = tree->parents[i],
                                            .gain = i == 1 ? 0.5f : 1.0f,
                                            .gated = i == 3 && tree->parents[i] == RCORE_NONE,
                                            .safe = (safe >> i & 1) != 0};
        mixer.voices[i] =
            (struct mixer_voice){.bus = i, .channels = 1, .gain = 1.0f, .nframes = 1, .planes = {&values[i]}};
        for (uint32_t route = 0; tree->parents[i] == RCORE_NONE && route < tree->connections; route++) {
            mixer.connections[mixer.connection_count++] = (struct mixer_connection){.bus = i, .route = route};
        }
    }
    for (uint32_t i = 0; i < tree->send_count; i++) {
        mixer.sends[i] = (struct mixer_send){.slot = i,
                                             .source = tree->sends[i].source,
                                             .target = tree->sends[i].target,
                                             .pre_fader = tree->sends[i].pre_fader,
                                             .level = 1.0f};
    }
    mixer.routes[0] = mixer.routes[1] = (struct mixer_route){.channels = 1};
    mixer.routes[1].slot = 1;
    return mixer;
}

/// Plays the constants endlessly.
static void play_constants(struct mixer_stage *stage, const struct mixer *mixer) {
    for (uint32_t i = 0; i < 5; i++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[i] = rcore_buffer_create(1, 1, mixer->voices[i].planes, NULL);
        params.bus = mixer->buses[i].slot;
        params.loop_count = UINT64_MAX;
        EXPECT_EQUAL(rcore_post_start(stage->queue, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    }
}

static void report(const struct tree *tree, const struct mixer *mixer, double found, double expected) {
    fprintf(stderr, "%s:", tree->name);
    for (uint32_t i = 0; i < 5; i++) {
        const struct mixer_bus *bus = &mixer->buses[i];
        fprintf(stderr, " %u%s%s%s", (unsigned)i, bus->muted ? " muted" : "", bus->soloed ? " soloed" : "",
                bus->safe ? " safe" : "");
    }
    fprintf(stderr, ": %.9g, expected %.9g\n", found, expected);
}

/// Steps through all states, one change at a time. Returns the number of wrong states.
static unsigned wrong_states(const struct tree *tree, unsigned safe) {
    struct mixer mixer = mixer_of(tree, safe);
    struct mixer_stage *stage = mixer_stage_open(NULL, (uint64_t)states * frames);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, &mixer), RCORE_NOW), RCORE_OK);
    mixer_settings(stage, &mixer);
    play_constants(stage, &mixer);
    unsigned wrong = 0;
    for (unsigned state = 0; state < states; state++) {
        if (state > 0) { // the next state of a Gray code
            const unsigned bit = (unsigned)__builtin_ctz(state);
            struct mixer_bus *bus = &mixer.buses[bit % 5];
            rcore_status_t status;
            if (bit < 5) {
                bus->muted = !bus->muted;
                status = rcore_post_bus_mute(stage->queue, bus->slot, bus->muted, 0, RCORE_NOW);
            } else {
                bus->soloed = !bus->soloed;
                status = rcore_post_bus_solo(stage->queue, bus->slot, bus->soloed, 0, RCORE_NOW);
            }
            EXPECT_EQUAL(status, RCORE_OK);
        }
        double expected[2 * mixer_channels];
        mixer_model_render(&mixer, 1, false, expected);
        mixer_stage_render(stage, frames, frames);
        for (unsigned i = 0; i < 2 * frames; i++) {
            const unsigned route = i / frames;
            const double found = (double)stage->out[route * mixer_channels][state * frames + i % frames];
            const double right = expected[route * mixer_channels];
            if (found != right) { // powers of two: exact, from the first frame on
                if (wrong == 0) {
                    report(tree, &mixer, found, right);
                }
                wrong += 1;
            }
        }
    }
    mixer_stage_close(stage);
    return wrong;
}

TEST(every_state_of_small_trees) {
    for (unsigned i = 0; i < sizeof trees / sizeof trees[0]; i++) {
        unsigned wrong = 0;
        for (unsigned safe = 0; safe < 32; safe++) {
            wrong += wrong_states(&trees[i], safe);
        }
        EXPECT_EQUAL(wrong, 0);
    }
}

// ---- Hand-written table -------------------------------------------------------------------------

/// The audible buses for each state of this tree, counting only the voices on each bus:
///
///     master ← drums ← snare, vocals, reverb; vocals have a pre-fader send to the reverb, drums a
///     post-fader one
struct row {
    /// The state of master, drums, snare, vocals and reverb: M muted, S soloed, B both, s
    /// solo-safe, - none.
    const char *state;
    /// Bit masks of the buses heard directly, and of those heard through the reverb.
    unsigned dry, wet;
};

enum { master = 1, drums = 2, snare = 4, vocals = 8, reverb = 16, all = 31 };

static const struct row table[] = {
    {"-----", all, drums | snare | vocals},
    {"M----", 0, 0},
    {"-M---", master | vocals | reverb, vocals},
    {"--M--", master | drums | vocals | reverb, drums | vocals},
    {"---M-", master | drums | snare | reverb, drums | snare},
    {"----M", master | drums | snare | vocals, 0},
    {"S----", all, drums | snare | vocals}, // all buses feed the master
    {"-S---", drums | snare, 0},            // the reverb is not solo-safe
    // The reverb is solo-safe; the sends of the other buses are silent.
    {"-S--s", drums | snare | reverb, drums | snare},
    // The drums bus passes the snare, without its own voices.
    {"--S-s", snare | reverb, snare},
    {"---Ss", vocals | reverb, vocals},
    {"----S", reverb, 0},
    {"-B--s", reverb, 0}, // the mute remains, and the others stay silent
    {"MS---", 0, 0},
    {"-MS-s", reverb, 0}, // its path is muted
    {"-S-S-", drums | snare | vocals, 0},
    {"--sS-", snare | vocals, 0}, // the same with a solo-safe bus
    // Solo-safe has no effect while no bus is soloed.
    {"--s--", all, drums | snare | vocals},
};

static double sum_of(const struct row *row) {
    double sum = 0.0;
    for (uint32_t i = 0; i < 5; i++) {
        const double times = (row->dry >> i & 1 ? 1.0 : 0.0) + (row->wet >> i & 1 ? 1.0 : 0.0);
        sum += (double)values[i] * times;
    }
    return sum;
}

TEST(a_table_by_hand) {
    const struct tree tree = {.name = "by hand",
                              .parents = {RCORE_NONE, 0, 1, 0, 0},
                              .sends = {{3, 4, true}, {1, 4, false}},
                              .send_count = 2,
                              .connections = 1};
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct row *row = &table[i];
        struct mixer mixer = mixer_of(&tree, 0);
        mixer.buses[1].gain = 1.0f;
        for (uint32_t bus = 0; bus < 5; bus++) {
            const char state = row->state[bus];
            mixer.buses[bus].muted = state == 'M' || state == 'B';
            mixer.buses[bus].soloed = state == 'S' || state == 'B';
            mixer.buses[bus].safe = state == 's';
        }
        struct mixer_stage *stage = mixer_stage_open(NULL, 10);
        EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, &mixer), RCORE_NOW), RCORE_OK);
        mixer_settings(stage, &mixer);
        play_constants(stage, &mixer);
        mixer_stage_render(stage, 10, 10);
        const double found = (double)stage->out[0][9], expected = sum_of(row);
        double said[2 * mixer_channels];
        mixer_model_render(&mixer, 1, false, said);
        if (found != expected) {
            report(&tree, &mixer, found, expected);
        }
        EXPECT_NEAR(found, expected, 0);
        // The table also verifies the model.
        EXPECT_NEAR(said[0], expected, 0);
        mixer_stage_close(stage);
    }
}

// ---- Ramps --------------------------------------------------------------------------------------

/// Mute and solo ramp from their frame on. A mute's ramp is linear, and the bus gain is not
/// changed.
TEST(mute_and_solo_are_ramps) {
    struct mixer mixer = mixer_of(&trees[0], 0);
    struct mixer_stage *stage = mixer_stage_open(NULL, 2000);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, &mixer), RCORE_NOW), RCORE_OK);
    mixer_settings(stage, &mixer);
    mixer.voice_count = 0;
    static const float *planes[] = {&values[0]};
    stage->buffers[0] = rcore_buffer_create(1, 1, planes, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = stage->buffers[0];
    params.bus = mixer.buses[4].slot;
    params.loop_count = UINT64_MAX;
    EXPECT_EQUAL(rcore_post_start(stage->queue, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(stage->queue, mixer.buses[4].slot, true, 100, 200), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage->queue, mixer.buses[4].slot, 0.5f, 0, 400), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(stage->queue, mixer.buses[4].slot, false, 100, 500), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(stage->queue, mixer.buses[3].slot, true, 200, 800), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(stage->queue, mixer.buses[3].slot, false, 50, 1200), RCORE_OK);
    mixer_stage_render(stage, 2000, STAGE_CHANGING_PERIODS);
    double worst = 0.0;
    for (unsigned i = 0; i < 2000; i++) {
        double expected = i < 200 ? 1.0 : i < 300 ? 1.0 - (i - 199) / 100.0 : 0.0;
        expected = i >= 500 ? 0.5 * fmin(1.0, (i - 499) / 100.0) : expected;
        worst = i < 800 ? fmax(worst, fabs((double)stage->out[0][i] - expected)) : worst;
    }
    EXPECT_NEAR(worst, 0, 1e-6);
    // The shape of a solo's ramp is unspecified, its ends are exact.
    EXPECT_EQUAL(first_other(stage->out[0], 999, 1200, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage->out[0], 1249, 2000, 0.5f), -1);
    for (unsigned i = 800; i < 1250; i++) {
        const float step = stage->out[0][i] - stage->out[0][i - 1];
        EXPECT(i < 1000 ? step <= 0.0f : step >= 0.0f);
        EXPECT(fabsf(step) < 0.5f * 2.0f / 50);
    }
    EXPECT(stage->out[0][800] < 0.5f && stage->out[0][1200] > 0.0f);
    mixer_stage_close(stage);
}

int main(void) {
    RUN(a_table_by_hand);
    RUN(every_state_of_small_trees);
    RUN(mute_and_solo_are_ramps);
    return test_result();
}
