// Mute and solo: every state of small trees against what the text says, and tables written by hand.
#include "desk_stage.h"
#include "expect.h"

enum { states = 1 << 10, frames = 3 };

/// A tree of five mono buses, with a constant on each that names it.
struct tree {
    const char *name;
    uint32_t parents[5];
    struct {
        uint32_t source, target;
        bool pre_fader;
    } sends[2];
    uint32_t send_count;
    uint32_t connections; ///< to routes, of bus 0: 1 or 2
};

static const struct tree trees[] = {
    {.name = "nested", .parents = {RCORE_NONE, 0, 1, 1, 0}, .connections = 1},
    {.name = "a chain on two routes", .parents = {RCORE_NONE, 0, 1, 2, 3}, .connections = 2},
    {.name = "sends to a return",
     .parents = {RCORE_NONE, 0, 0, 1, 0},
     .sends = {{1, 4, false}, {2, 4, true}},
     .send_count = 2,
     .connections = 1},
    {.name = "a send from a child, before the fader, and one from the return on",
     .parents = {RCORE_NONE, 0, 1, 0, 0},
     .sends = {{2, 3, true}, {3, 4, false}},
     .send_count = 2,
     .connections = 1},
    {.name = "two trees", .parents = {RCORE_NONE, 0, 0, RCORE_NONE, 3}, .connections = 1},
};

static const float values[] = {1.0f, 1.0f / 8, 1.0f / 64, 1.0f / 512, 1.0f / 4096};

static struct desk desk_of(const struct tree *tree, unsigned safe) {
    struct desk desk = {.bus_count = 5, .send_count = tree->send_count, .route_count = 2, .voice_count = 5};
    for (uint32_t i = 0; i < 5; i++) {
        desk.buses[i] = (struct desk_bus){.slot = 4 - i,
                                          .channels = 1,
                                          .parent = tree->parents[i],
                                          .gain = i == 1 ? 0.5f : 1.0f,
                                          .gated = i == 3 && tree->parents[i] == RCORE_NONE,
                                          .safe = (safe >> i & 1) != 0};
        desk.voices[i] =
            (struct desk_voice){.bus = i, .channels = 1, .gain = 1.0f, .nframes = 1, .planes = {&values[i]}};
        for (uint32_t route = 0; tree->parents[i] == RCORE_NONE && route < tree->connections; route++) {
            desk.connections[desk.connection_count++] = (struct desk_connection){.bus = i, .route = route};
        }
    }
    for (uint32_t i = 0; i < tree->send_count; i++) {
        desk.sends[i] = (struct desk_send){.slot = i,
                                           .source = tree->sends[i].source,
                                           .target = tree->sends[i].target,
                                           .pre_fader = tree->sends[i].pre_fader,
                                           .level = 1.0f};
    }
    desk.routes[0] = desk.routes[1] = (struct desk_route){.channels = 1};
    desk.routes[1].slot = 1;
    return desk;
}

