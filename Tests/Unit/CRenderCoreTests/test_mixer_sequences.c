// Sequences of hundreds of random plans, and plans that must not follow each other. Run with a seed
// to repeat a failure: test_mixer_sequences SEED.
#include "expect.h"
#include "mixer_changes.h"

#include <string.h>

enum { fade = 240, crossfades = 300, slots = 8, capacity = 400000, cycle = 480 };

static uint64_t seed = 20261204;
static float sine[cycle];

static struct mixer_stage *open_stage(void) {
    rcore_config_t config = mixer_config();
    config.crossfade_frames = fade;
    return mixer_stage_open(&config, capacity);
}

// ---- Random sequences ---------------------------------------------------------------------------

static struct mixer_insert any_insert(struct random *random, uint32_t slot) {
    // A context belongs to one slot and always has the same latency.
    const uint32_t variant = random_below(random, 3);
    return (struct mixer_insert){.given = random_once_in(random, 2),
                                 .context = slot * 4 + variant,
                                 .latency = variant * 40 + slot,
                                 .gain = variant == 1 ? -0.75f : 0.75f};
}

static struct mixer_map any_map(struct random *random) {
    struct mixer_map map = {.given = random_once_in(random, 2)};
    for (uint32_t i = 0; i < 4; i++) {
        map.gains[i] = random_float(random, -0.5f, 0.5f);
    }
    return map;
}

/// Returns a random tree of buses with slots 0…7, each of which may be missing. Parents have lower
/// slots than their children, except with `turned`, which exchanges two slots.
static struct mixer any_mixer(struct random *random, bool turned) {
    struct mixer mixer = {.route_count = 1, .routes = {{.channels = 2}}};
    for (uint32_t slot = 0; slot < slots; slot++) {
        if (random_once_in(random, 4)) {
            continue;
        }
        const uint32_t index = mixer.bus_count++;
        mixer.buses[index] = (struct mixer_bus){
            .slot = slot,
            .channels = 2,
            .parent = index == 0 || random_once_in(random, 3) ? RCORE_NONE : random_below(random, index),
            .map = any_map(random),
            .insert = any_insert(random, slot),
            .gain = 1.0f,
            .compensation_exempt = random_once_in(random, 8)};
    }
    if (turned && mixer.bus_count > 1) { // exchange the slots of two buses
        const uint32_t one = random_below(random, mixer.bus_count), other = random_below(random, mixer.bus_count);
        const struct mixer_bus bus = mixer.buses[one];
        mixer.buses[one].slot = mixer.buses[other].slot;
        mixer.buses[one].insert = mixer.buses[other].insert;
        mixer.buses[other].slot = bus.slot;
        mixer.buses[other].insert = bus.insert;
    }
    for (uint32_t i = 0; i < mixer.bus_count; i++) {
        mixer.buses[i].map.given = mixer.buses[i].map.given && mixer.buses[i].parent != RCORE_NONE;
        if (mixer.buses[i].parent == RCORE_NONE) {
            mixer.connections[mixer.connection_count++] = (struct mixer_connection){.bus = i, .map = any_map(random)};
        }
    }
    for (uint32_t i = 0; mixer.bus_count > 1 && i < 4; i++) {
        const uint32_t source = random_below(random, mixer.bus_count), target = random_below(random, mixer.bus_count);
        const uint32_t low = mixer.buses[source].slot, high = mixer.buses[target].slot;
        if (low > high && !mixer_feeds(&mixer, target, source) &&
            mixer_top(&mixer, source) == mixer_top(&mixer, target)) {
            mixer.sends[mixer.send_count++] = (struct mixer_send){.slot = i,
                                                                  .source = source,
                                                                  .target = target,
                                                                  .pre_fader = random_once_in(random, 2),
                                                                  .map = any_map(random),
                                                                  .level = 1.0f};
        }
    }
    return mixer;
}

static void start_sines(struct mixer_stage *stage) {
    static const float *planes[] = {sine};
    for (uint32_t slot = 0; slot < slots; slot++) {
        stage->buffers[slot] = rcore_buffer_create(1, cycle, planes, NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = stage->buffers[slot];
        params.bus = slot;
        params.loop_count = UINT64_MAX;
        params.pan_law = RCORE_PAN_LINEAR;
        params.fade_in_frames = fade;
        EXPECT_EQUAL(rcore_post_start(stage->queue, rcore_voice_acquire(stage->core), &params, RCORE_NOW), RCORE_OK);
    }
}

struct sequence {
    struct mixer_stage *stage;
    struct mixer newest;
    /// Largest output magnitude of all mixers posted.
    double greatest;
    unsigned posted, conflicts;
};

static void measure(struct sequence *sequence, const struct mixer *mixer) {
    static double out[mixer_most_routes * mixer_channels * 2 * cycle];
    static const float *planes[] = {sine};
    struct mixer sounding = *mixer;
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        sounding.voices[i] = (struct mixer_voice){
            .bus = i, .channels = 1, .law = RCORE_PAN_LINEAR, .gain = 1.0f, .nframes = cycle, .planes = {planes[0]}};
    }
    sounding.voice_count = mixer->bus_count;
    mixer_model_render(&sounding, 2 * cycle, true, out);
    for (uint32_t i = 0; i < mixer_channels * 2 * cycle; i++) {
        sequence->greatest = fmax(sequence->greatest, out[i]);
    }
}

