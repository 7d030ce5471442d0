// Plan changes while the mixer plays: no click, no gap, and finally exactly the output of the new
// plan. Run with a seed to repeat a failure: test_mixer_crossfades SEED.
#include "expect.h"
#include "mixer_changes.h"

#include <string.h>

/// The plans change at frame `when`, after the start of the voices.
enum { length = 6000, after_start = 1000, when = 2000, fade = 240 };

static uint64_t seed = 20261203;
static float sine[length], constant[length];

static rcore_config_t config_of(void) {
    rcore_config_t config = mixer_config();
    config.crossfade_frames = fade;
    return config;
}

static void fill_signals(void) {
    for (uint32_t i = 0; i < length; i++) {
        sine[i] = 0.1f * (float)sin(6.283185307179586 * 110.0 * i / STAGE_RATE);
        constant[i] = 0.125f;
    }
}

/// Plays mixer `before`, and from frame `when` on mixer `after`, unless it is NULL.
static struct mixer_stage *play_change(const struct mixer *before, const struct mixer *after, const float *plane,
                                       uint64_t time) {
    const rcore_config_t config = config_of();
    struct mixer_stage *stage = mixer_stage_open(&config, length);
    EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, before), RCORE_NOW), RCORE_OK);
    mixer_play_on_slots(stage, plane, length);
    mixer_stage_render(stage, when, STAGE_CHANGING_PERIODS);
    if (after != NULL) {
        EXPECT_EQUAL(rcore_post_plan(stage->queue, mixer_plan(stage, after), time), RCORE_OK);
    }
    for (uint32_t turn = 0; turn < 8; turn++) {
        mixer_stage_render(stage, (length - when) / 8, turn % 2 ? 64 : 61);
        if (after != NULL && rcore_collect_plans(stage->core) <= 1) {
            mixer_retire(stage, after);
        }
    }
    if (after != NULL) {
        EXPECT_EQUAL(rcore_collect_plans(stage->core), 1);
        EXPECT_EQUAL(mixer_bad_calls(stage), 0);
    }
    return stage;
}

/// Returns the largest output magnitude of a mixer. A second difference larger than that of its
/// sine and the ends of a linear fade is a click.
static double greatest_sum(const struct mixer *mixer) {
    enum { cycle = 1000 };
    static double out[mixer_most_routes * mixer_channels * cycle];
    double greatest = 0.0;
    mixer_model_render(mixer, cycle, true, out);
    for (uint32_t i = 0; i < mixer->route_count * mixer_channels * cycle; i++) {
        greatest = fmax(greatest, out[i]);
    }
    return greatest;
}

static double smooth_limit(double sum) {
    const double turn = 6.283185307179586 * 110.0 / STAGE_RATE;
    return 3.0 * sum * (turn * turn + 2.0 * turn / fade + 1.0 / fade);
}

static void expect_smooth(const char *name, const struct mixer_stage *stage, double limit) {
    for (uint32_t output = 0; output < mixer_outputs; output++) {
        uint64_t at = 0;
        const double bend = sharpest_bend(stage->out[output], after_start, length, &at);
        if (!(bend <= limit)) {
            fprintf(stderr, "%s: output %u bend %g, limit %g at frame %u\n", name, (unsigned)output, bend, limit,
                    (unsigned)at);
        }
        EXPECT(bend <= limit);
    }
}

/// Expects the output to be identical to that of the old mixer until the change, and to that of the
/// new mixer once `crossfade_frames` and the latency have passed.
static void expect_ends(const char *name, const struct mixer_stage *stage, const struct mixer *before,
                        const struct mixer *after) {
    struct mixer_stage *old = play_change(before, NULL, sine, 0), *new = play_change(after, NULL, sine, 0);
    const uint32_t settled = when + 33 + fade + 2 * changes_latency;
    for (uint32_t output = 0; output < mixer_outputs; output++) {
        const bool begins = memcmp(stage->out[output], old->out[output], sizeof(float) * when) == 0;
        const bool ends =
            memcmp(stage->out[output] + settled, new->out[output] + settled, sizeof(float) * (length - settled)) == 0;
        if (!begins || !ends) {
            fprintf(stderr, "%s: output %u\n", name, (unsigned)output);
        }
        EXPECT(begins);
        EXPECT(ends);
    }
    mixer_stage_close(old);
    mixer_stage_close(new);
}

