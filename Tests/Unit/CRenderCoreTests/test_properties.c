// Properties of the whole core: it is linear, voices add up, the same seed gives the same bits, and
// impulses arrive exactly. Run with a seed to repeat a failure: test_properties SEED.
#include "expect.h"
#include "random.h"
#include "stage.h"

#include <string.h>

enum { length = 3000, voices = 5 };

static uint64_t seed = 20261121;

/// The parameters of one random scene. It can be played again with other levels or fewer voices.
struct scene {
    float gains[voices];
    float pans[voices];
    float speeds[voices];
    uint64_t starts[voices];
    uint64_t stops[voices];
    uint64_t loop_starts[voices];
    uint32_t buses[voices];
    uint32_t ramps[voices];
    uint16_t duck;
};

static struct scene scene_of(uint64_t number) {
    struct random random = random_seeded(seed + number);
    struct scene scene;
    for (unsigned i = 0; i < voices; i++) {
        scene.gains[i] = random_float(&random, -1.0f, 1.0f);
        scene.pans[i] = random_float(&random, -1.0f, 1.0f);
        scene.speeds[i] = random_below(&random, 2) == 0 ? 1.0f : random_float(&random, 0.3f, 3.0f);
        scene.starts[i] = random_below(&random, 1000);
        scene.stops[i] = 1000 + random_below(&random, 1500);
        scene.loop_starts[i] = random_below(&random, 500);
        scene.buses[i] = random_below(&random, 3);
        scene.ramps[i] = random_below(&random, 800);
    }
    scene.duck = (uint16_t)random_below(&random, 20 * 256);
    return scene;
}

static rcore_buffer_t *noise(uint64_t number, float level) {
    struct random random = random_seeded(seed ^ (number * 77 + 1));
    float samples[600];
    for (unsigned i = 0; i < 600; i++) {
        samples[i] = level * random_float(&random, -1.0f, 1.0f);
    }
    const float *planes[] = {samples};
    return rcore_buffer_create(1, 600, planes, NULL);
}

/// Plays the voices of `mask`, with their samples multiplied by `level`.
static stage_t play(const struct scene *scene, unsigned mask, float level, uint32_t period) {
    stage_t stage = stage_open(NULL);
    rcore_buffer_t *buffers[voices];
    stage_grant(&stage, (sgate_grant_t){.attenuation = scene->duck, .ramp_ms = 20});
    for (unsigned i = 0; i < voices; i++) {
        buffers[i] = noise(i, level);
        if ((mask >> i & 1) == 0) {
            continue;
        }
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = buffers[i];
        params.gain = scene->gains[i];
        params.pan_law = i % 2 ? RCORE_PAN_LINEAR : RCORE_PAN_EQUAL_POWER;
        params.speed = scene->speeds[i];
        params.bus = scene->buses[i];
        params.loop_count = UINT64_MAX;
        params.loop_start = scene->loop_starts[i];
        params.loop_fade_frames = params.loop_start < 100 ? (uint32_t)params.loop_start : 100;
        const rcore_voice_t voice = stage_start(&stage, &params, scene->starts[i]);
        rcore_post_pan(stage.queue, voice, scene->pans[i], scene->ramps[i], scene->starts[i] + 100);
        rcore_post_gain(stage.queue, voice, -scene->gains[i], scene->ramps[i], scene->starts[i] + 300);
        rcore_post_stop(stage.queue, voice, scene->ramps[i], scene->stops[i]);
    }
    stage_render(&stage, length, period);
    for (unsigned i = 0; i < voices; i++) {
        rcore_buffer_release(buffers[i]);
    }
    return stage;
}

static float largest_difference(const float *a, const float *b, float factor) {
    float largest = 0.0f;
    for (unsigned i = 0; i < length; i++) {
        largest = fmaxf(largest, fabsf(a[i] - b[i] * factor));
    }
    return largest;
}