static bool has_context(const struct mixer *mixer, uint32_t context) {
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        if (mixer->buses[i].insert.given && mixer->buses[i].insert.context == context) {
            return true;
        }
    }
    return false;
}

/// Removes inserts that the core may still call for an older plan. They would keep old state; an
/// app would not reuse them.
static void leave_out_stale(const struct sequence *sequence, struct mixer *mixer) {
    for (uint32_t i = 0; i < mixer->bus_count; i++) {
        struct mixer_insert *insert = &mixer->buses[i].insert;
        const struct mixer_effect *effect = &sequence->stage->effects[insert->context];
        insert->given =
            insert->given && (!effect->given || effect->gone || has_context(&sequence->newest, insert->context));
    }
}

static void post_one(struct sequence *sequence, struct random *random, bool turned) {
    struct mixer_stage *stage = sequence->stage;
    struct mixer mixer = any_mixer(random, turned);
    leave_out_stale(sequence, &mixer);
    struct mixer_effect before[mixer_contexts];
    memcpy(before, stage->effects, sizeof before);
    rcore_plan_t *plan = mixer_plan(stage, &mixer);
    const uint64_t time = random_once_in(random, 2) ? RCORE_NOW : stage->nframes + random_below(random, 500);
    const rcore_status_t status = rcore_post_plan(stage->queue, plan, time);
    if (status == RCORE_OK) {
        sequence->newest = mixer;
        sequence->posted += 1;
        measure(sequence, &mixer);
        return;
    }
    EXPECT_EQUAL(status, RCORE_CONFLICT);
    rcore_plan_destroy(plan);
    sequence->conflicts += 1;
    for (uint32_t i = 0; i < mixer_contexts; i++) {
        stage->effects[i].gone = before[i].gone;
    }
}

static void expect_smooth(const struct sequence *sequence, uint64_t number) {
    const double turn = 6.283185307179586 / cycle;
    const double limit = 5.0 * sequence->greatest * (turn * turn + 2.0 * turn / fade + 1.0 / fade);
    for (uint32_t output = 0; output < 2; output++) {
        uint64_t at = 0;
        const double bend = sharpest_bend(sequence->stage->out[output], 2, sequence->stage->nframes, &at);
        if (!(bend <= limit)) {
            fprintf(stderr, "seed %" PRIu64 ": output %u bend %g, limit %g at frame %" PRIu64 "\n", seed + number,
                    (unsigned)output, bend, limit, at);
        }
        EXPECT(bend <= limit);
    }
}

/// Expects the steady output to equal that of a new stage that has only played the newest mixer.
static void expect_newest(const struct sequence *sequence, uint64_t number) {
    const struct mixer_stage *stage = sequence->stage;
    const uint64_t rest = 4 * cycle;
    struct mixer_stage *twin = open_stage();
    EXPECT_EQUAL(rcore_post_plan(twin->queue, mixer_plan(twin, &sequence->newest), RCORE_NOW), RCORE_OK);
    start_sines(twin);
    // The sines have a period of `cycle` frames: render up to the same phase.
    mixer_stage_render(twin, 10 * cycle + stage->nframes % cycle, 64);
    for (uint32_t output = 0; output < 2; output++) {
        const bool same = memcmp(stage->out[output] + stage->nframes - rest, twin->out[output] + twin->nframes - rest,
                                 rest * sizeof(float)) == 0;
        if (!same) {
            fprintf(stderr, "seed %" PRIu64 ": output %u is not the newest plan's\n", seed + number, (unsigned)output);
        }
        EXPECT(same);
    }
    mixer_stage_close(twin);
}

