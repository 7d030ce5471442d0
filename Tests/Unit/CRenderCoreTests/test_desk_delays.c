// Latency is declared and compensated: an impulse into every place arrives at one frame. Run with a seed to replay: test_desk_delays SEED.
#include "desk_stage.h"
#include "expect.h"

enum { length = 4000, desks = 60 };

static uint64_t seed = 20261202;
static const float impulse = 1.0f;

/// One mono voice on a bus: an impulse at frame 10 to all of its channels.
static struct desk_voice voice_on(const struct desk *desk, uint32_t bus) {
    struct desk_voice voice = {
        .bus = bus, .channels = 1, .gain = 1.0f, .start = 10, .nframes = 1, .planes = {&impulse}};
    voice.map.given = true;
    for (uint32_t channel = 0; channel < desk->buses[bus].channels; channel++) {
        voice.map.gains[channel] = 1.0f;
    }
    return voice;
}

/// The only frame at which the stage puts anything out; -1 for none, -2 for several.
static int64_t only_frame(const struct desk_stage *stage) {
    int64_t found = -1;
    for (int64_t i = 0; i < (int64_t)stage->nframes; i++) {
        bool any = false;
        for (uint32_t output = 0; output < desk_outputs; output++) {
            any = any || stage->out[output][i] != 0.0f;
        }
        if (any && found != -1) {
            return -2;
        }
        found = any ? i : found;
    }
    return found;
}

/// Plays an impulse into a bus; returns by how much it arrives later, and what the plan says of it.
static int64_t arrival(const struct desk *desk, uint32_t bus, uint32_t period, uint32_t *said) {
    struct desk single = *desk;
    single.voices[0] = voice_on(desk, bus);
    single.voice_count = 1;
    struct desk_stage *stage = desk_stage_open(NULL, length);
    rcore_plan_t *plan = desk_plan(stage, &single);
    EXPECT_EQUAL(rcore_post_plan(stage->port, plan, RCORE_NOW), RCORE_OK);
    *said = rcore_plan_latency(plan, desk->buses[bus].slot);
    desk_settings(stage, &single);
    desk_voices(stage, &single);
    desk_stage_render(stage, length, period);
    const int64_t frame = only_frame(stage);
    EXPECT_EQUAL(desk_bad_calls(stage), 0);
    desk_stage_close(stage);
    return frame < 0 ? frame : frame - 10;
}

/// A random desk whose ways all are positive, so that nothing cancels, on one route.
static struct desk positive_desk(struct random *random, bool live) {
    static float noise[desk_most_buses * desk_channels * 2];
    const struct desk_limits limits = {
        .buses = desk_most_buses, .sends = desk_most_sends, .latency = 300, .live = live};
    struct desk desk = desk_random(random, &limits, noise, 2);
    for (uint32_t i = 0; i < desk.bus_count; i++) {
        desk.buses[i].map.given = false;
        desk.buses[i].gain = 0.5f;
        desk.buses[i].insert.gain = 0.75f;
    }
    for (uint32_t i = 0; i < desk.send_count; i++) {
        desk.sends[i].map.given = false;
        desk.sends[i].level = 0.5f;
    }
    for (uint32_t i = 0; i < desk.connection_count; i++) {
        desk.connections[i].map.given = false;
        desk.buses[desk.connections[i].bus].gated = false; // all of one: sessions do not wait for each other
    }
    return desk;
}

TEST(every_place_arrives_at_one_frame) {
    uint32_t longest = 0;
    for (uint64_t number = 0; number < desks; number++) {
        struct random random = random_seeded(seed + number);
        const struct desk desk = positive_desk(&random, false);
        const uint32_t expected = desk_latency(&desk, 0);
        for (uint32_t bus = 0; bus < desk.bus_count; bus++) {
            uint32_t said;
            const int64_t later = arrival(&desk, bus, number % 3 ? 64 : STAGE_CHANGING_PERIODS, &said);
            if (later != (int64_t)expected) {
                fprintf(stderr, "desk of seed %" PRIu64 ", bus %u:\n", seed + number, (unsigned)bus);
            }
            EXPECT_EQUAL(later, expected);
            EXPECT_EQUAL(said, expected);
        }
        longest = expected > longest ? expected : longest;
    }
    EXPECT(longest > 300); // paths through several inserts were among them
}

