// Hundreds of plans at random, one after the other, and those that may not follow each other. Run with a seed to replay:
// test_desk_sequences SEED.
#include "desk_changes.h"
#include "expect.h"

#include <string.h>

enum { fade = 240, swaps = 300, slots = 8, capacity = 400000, cycle = 480 };

static uint64_t seed = 20261204;
static float sine[cycle];

static struct desk_stage *open_stage(void) {
    rcore_config_t config = desk_config();
    config.swap_frames = fade;
    return desk_stage_open(&config, capacity);
}

// ---- At random --------------------------------------------------------------------------------------------------------------------------

static struct desk_insert any_insert(struct random *random, uint32_t slot) {
    // A context belongs to one slot and delays always the same.
    const uint32_t variant = random_below(random, 3);
    return (struct desk_insert){.given = random_once_in(random, 2),
                                .context = slot * 4 + variant,
                                .latency = variant * 40 + slot,
                                .gain = variant == 1 ? -0.75f : 0.75f};
}

static struct desk_map any_map(struct random *random) {
    struct desk_map map = {.given = random_once_in(random, 2)};
    for (uint32_t i = 0; i < 4; i++) {
        map.gains[i] = random_float(random, -0.5f, 0.5f);
    }
    return map;
}

/// Buses of slots 0…7 behind each other in the order of their slots (`turned`: in any order), each perhaps away.
static struct desk any_desk(struct random *random, bool turned) {
    struct desk desk = {.route_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (random_once_in(random, 4)) {
            continue;
        }
        const uint32_t index = desk.bus_count++;
        desk.buses[index] = (struct desk_bus){
            .slot = slot,
            .channels = 2,
            .parent = index == 0 || random_once_in(random, 3) ? RCORE_NONE : random_below(random, index),
            .map = any_map(random),
            .insert = any_insert(random, slot),
            .gain = 1.0f,
            .live = random_once_in(random, 8)};
    }
    if (turned && desk.bus_count > 1) { // two change their places
        const uint32_t one = random_below(random, desk.bus_count), other = random_below(random, desk.bus_count);
        const struct desk_bus bus = desk.buses[one];
        desk.buses[one].slot = desk.buses[other].slot;
        desk.buses[one].insert = desk.buses[other].insert;
        desk.buses[other].slot = bus.slot;
        desk.buses[other].insert = bus.insert;
    }
    for (uint32_t i = 0; i < desk.bus_count; i++) {
        desk.buses[i].map.given = desk.buses[i].map.given && desk.buses[i].parent != RCORE_NONE;
        if (desk.buses[i].parent == RCORE_NONE) {
            desk.connections[desk.connection_count++] = (struct desk_connection){.bus = i, .map = any_map(random)};
        }
    }
    for (uint32_t i = 0; desk.bus_count > 1 && i < 4; i++) {
        const uint32_t source = random_below(random, desk.bus_count), target = random_below(random, desk.bus_count);
        const uint32_t low = desk.buses[source].slot, high = desk.buses[target].slot;
        if (low > high && !desk_leads(&desk, target, source) && desk_top(&desk, source) == desk_top(&desk, target)) {
            desk.sends[desk.send_count++] = (struct desk_send){.slot = i,
                                                               .source = source,
                                                               .target = target,
                                                               .pre_fader = random_once_in(random, 2),
                                                               .map = any_map(random),
                                                               .level = 1.0f};
        }
    }
    return desk;
}