TEST(twice_the_samples_are_twice_the_sound) {
    for (uint64_t number = 0; number < 20; number++) {
        const struct scene scene = scene_of(number);
        stage_t once = play(&scene, 31, 0.25f, 64), twice = play(&scene, 31, 0.5f, 64);
        // A power of two: exact.
        EXPECT_NEAR(largest_difference(twice.out[0], once.out[0], 2.0f), 0, 0);
        EXPECT_NEAR(largest_difference(twice.out[1], once.out[1], 2.0f), 0, 0);
        stage_close(&once);
        stage_close(&twice);
    }
}

TEST(voices_add_up) {
    for (uint64_t number = 0; number < 20; number++) {
        const struct scene scene = scene_of(number);
        stage_t together = play(&scene, 31, 0.5f, 64);
        float *sums = calloc(length, sizeof *sums);
        for (unsigned i = 0; i < voices; i++) {
            stage_t alone = play(&scene, 1u << i, 0.5f, 64);
            for (unsigned frame = 0; frame < length; frame++) {
                sums[frame] += alone.out[1][frame];
            }
            stage_close(&alone);
        }
        EXPECT_NEAR(largest_difference(together.out[1], sums, 1.0f), 0, 1e-6);
        EXPECT(first_other(sums, 0, length, 0.0f) >= 0);
        free(sums);
        stage_close(&together);
    }
}

TEST(the_same_seed_gives_the_same_bits) {
    for (uint64_t number = 0; number < 10; number++) {
        const struct scene scene = scene_of(number);
        stage_t first = play(&scene, 31, 0.5f, 64), again = play(&scene, 31, 0.5f, 64);
        stage_t cut = play(&scene, 31, 0.5f, STAGE_CHANGING_PERIODS);
        EXPECT(memcmp(first.out[0], again.out[0], length * sizeof(float)) == 0);
        EXPECT_NEAR(largest_difference(first.out[0], cut.out[0], 1.0f), 0, 1e-6);
        stage_close(&first);
        stage_close(&again);
        stage_close(&cut);
    }
}

/// An impulse at any frame arrives at its frame, on its channel, with its gain, and nowhere else.
TEST(impulses_arrive_exactly) {
    struct random random = random_seeded(seed);
    rcore_buffer_t *impulse = impulse_buffer(1);
    for (unsigned turn = 0; turn < 100; turn++) {
        const uint64_t when = random_below(&random, length);
        const unsigned channel = random_below(&random, 2);
        const float gain = random_float(&random, -2.0f, 2.0f);
        const float path[] = {channel == 0 ? 1.0f : 0.0f, channel == 1 ? 1.0f : 0.0f};
        rcore_matrix_t *map = rcore_matrix_create(1, 2, path, NULL);
        stage_t stage = stage_open(NULL);
        rcore_voice_params_t params = rcore_voice_params_default();
        params.buffer = impulse;
        params.gain = gain;
        params.matrix = map;
        params.bus = random_below(&random, 3);
        stage_start(&stage, &params, when);
        stage_render(&stage, length, turn % 2 ? 64 : STAGE_CHANGING_PERIODS);
        for (unsigned out = 0; out < 2; out++) {
            const bool here = out == channel;
            EXPECT_EQUAL(first_other(stage.out[out], 0, length, 0.0f), here ? (int64_t)when : -1);
            EXPECT_NEAR(stage.out[out][when], here ? gain : 0.0f, 1e-6);
            EXPECT_EQUAL(first_other(stage.out[out], when + 1, length, 0.0f), -1);
        }
        stage_close(&stage);
        rcore_matrix_destroy(map);
    }
    rcore_buffer_release(impulse);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    RUN(twice_the_samples_are_twice_the_sound);
    RUN(voices_add_up);
    RUN(the_same_seed_gives_the_same_bits);
    RUN(impulses_arrive_exactly);
    return test_result();
}
