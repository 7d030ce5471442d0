// Declared latencies are compensated: an impulse arrives at the same frame, whichever bus it is
// played into. Run with a seed to repeat a failure: test_mixer_delays SEED.
#include "expect.h"
#include "mixer_stage.h"

enum { length = 4000, mixers = 60 };

static uint64_t seed = 20261202;
static const float impulse = 1.0f;

/// Returns a mono voice on a bus: an impulse at frame 10 to all of the bus's channels.
static struct mixer_voice voice_on(const struct mixer *mixer, uint32_t bus) {
    struct mixer_voice voice = {
        .bus = bus, .channels = 1, .gain = 1.0f, .start = 10, .nframes = 1, .planes = {&impulse}};
    voice.map.given = true;
    for (uint32_t channel = 0; channel < mixer->buses[bus].channels; channel++) {
        voice.map.gains[channel] = 1.0f;
    }
    return voice;
}

/// Returns the only frame at which the stage has a nonzero output; -1 for none, -2 for several.
static int64_t only_frame(const struct mixer_stage *stage) {
    int64_t found = -1;
    for (int64_t i = 0; i < (int64_t)stage->nframes; i++) {
        bool any = false;
        for (uint32_t output = 0; output < mixer_outputs; output++) {
            any = any || stage->out[output][i] != 0.0f;
        }
        if (any && found != -1) {
            return -2;
        }
        found = any ? i : found;
    }
    return found;
}

/// Plays an impulse into a bus. Returns its measured latency, and in `said` the latency that the
/// plan reports.
static int64_t arrival(const struct mixer *mixer, uint32_t bus, uint32_t period, uint32_t *said) {
    struct mixer single = *mixer;
    single.voices[0] = voice_on(mixer, bus);
    single.voice_count = 1;
    struct mixer_stage *stage = mixer_stage_open(NULL, length);
    rcore_plan_t *plan = mixer_plan(stage, &single);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    *said = rcore_plan_latency(plan, mixer->buses[bus].slot);
    mixer_settings(stage, &single);
    mixer_voices(stage, &single);
    mixer_stage_render(stage, length, period);
    const int64_t frame = only_frame(stage);
    EXPECT_EQUAL(mixer_bad_calls(stage), 0);
    mixer_stage_close(stage);
    return frame < 0 ? frame : frame - 10;
}

/// Returns a random mixer on one route whose gains are all positive, so that no signals cancel.
static struct mixer positive_mixer(struct random *random, bool live) {
    static float noise[mixer_most_buses * mixer_channels * 2];
    const struct mixer_limits limits = {
        .buses = mixer_most_buses, .sends = mixer_most_sends, .latency = 300, .compensation_exempt = live};
    struct mixer mixer = mixer_random(random, &limits, noise, 2);
    for (uint32_t i = 0; i < mixer.bus_count; i++) {
        mixer.buses[i].map.given = false;
        mixer.buses[i].gain = 0.5f;
        mixer.buses[i].insert.gain = 0.75f;
    }
    for (uint32_t i = 0; i < mixer.send_count; i++) {
        mixer.sends[i].map.given = false;
        mixer.sends[i].level = 0.5f;
    }
    for (uint32_t i = 0; i < mixer.connection_count; i++) {
        mixer.connections[i].map.given = false;
        // All in one session: sessions are not delayed for each other.
        mixer.buses[mixer.connections[i].bus].gated = false;
    }
    return mixer;
}

TEST(every_place_arrives_at_one_frame) {
    uint32_t longest = 0;
    for (uint64_t number = 0; number < mixers; number++) {
        struct random random = random_seeded(seed + number);
        const struct mixer mixer = positive_mixer(&random, false);
        const uint32_t expected = mixer_latency(&mixer, 0);
        for (uint32_t bus = 0; bus < mixer.bus_count; bus++) {
            uint32_t said;
            const int64_t later = arrival(&mixer, bus, number % 3 ? 64 : STAGE_CHANGING_PERIODS, &said);
            if (later != (int64_t)expected) {
                fprintf(stderr, "mixer of seed %" PRIu64 ", bus %u:\n", seed + number, (unsigned)bus);
            }
            EXPECT_EQUAL(later, expected);
            EXPECT_EQUAL(said, expected);
        }
        longest = expected > longest ? expected : longest;
    }
    // Paths through several inserts are included.
    EXPECT(longest > 300);
}