static void start_sines(struct desk_stage *stage) {
    static const float *planes[] = {sine};
    for (uint32_t slot = 0; slot < slots; slot++) {
        stage->buffers[slot] = rcore_buffer_create(1, cycle, planes, NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[slot];
        params.bus = slot;
        params.loop_count = UINT64_MAX;
        params.pan_law = RCORE_PAN_LINEAR;
        params.fade_in_frames = fade;
        EXPECT_EQUAL(rcore_post_start(stage->port, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    }
}

struct sequence {
    struct desk_stage *stage;
    struct desk newest;
    double greatest; ///< sum of all desks
    unsigned posted, conflicts;
};

static void measure(struct sequence *sequence, const struct desk *desk) {
    static double out[desk_most_routes * desk_channels * 2 * cycle];
    static const float *planes[] = {sine};
    struct desk sounding = *desk;
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        sounding.voices[i] = (struct desk_voice){
            .bus = i, .channels = 1, .law = RCORE_PAN_LINEAR, .gain = 1.0f, .nframes = cycle, .planes = {planes[0]}};
    }
    sounding.voice_count = desk->bus_count;
    desk_model_render(&sounding, 2 * cycle, true, out);
    for (uint32_t i = 0; i < desk_channels * 2 * cycle; i++) {
        sequence->greatest = fmax(sequence->greatest, out[i]);
    }
}

static bool has_context(const struct desk *desk, uint32_t context) {
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        if (desk->buses[i].insert.given && desk->buses[i].insert.context == context) {
            return true;
        }
    }
    return false;
}

/// An insert that comes back while the core may still call it holds what it heard last: an app would not do so.
static void leave_out_stale(const struct sequence *sequence, struct desk *desk) {
    for (uint32_t i = 0; i < desk->bus_count; i++) {
        struct desk_insert *insert = &desk->buses[i].insert;
        const struct desk_effect *effect = &sequence->stage->effects[insert->context];
        insert->given =
            insert->given && (!effect->given || effect->gone || has_context(&sequence->newest, insert->context));
    }
}

static void post_one(struct sequence *sequence, struct random *random, bool turned) {
    struct desk_stage *stage = sequence->stage;
    struct desk desk = any_desk(random, turned);
    leave_out_stale(sequence, &desk);
    struct desk_effect before[desk_contexts];
    memcpy(before, stage->effects, sizeof before);
    rcore_plan_t *plan = desk_plan(stage, &desk);
    const uint64_t time = random_once_in(random, 2) ? RCORE_NOW : stage->nframes + random_below(random, 500);
    const rcore_status_t status = rcore_post_plan(stage->port, plan, time);
    if (status == RCORE_OK) {
        sequence->newest = desk;
        sequence->posted += 1;
        measure(sequence, &desk);
        return;
    }
    EXPECT_EQUAL(status, RCORE_CONFLICT);
    rcore_plan_destroy(plan);
    sequence->conflicts += 1;
    for (uint32_t i = 0; i < desk_contexts; i++) {
        stage->effects[i].gone = before[i].gone;
    }
}

static double sharpest_bend(const float *samples, uint64_t count, uint64_t *at) {
    double sharpest = 0.0;
    for (uint64_t i = 2; i < count; i++) {
        const double bend = fabs((double)samples[i] - 2.0 * (double)samples[i - 1] + (double)samples[i - 2]);
        if (!(bend <= sharpest)) {
            sharpest = bend;
            *at = i;
        }
    }
    return sharpest;
}

static void expect_smooth(const struct sequence *sequence, uint64_t number) {
    const double turn = 6.283185307179586 / cycle;
    const double limit = 5.0 * sequence->greatest * (turn * turn + 2.0 * turn / fade + 1.0 / fade);
    for (uint32_t output = 0; output < 2; output++) {
        uint64_t at = 0;
        const double bend = sharpest_bend(sequence->stage->out[output], sequence->stage->nframes, &at);
        if (!(bend <= limit)) {
            fprintf(stderr, "seed %" PRIu64 ": output %u bends by %g of %g at frame %" PRIu64 "\n", seed + number,
                    (unsigned)output, bend, limit, at);
        }
        EXPECT(bend <= limit);
    }
}

/// At rest it puts out what the newest desk puts out that was never anything else.
static void expect_newest(const struct sequence *sequence, uint64_t number) {
    const struct desk_stage *stage = sequence->stage;
    const uint64_t rest = 4 * cycle;
    struct desk_stage *twin = open_stage();
    EXPECT_EQUAL(rcore_post_plan(twin->port, desk_plan(twin, &sequence->newest), RCORE_NOW), RCORE_OK);
    start_sines(twin);
    // The sines go round in `cycle`: the same frame of it.
    desk_stage_render(twin, 10 * cycle + stage->nframes % cycle, 64);
    for (uint32_t output = 0; output < 2; output++) {
        const bool same = memcmp(stage->out[output] + stage->nframes - rest, twin->out[output] + twin->nframes - rest,
                                 rest * sizeof(float)) == 0;
        if (!same) {
            fprintf(stderr, "seed %" PRIu64 ": output %u is not the newest plan's\n", seed + number, (unsigned)output);
        }
        EXPECT(same);
    }
    desk_stage_close(twin);
}

static unsigned play_sequence(uint64_t number, bool turned) {
    struct random random = random_seeded(seed + number);
    struct sequence sequence = {.stage = open_stage()};
    struct desk_stage *stage = sequence.stage;
    start_sines(stage);
    for (unsigned turn = 0; turn < swaps; turn++) {
        post_one(&sequence, &random, turned);
        for (unsigned periods = random_below(&random, 12); periods > 0; periods--) {
            desk_stage_render(stage, 1u << random_below(&random, 8), 64);
            if (rcore_collect_plans(stage->core) <= 1) {
                desk_retire(stage, &sequence.newest);
            }
        }
    }
    desk_stage_render(stage, 20 * cycle, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
    EXPECT_EQUAL(desk_bad_calls(stage), 0);
    EXPECT(sequence.posted > swaps / 20);
    expect_smooth(&sequence, number);
    expect_newest(&sequence, number);
    desk_stage_close(stage);
    return sequence.conflicts;
}

TEST(any_sequence_is_smooth) {
    for (uint64_t number = 0; number < 6; number++) {
        EXPECT_EQUAL(play_sequence(number, false), 0); // all in one order: none conflicts
    }
}

TEST(conflicts_change_nothing) {
    unsigned conflicts = 0;
    for (uint64_t number = 100; number < 104; number++) {
        conflicts += play_sequence(number, true);
    }
    EXPECT(conflicts > 0);
}

// ---- What may not follow ------------------------------------------------------------------------------------------------------------------

/// Two buses below a master, 2 behind 1 or 1 behind 2, by parents or by a send; an insert on one of them or not.
static struct desk pair(bool turned, bool by_send, bool insert) {
    struct desk desk = {.bus_count = 3, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    const uint32_t order[] = {0, turned ? 2 : 1, turned ? 1 : 2};
    for (uint32_t i = 0; i < 3; i++) {
        desk.buses[i] = (struct desk_bus){.slot = order[i],
                                          .channels = 2,
                                          .parent = i == 0    ? RCORE_NONE
                                                    : by_send ? 0
                                                              : i - 1,
                                          .gain = 1.0f};
        if (order[i] == 2 && insert) {
            desk.buses[i].insert = (struct desk_insert){.given = true, .context = 8, .latency = 10, .gain = 1.0f};
        }
    }
    if (by_send) {
        desk.sends[desk.send_count++] = (struct desk_send){.source = 2, .target = 1, .level = 1.0f};
    }
    return desk;
}

static rcore_status_t post(struct desk_stage *stage, const struct desk *desk) {
    rcore_plan_t *plan = desk_plan(stage, desk);
    const rcore_status_t status = rcore_post_plan(stage->port, plan, RCORE_NOW);
    if (status != RCORE_OK) {
        rcore_plan_destroy(plan);
    }
    return status;
}

TEST(the_other_way_round_conflicts) {
    for (unsigned kind = 0; kind < 8; kind++) { // insert before, insert after, by a send
        const bool by_send = (kind & 4) != 0;
        const struct desk before = pair(false, by_send, kind & 1), after = pair(true, by_send, kind & 2);
        const struct desk without = {.bus_count = 1,
                                     .route_count = 1,
                                     .connection_count = 1,
                                     .buses = {{.channels = 2, .parent = RCORE_NONE}},
                                     .routes = {{.channels = 2}}};
        struct desk_stage *stage = open_stage();
        EXPECT_EQUAL(post(stage, &before), RCORE_OK);
        start_sines(stage);
        desk_stage_render(stage, 1000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1); // a refusal left nothing behind
        EXPECT_EQUAL(post(stage, &without), RCORE_OK);
        EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT); // the core holds the first one still
        desk_stage_render(stage, 2000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(post(stage, &after), RCORE_OK);
        desk_stage_render(stage, 2000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(desk_bad_calls(stage), 0);
        desk_stage_close(stage);
    }
}

TEST(a_context_on_another_bus_conflicts) {
    struct desk before = pair(false, false, true), after = pair(false, false, false);
    const struct desk without = after;
    after.buses[1].insert = (struct desk_insert){.given = true, .context = 8, .latency = 10, .gain = 1.0f};
    struct desk_stage *stage = open_stage();
    EXPECT_EQUAL(post(stage, &before), RCORE_OK);
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT); // also before it was ever in use
    start_sines(stage);
    desk_stage_render(stage, 1000, 64);
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
    EXPECT_EQUAL(post(stage, &without), RCORE_OK);
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
    desk_stage_render(stage, 2000, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
    EXPECT_EQUAL(post(stage, &after), RCORE_OK);
    const uint64_t calls = stage->effects[8].calls;
    desk_stage_render(stage, 2000, 64);
    EXPECT(stage->effects[8].calls > calls);
    EXPECT_EQUAL(desk_bad_calls(stage), 0);
    desk_stage_close(stage);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    for (uint32_t i = 0; i < cycle; i++) {
        sine[i] = 0.05f * (float)sin(6.283185307179586 * i / cycle);
    }
    RUN(the_other_way_round_conflicts);
    RUN(a_context_on_another_bus_conflicts);
    RUN(any_sequence_is_smooth);
    RUN(conflicts_change_nothing);
    return test_result();
}