/// The constants, for ever.
static void play_constants(struct desk_stage *stage, const struct desk *desk) {
    for (uint32_t i = 0; i < 5; i++) {
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[i] = rcore_buffer_create(1, 1, desk->voices[i].planes, NULL);
        params.bus = desk->buses[i].slot;
        params.loop_count = UINT64_MAX;
        EXPECT_EQUAL(rcore_post_start(stage->port, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    }
}

static void report(const struct tree *tree, const struct desk *desk, double found, double expected) {
    fprintf(stderr, "%s:", tree->name);
    for (uint32_t i = 0; i < 5; i++) {
        const struct desk_bus *bus = &desk->buses[i];
        fprintf(stderr, " %u%s%s%s", (unsigned)i, bus->muted ? " muted" : "", bus->soloed ? " soloed" : "",
                bus->safe ? " safe" : "");
    }
    fprintf(stderr, ": %.9g, expected %.9g\n", found, expected);
}

/// Through all states by one change at a time; returns how many were wrong.
static unsigned wrong_states(const struct tree *tree, unsigned safe) {
    struct desk desk = desk_of(tree, safe);
    struct desk_stage *stage = desk_stage_open(NULL, (uint64_t)states * frames);
    EXPECT_EQUAL(rcore_post_plan(stage->port, desk_plan(stage, &desk), RCORE_NOW), RCORE_OK);
    desk_settings(stage, &desk);
    play_constants(stage, &desk);
    unsigned wrong = 0;
    for (unsigned state = 0; state < states; state++) {
        if (state > 0) { // the next of a Gray code
            const unsigned bit = (unsigned)__builtin_ctz(state);
            struct desk_bus *bus = &desk.buses[bit % 5];
            rcore_status_t status;
            if (bit < 5) {
                bus->muted = !bus->muted;
                status = rcore_post_bus_mute(stage->port, bus->slot, bus->muted, 0, RCORE_NOW);
            } else {
                bus->soloed = !bus->soloed;
                status = rcore_post_bus_solo(stage->port, bus->slot, bus->soloed, 0, RCORE_NOW);
            }
            EXPECT_EQUAL(status, RCORE_OK);
        }
        double expected[2 * desk_channels];
        desk_model_render(&desk, 1, false, expected);
        desk_stage_render(stage, frames, frames);
        for (unsigned i = 0; i < 2 * frames; i++) {
            const unsigned route = i / frames;
            const double found = (double)stage->out[route * desk_channels][state * frames + i % frames];
            const double right = expected[route * desk_channels];
            if (found != right) { // powers of two: exactly, from the first frame on
                if (wrong == 0) {
                    report(tree, &desk, found, right);
                }
                wrong += 1;
            }
        }
    }
    desk_stage_close(stage);
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

// ---- By hand --------------------------------------------------------------------------------------------------------------------------

/// What is heard of each bus's own sound in this tree:
///
///     master ← drums ← snare, vocals, reverb; vocals send to the reverb before the fader, drums behind it
struct row {
    const char *state; ///< of master, drums, snare, vocals, reverb: M muted, S soloed, B both, s safe, - nothing
    unsigned dry, wet; ///< bits: heard directly, heard by the reverb
};

enum { master = 1, drums = 2, snare = 4, vocals = 8, reverb = 16, all = 31 };

static const struct row table[] = {
    {"-----", all, drums | snare | vocals},
    {"M----", 0, 0},
    {"-M---", master | vocals | reverb, vocals},
    {"--M--", master | drums | vocals | reverb, drums | vocals},
    {"---M-", master | drums | snare | reverb, drums | snare},
    {"----M", master | drums | snare | vocals, 0},
    {"S----", all, drums | snare | vocals},           // all leads to it
    {"-S---", drums | snare, 0},                      // the reverb is not safe
    {"-S--s", drums | snare | reverb, drums | snare}, // now it is, and what others send is not there
    {"--S-s", snare | reverb, snare},                 // drums let it through, without their own
    {"---Ss", vocals | reverb, vocals},
    {"----S", reverb, 0},
    {"-B--s", reverb, 0}, // muted stays so, and others stay silent
    {"MS---", 0, 0},
    {"-MS-s", reverb, 0}, // its way is muted
    {"-S-S-", drums | snare | vocals, 0},
    {"--sS-", snare | vocals, 0},           // safe ones likewise
    {"--s--", all, drums | snare | vocals}, // safe means nothing while nobody is soloed
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
        struct desk desk = desk_of(&tree, 0);
        desk.buses[1].gain = 1.0f;
        for (uint32_t bus = 0; bus < 5; bus++) {
            const char state = row->state[bus];
            desk.buses[bus].muted = state == 'M' || state == 'B';
            desk.buses[bus].soloed = state == 'S' || state == 'B';
            desk.buses[bus].safe = state == 's';
        }
        struct desk_stage *stage = desk_stage_open(NULL, 10);
        EXPECT_EQUAL(rcore_post_plan(stage->port, desk_plan(stage, &desk), RCORE_NOW), RCORE_OK);
        desk_settings(stage, &desk);
        play_constants(stage, &desk);
        desk_stage_render(stage, 10, 10);
        const double found = (double)stage->out[0][9], expected = sum_of(row);
        double said[2 * desk_channels];
        desk_model_render(&desk, 1, false, said);
        if (found != expected) {
            report(&tree, &desk, found, expected);
        }
        EXPECT_NEAR(found, expected, 0);
        EXPECT_NEAR(said[0], expected, 0); // the model itself is held to the table
        desk_stage_close(stage);
    }
}

// ---- In time --------------------------------------------------------------------------------------------------------------------------

/// Both take their ramp from their frame on, a mute's is linear, and the gain stays what it is.
TEST(mute_and_solo_are_ramps) {
    struct desk desk = desk_of(&trees[0], 0);
    struct desk_stage *stage = desk_stage_open(NULL, 2000);
    EXPECT_EQUAL(rcore_post_plan(stage->port, desk_plan(stage, &desk), RCORE_NOW), RCORE_OK);
    desk_settings(stage, &desk);
    desk.voice_count = 0;
    static const float *planes[] = {&values[0]};
    stage->buffers[0] = rcore_buffer_create(1, 1, planes, NULL);
    rcore_voice_params_t params = rcore_voice_params_default();
    params.buffer = stage->buffers[0];
    params.bus = desk.buses[4].slot;
    params.loop_count = UINT64_MAX;
    EXPECT_EQUAL(rcore_post_start(stage->port, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(stage->port, desk.buses[4].slot, true, 100, 200), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_gain(stage->port, desk.buses[4].slot, 0.5f, 0, 400), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_mute(stage->port, desk.buses[4].slot, false, 100, 500), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(stage->port, desk.buses[3].slot, true, 200, 800), RCORE_OK);
    EXPECT_EQUAL(rcore_post_bus_solo(stage->port, desk.buses[3].slot, false, 50, 1200), RCORE_OK);
    desk_stage_render(stage, 2000, STAGE_CHANGING_PERIODS);
    double worst = 0.0;
    for (unsigned i = 0; i < 2000; i++) {
        double expected = i < 200 ? 1.0 : i < 300 ? 1.0 - (i - 199) / 100.0 : 0.0;
        expected = i >= 500 ? 0.5 * fmin(1.0, (i - 499) / 100.0) : expected;
        worst = i < 800 ? fmax(worst, fabs((double)stage->out[0][i] - expected)) : worst;
    }
    EXPECT_NEAR(worst, 0, 1e-6);
    // A solo's way is not told, its ends are.
    EXPECT_EQUAL(first_other(stage->out[0], 999, 1200, 0.0f), -1);
    EXPECT_EQUAL(first_other(stage->out[0], 1249, 2000, 0.5f), -1);
    for (unsigned i = 800; i < 1250; i++) {
        const float step = stage->out[0][i] - stage->out[0][i - 1];
        EXPECT(i < 1000 ? step <= 0.0f : step >= 0.0f);
        EXPECT(fabsf(step) < 0.5f * 2.0f / 50);
    }
    EXPECT(stage->out[0][800] < 0.5f && stage->out[0][1200] > 0.0f);
    desk_stage_close(stage);
}

int main(void) {
    RUN(a_table_by_hand);
    RUN(every_state_of_small_trees);
    RUN(mute_and_solo_are_ramps);
    return test_result();
}