static unsigned play_sequence(uint64_t number, bool turned) {
    struct random random = random_seeded(seed + number);
    struct sequence sequence = {.stage = open_stage()};
    struct mixer_stage *stage = sequence.stage;
    start_sines(stage);
    for (unsigned turn = 0; turn < crossfades; turn++) {
        post_one(&sequence, &random, turned);
        for (unsigned periods = random_below(&random, 12); periods > 0; periods--) {
            mixer_stage_render(stage, 1u << random_below(&random, 8), 64);
            if (rcore_collect_plans(stage->core) <= 1) {
                mixer_retire(stage, &sequence.newest);
            }
        }
    }
    mixer_stage_render(stage, 20 * cycle, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
    EXPECT_EQUAL(mixer_bad_calls(stage), 0);
    EXPECT(sequence.posted > crossfades / 20);
    expect_smooth(&sequence, number);
    expect_newest(&sequence, number);
    mixer_stage_close(stage);
    return sequence.conflicts;
}

TEST(any_sequence_is_smooth) {
    for (uint64_t number = 0; number < 6; number++) {
        // All plans have one order: none conflicts.
        EXPECT_EQUAL(play_sequence(number, false), 0);
    }
}

TEST(conflicts_change_nothing) {
    unsigned conflicts = 0;
    for (uint64_t number = 100; number < 104; number++) {
        conflicts += play_sequence(number, true);
    }
    EXPECT(conflicts > 0);
}

// ---- Conflicts ----------------------------------------------------------------------------------

/// Returns two buses below a master: 1 feeds 2 if `turned`, otherwise 2 feeds 1, as a child or
/// through a send. With `insert`, bus 2 has an insert.
static struct mixer pair(bool turned, bool by_send, bool insert) {
    struct mixer mixer = {.bus_count = 3, .route_count = 1, .connection_count = 1, .routes = {{.channels = 2}}};
    const uint32_t order[] = {0, turned ? 2 : 1, turned ? 1 : 2};
    for (uint32_t i = 0; i < 3; i++) {
        mixer.buses[i] = (struct mixer_bus){.slot = order[i],
                                            .channels = 2,
                                            .parent = i == 0    ? RCORE_NONE
                                                      : by_send ? 0
                                                                : i - 1,
                                            .gain = 1.0f};
        if (order[i] == 2 && insert) {
            mixer.buses[i].insert = (struct mixer_insert){.given = true, .context = 8, .latency = 10, .gain = 1.0f};
        }
    }
    if (by_send) {
        mixer.sends[mixer.send_count++] = (struct mixer_send){.source = 2, .target = 1, .level = 1.0f};
    }
    return mixer;
}

static rcore_status_t post(struct mixer_stage *stage, const struct mixer *mixer) {
    rcore_plan_t *plan = mixer_plan(stage, mixer);
    const rcore_status_t status = rcore_post_plan(stage->queue, plan, RCORE_NOW);
    if (status != RCORE_OK) {
        rcore_plan_destroy(plan);
    }
    return status;
}

TEST(the_other_way_round_conflicts) {
    for (unsigned kind = 0; kind < 8; kind++) { // insert before, insert after, through a send
        const bool by_send = (kind & 4) != 0;
        const struct mixer before = pair(false, by_send, kind & 1), after = pair(true, by_send, kind & 2);
        const struct mixer without = {.bus_count = 1,
                                      .route_count = 1,
                                      .connection_count = 1,
                                      .buses = {{.channels = 2, .parent = RCORE_NONE}},
                                      .routes = {{.channels = 2}}};
        struct mixer_stage *stage = open_stage();
        EXPECT_EQUAL(post(stage, &before), RCORE_OK);
        start_sines(stage);
        mixer_stage_render(stage, 1000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
        // The refused plan left no state behind.
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(post(stage, &without), RCORE_OK);
        EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT); // the core still holds the first plan
        mixer_stage_render(stage, 2000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(post(stage, &after), RCORE_OK);
        mixer_stage_render(stage, 2000, 64);
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(mixer_bad_calls(stage), 0);
        mixer_stage_close(stage);
    }
}

TEST(a_context_on_another_bus_conflicts) {
    struct mixer before = pair(false, false, true), after = pair(false, false, false);
    const struct mixer without = after;
    after.buses[1].insert = (struct mixer_insert){.given = true, .context = 8, .latency = 10, .gain = 1.0f};
    struct mixer_stage *stage = open_stage();
    EXPECT_EQUAL(post(stage, &before), RCORE_OK);
    // Even though the first plan was never in use.
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
    start_sines(stage);
    mixer_stage_render(stage, 1000, 64);
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
    EXPECT_EQUAL(post(stage, &without), RCORE_OK);
    EXPECT_EQUAL(post(stage, &after), RCORE_CONFLICT);
    mixer_stage_render(stage, 2000, 64);
    EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
    EXPECT_EQUAL(post(stage, &after), RCORE_OK);
    const uint64_t calls = stage->effects[8].calls;
    mixer_stage_render(stage, 2000, 64);
    EXPECT(stage->effects[8].calls > calls);
    EXPECT_EQUAL(mixer_bad_calls(stage), 0);
    mixer_stage_close(stage);
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