/// A live bus at the end of a branch is not delayed for others, nor others for it.
TEST(live_buses_are_left_out) {
    unsigned live = 0;
    for (uint64_t number = 0; number < desks; number++) {
        struct random random = random_seeded(seed + 1000 + number);
        const struct desk desk = positive_desk(&random, true);
        for (uint32_t bus = 0; bus < desk.bus_count; bus++) {
            bool sends = false;
            for (uint32_t i = 0; i < desk.send_count; i++) {
                sends = sends || desk.sends[i].source == bus;
            }
            if (desk.buses[bus].live && sends) {
                continue; // it may well arrive twice
            }
            uint32_t said;
            const int64_t later = arrival(&desk, bus, 64, &said);
            const uint32_t expected = desk_latency(&desk, bus);
            if (later != (int64_t)expected) {
                fprintf(stderr, "desk of seed %" PRIu64 ", bus %u:\n", seed + 1000 + number, (unsigned)bus);
            }
            EXPECT_EQUAL(later, expected);
            EXPECT_EQUAL(said, expected);
            live += desk.buses[bus].live;
        }
    }
    EXPECT(live > desks / 2);
}

/// By hand: a bus with 100 frames beside a live one, below a master with 20.
TEST(a_live_bus_by_hand) {
    struct desk desk = {.bus_count = 4, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t i = 0; i < 4; i++) {
        desk.buses[i] = (struct desk_bus){
            .slot = i, .channels = 2, .parent = i == 0 ? RCORE_NONE : 0, .gain = 1.0f, .live = i == 2};
    }
    desk.buses[0].insert = (struct desk_insert){.given = true, .context = 0, .latency = 20, .gain = 1.0f};
    desk.buses[1].insert = (struct desk_insert){.given = true, .context = 1, .latency = 100, .gain = 1.0f};
    const int64_t expected[] = {120, 120, 20, 120}; // the live one waits for the master's insert alone
    for (uint32_t bus = 0; bus < 4; bus++) {
        uint32_t said;
        EXPECT_EQUAL(arrival(&desk, bus, 64, &said), expected[bus]);
        EXPECT_EQUAL(said, expected[bus]);
    }
}

/// A send that meets its source again behind an effect: both ways arrive together, the short one waits.
TEST(parallel_paths_meet) {
    struct desk desk = {.bus_count = 3,
                        .send_count = 1,
                        .route_count = 1,
                        .connection_count = 1,
                        .routes = {{.channels = 1}},
                        .sends = {{.source = 1, .target = 2, .level = 1.0f}}};
    for (uint32_t i = 0; i < 3; i++) {
        desk.buses[i] = (struct desk_bus){.slot = i, .channels = 1, .parent = i == 0 ? RCORE_NONE : 0, .gain = 1.0f};
    }
    desk.buses[2].insert = (struct desk_insert){.given = true, .context = 2, .latency = 77, .gain = -1.0f};
    // Dry and wet are the same but for the sign: nothing at all is left of them.
    desk.voices[0] = voice_on(&desk, 1);
    desk.voice_count = 1;
    struct desk_stage *stage = desk_play(&desk, length, STAGE_CHANGING_PERIODS);
    EXPECT_EQUAL(only_frame(stage), -1);
    desk_stage_close(stage);
    uint32_t said;
    EXPECT_EQUAL(arrival(&desk, 0, 64, &said), 77);
    EXPECT_EQUAL(arrival(&desk, 2, 64, &said), 77);
    desk.sends[0].level = 0.5f;
    EXPECT_EQUAL(arrival(&desk, 1, 64, &said), 77);
    EXPECT_EQUAL(said, 77);
}

TEST(unknown_slots_have_no_latency) {
    struct desk_stage *stage = desk_stage_open(NULL, 1);
    rcore_plan_t *plan = rcore_plan_create();
    EXPECT_EQUAL(rcore_plan_latency(plan, 0), 0);
    EXPECT_EQUAL(rcore_plan_latency(plan, RCORE_NONE), 0);
    EXPECT_EQUAL(rcore_post_plan(stage->port, plan, RCORE_NOW), RCORE_OK);
    EXPECT_EQUAL(rcore_plan_latency(plan, 5), 0);
    desk_stage_close(stage);
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