/// A compensation-exempt bus at the end of a branch is not delayed for others, nor are others
/// delayed for it.
TEST(live_buses_are_left_out) {
    unsigned live = 0;
    for (uint64_t number = 0; number < mixers; number++) {
        struct random random = random_seeded(seed + 1000 + number);
        const struct mixer mixer = positive_mixer(&random, true);
        for (uint32_t bus = 0; bus < mixer.bus_count; bus++) {
            bool sends = false;
            for (uint32_t i = 0; i < mixer.send_count; i++) {
                sends = sends || mixer.sends[i].source == bus;
            }
            if (mixer.buses[bus].compensation_exempt && sends) {
                continue; // it may arrive twice
            }
            uint32_t said;
            const int64_t later = arrival(&mixer, bus, 64, &said);
            const uint32_t expected = mixer_latency(&mixer, bus);
            if (later != (int64_t)expected) {
                fprintf(stderr, "mixer of seed %" PRIu64 ", bus %u:\n", seed + 1000 + number, (unsigned)bus);
            }
            EXPECT_EQUAL(later, expected);
            EXPECT_EQUAL(said, expected);
            live += mixer.buses[bus].compensation_exempt;
        }
    }
    EXPECT(live > mixers / 2);
}

/// An example: a bus with a latency of 100 frames alongside an exempt bus, below a master with 20.
TEST(a_live_bus_by_hand) {
    struct mixer mixer = {.bus_count = 4, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t i = 0; i < 4; i++) {
        mixer.buses[i] = (struct mixer_bus){
            .slot = i, .channels = 2, .parent = i == 0 ? RCORE_NONE : 0, .gain = 1.0f, .compensation_exempt = i == 2};
    }
    mixer.buses[0].insert = (struct mixer_insert){.given = true, .context = 0, .latency = 20, .gain = 1.0f};
    mixer.buses[1].insert = (struct mixer_insert){.given = true, .context = 1, .latency = 100, .gain = 1.0f};
    // The exempt bus has only the latency of the master's insert.
    const int64_t expected[] = {120, 120, 20, 120};
    for (uint32_t bus = 0; bus < 4; bus++) {
        uint32_t said;
        EXPECT_EQUAL(arrival(&mixer, bus, 64, &said), expected[bus]);
        EXPECT_EQUAL(said, expected[bus]);
    }
}

/// A send meets its source again after an effect: both paths are aligned, the shorter one is
/// delayed.
TEST(parallel_paths_meet) {
    struct mixer mixer = {.bus_count = 3,
                          .send_count = 1,
                          .route_count = 1,
                          .connection_count = 1,
                          .routes = {{.channels = 1}},
                          .sends = {{.source = 1, .target = 2, .level = 1.0f}}};
    for (uint32_t i = 0; i < 3; i++) {
        mixer.buses[i] = (struct mixer_bus){.slot = i, .channels = 1, .parent = i == 0 ? RCORE_NONE : 0, .gain = 1.0f};
    }
    mixer.buses[2].insert = (struct mixer_insert){.given = true, .context = 2, .latency = 77, .gain = -1.0f};
    // Dry and wet signals differ only in sign: they cancel completely.
    mixer.voices[0] = voice_on(&mixer, 1);
    mixer.voice_count = 1;
    struct mixer_stage *stage = mixer_play(&mixer, length, STAGE_CHANGING_PERIODS);
    EXPECT_EQUAL(only_frame(stage), -1);
    mixer_stage_close(stage);
    uint32_t said;
    EXPECT_EQUAL(arrival(&mixer, 0, 64, &said), 77);
    EXPECT_EQUAL(arrival(&mixer, 2, 64, &said), 77);
    mixer.sends[0].level = 0.5f;
    EXPECT_EQUAL(arrival(&mixer, 1, 64, &said), 77);
    EXPECT_EQUAL(said, 77);
}

TEST(unknown_slots_have_no_latency) {
    struct mixer_stage *stage = mixer_stage_open(NULL, 1);
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(rcore_plan_latency(plan, 0), 0);
    EXPECT_EQUAL(rcore_plan_latency(plan, RCORE_NONE), 0);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, plan, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_latency(plan, 5), 0);
    mixer_stage_close(stage);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    RUN(every_place_arrives_at_one_frame);
    RUN(live_buses_are_left_out);
    RUN(a_live_bus_by_hand);
    RUN(parallel_paths_meet);
    RUN(unknown_slots_have_no_latency);
    return test_result();
}