/// Expects a constant to stay between its old and its new value: no gap, no overshoot.
static void expect_no_gap(const char *name, const struct mixer *before, const struct mixer *after, uint64_t time,
                          float tolerance) {
    struct mixer_stage *stage = play_change(before, after, constant, time);
    for (uint32_t output = 0; output < mixer_outputs; output++) {
        const float *samples = stage->out[output];
        const float from = samples[when - 1], to = samples[length - 1];
        float worst = 0.0f;
        uint32_t at = 0;
        for (uint32_t i = when; i < length; i++) {
            const float outside = fmaxf(fminf(from, to) - samples[i], samples[i] - fmaxf(from, to));
            if (!(outside <= worst)) {
                worst = outside;
                at = i;
            }
        }
        if (!(worst <= tolerance)) {
            fprintf(stderr, "%s: output %u from %g to %g is %g at frame %u\n", name, (unsigned)output, (double)from,
                    (double)to, (double)samples[at], (unsigned)at);
        }
        EXPECT(worst <= tolerance);
    }
    mixer_stage_close(stage);
}

static void try_change(const char *name, struct mixer *before, struct mixer *after, uint64_t time, float tolerance) {
    mixer_play_on_each(before, sine, length);
    mixer_play_on_each(after, sine, length);
    const double sum = fmax(greatest_sum(before), greatest_sum(after));
    struct mixer_stage *stage = play_change(before, after, sine, time);
    expect_smooth(name, stage, smooth_limit(sum));
    expect_ends(name, stage, before, after);
    mixer_stage_close(stage);
    expect_no_gap(name, before, after, time, tolerance);
}

TEST(each_change_is_smooth) {
    for (uint32_t i = 0; i < change_count; i++) {
        struct mixer before = mixer_before(), after = mixer_before();
        changes[i].make(&after);
        try_change(changes[i].name, &before, &after, i % 2 ? RCORE_NOW : when + 33, 1e-5f);
    }
}

TEST(so_is_each_way_back) {
    for (uint32_t i = 0; i < change_count; i++) {
        struct mixer before = mixer_before(), after = mixer_before();
        changes[i].make(&before);
        try_change(changes[i].name, &before, &after, i % 2 ? when + 33 : RCORE_NOW, 1e-5f);
    }
}

/// Any two changes at once. Where they are in series their fades multiply, so the output may
/// deviate by the level of two voices.
TEST(so_are_two_changes_at_once) {
    struct random random = random_seeded(seed);
    for (uint32_t turn = 0; turn < 60; turn++) {
        const uint32_t one = random_below(&random, change_count), other = random_below(&random, change_count);
        struct mixer before = mixer_before(), after = mixer_before();
        changes[one].make(&before);
        changes[other].make(&after);
        char name[128];
        (void)snprintf(name, sizeof name, "from %s to %s", changes[one].name, changes[other].name);
        try_change(name, &before, &after, when + random_below(&random, 33), 0.26f);
    }
}

/// Injected: the detectors must find these faults.
TEST(injected_faults_are_found) {
    struct mixer mixer = mixer_before();
    mixer_play_on_each(&mixer, sine, length);
    struct mixer_stage *stage = play_change(&mixer, NULL, sine, 0);
    const double limit = smooth_limit(greatest_sum(&mixer));
    uint64_t at = 0;
    EXPECT(sharpest_bend(stage->out[0], after_start, length, &at) < limit);
    // A sixteenth of the sum.
    stage->out[0][3000] += 0.02f;
    EXPECT(sharpest_bend(stage->out[0], after_start, length, &at) > limit);
    EXPECT(at >= 3000 && at <= 3002);
    mixer_stage_close(stage);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    fill_signals();
    RUN(injected_faults_are_found);
    RUN(each_change_is_smooth);
    RUN(so_is_each_way_back);
    RUN(so_are_two_changes_at_once);
    return test_result();
}
