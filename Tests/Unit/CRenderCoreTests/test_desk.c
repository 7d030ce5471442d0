// The mixer as a whole, against a slow model of it, against its flattened self, and against the sum of its parts: random graphs.
// Run with a seed to replay: test_desk SEED.
#include "desk_stage.h"
#include "expect.h"

#include <string.h>

enum { length = 1500, desks = 150 };

static uint64_t seed = 20261201;
static float noise[desk_most_buses * desk_channels * length];
static double model[desk_most_routes * desk_channels * length], scale[desk_most_routes * desk_channels * length];

static const struct desk_limits everything = {.buses = desk_most_buses,
                                              .sends = desk_most_sends,
                                              .latency = 300,
                                              .pans = true,
                                              .mutes = true,
                                              .solos = true,
                                              .routes = true};

static double largest(const double *values, uint32_t count) {
    double found = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        found = fmax(found, fabs(values[i]));
    }
    return found;
}

/// The greatest difference, relative to what the route sums up to at most. A route that is silent must be so exactly.
static double difference(const struct desk_stage *stage, uint32_t route, uint32_t channels) {
    const double *sums = scale + (size_t)route * desk_channels * length;
    const double loudest = largest(sums, desk_channels * length);
    double found = 0.0;
    for (uint32_t channel = 0; channel < channels; channel++) {
        const double *expected = model + ((size_t)route * desk_channels + channel) * length;
        for (uint32_t i = 0; i < length; i++) {
            const double sample = (double)stage->out[route * desk_channels + channel][i];
            if (!(fabs(sample - expected[i]) <= found)) {
                found = fabs(sample - expected[i]);
            }
        }
    }
    return loudest > 0.0 ? found / loudest : found;
}

TEST(as_the_model_says) {
    double worst = 0.0;
    for (uint64_t number = 0; number < desks; number++) {
        struct random random = random_seeded(seed + number);
        const struct desk desk = desk_random(&random, &everything, noise, length);
        struct desk_stage *stage = desk_play(&desk, length, number % 2 ? 64 : STAGE_CHANGING_PERIODS);
        desk_model_render(&desk, length, false, model);
        desk_model_render(&desk, length, true, scale);
        for (uint32_t route = 0; route < desk.route_count; route++) {
            const double found = difference(stage, route, desk.routes[route].channels);
            if (!(found < 1e-6)) {
                fprintf(stderr, "desk of seed %" PRIu64 ", route %u:\n", seed + number, (unsigned)route);
            }
            EXPECT(found < 1e-6);
            worst = fmax(worst, found);
        }
        EXPECT_EQUAL(desk_bad_calls(stage), 0);
        desk_stage_close(stage);
    }
    printf("model: largest difference %.3g\n", worst);
    EXPECT(worst > 0.0); // it did sound
}

/// Some desks are silent by their mutes; most are not.
TEST(most_desks_sound) {
    unsigned sounding = 0;
    for (uint64_t number = 0; number < desks; number++) {
        struct random random = random_seeded(seed + number);
        const struct desk desk = desk_random(&random, &everything, noise, length);
        desk_model_render(&desk, length, false, model);
        sounding += largest(model, desk.route_count * desk_channels * length) > 0.01;
    }
    EXPECT(sounding > desks * 3 / 4);
}

// ---- Flattened ----------------------------------------------------------------------------------------------------------------------

/// A voice's way to a route as one matrix: what an impulse on each of its channels comes to.
static struct desk_map product(const struct desk *desk, uint32_t voice, uint32_t route) {
    static const float one = 1.0f, zero = 0.0f;
    double out[desk_most_routes * desk_channels];
    struct desk_map map = {.given = true};
    struct desk alone = *desk;
    alone.voice_count = 1;
    alone.voices[0] = desk->voices[voice];
    alone.voices[0].nframes = 1;
    alone.voices[0].start = 0;
    const uint32_t inputs = desk->voices[voice].channels;
    for (uint32_t input = 0; input < inputs; input++) {
        for (uint32_t channel = 0; channel < inputs; channel++) {
            alone.voices[0].planes[channel] = channel == input ? &one : &zero;
        }
        desk_model_render(&alone, 1, false, out);
        for (uint32_t output = 0; output < desk->routes[route].channels; output++) {
            map.gains[output * inputs + input] = (float)out[route * desk_channels + output];
        }
    }
    return map;
}

/// All voices on one bus, with the product of the gains on their way.
static struct desk flattened(const struct desk *desk, uint32_t route) {
    const uint32_t channels = desk->routes[route].channels;
    struct desk flat = {.bus_count = 1,
                        .route_count = 1,
                        .connection_count = 1,
                        .voice_count = desk->voice_count,
                        .buses = {{.channels = channels, .parent = RCORE_NONE, .gain = 1.0f}},
                        .routes = {{.channels = channels}}};
    for (uint32_t i = 0; i < desk->voice_count; i++) {
        flat.voices[i] = desk->voices[i];
        flat.voices[i].bus = 0;
        flat.voices[i].map = product(desk, i, route);
        flat.voices[i].law = RCORE_PAN_NONE;
        flat.voices[i].gain = 1.0f;
    }
    return flat;
}

TEST(as_its_flattened_self) {
    struct desk_limits limits = everything;
    limits.latency = 0;
    for (uint64_t number = 0; number < desks / 3; number++) {
        struct random random = random_seeded(seed + 1000 + number);
        const struct desk desk = desk_random(&random, &limits, noise, length);
        const uint32_t route = random_below(&random, desk.route_count);
        const struct desk flat = flattened(&desk, route);
        struct desk_stage *graph = desk_play(&desk, length, 64), *direct = desk_play(&flat, length, 64);
        desk_model_render(&desk, length, true, scale);
        const double loudest = largest(scale + (size_t)route * desk_channels * length, desk_channels * length);
        double worst = 0.0;
        for (uint32_t i = 0; i < desk.routes[route].channels * length; i++) {
            const uint32_t channel = i / length, frame = i % length;
            const double expected = (double)direct->out[channel][frame];
            worst = fmax(worst, fabs((double)graph->out[route * desk_channels + channel][frame] - expected));
        }
        EXPECT_NEAR(worst, 0, 1e-6 * loudest);
        desk_stage_close(graph);
        desk_stage_close(direct);
    }
}

// ---- Superposition --------------------------------------------------------------------------------------------------------------------

/// What two halves of the voices put out alone adds up to what they put out together.
TEST(halves_add_up) {
    for (uint64_t number = 0; number < desks / 3; number++) {
        struct random random = random_seeded(seed + 2000 + number);
        struct desk desk = desk_random(&random, &everything, noise, length), halves[2] = {desk, desk};
        halves[0].voice_count = halves[1].voice_count = 0;
        for (uint32_t i = 0; i < desk.voice_count; i++) {
            struct desk *half = &halves[random_below(&random, 2)];
            half->voices[half->voice_count++] = desk.voices[i];
        }
        struct desk_stage *whole = desk_play(&desk, length, 64);
        struct desk_stage *parts[2] = {desk_play(&halves[0], length, 64), desk_play(&halves[1], length, 64)};
        desk_model_render(&desk, length, true, scale);
        for (uint32_t output = 0; output < desk.route_count * desk_channels; output++) {
            const uint32_t route = output / desk_channels;
            const double loudest = largest(scale + (size_t)route * desk_channels * length, desk_channels * length);
            double worst = 0.0;
            for (uint32_t i = 0; i < length; i++) {
                const double sum = (double)parts[0]->out[output][i] + (double)parts[1]->out[output][i];
                worst = fmax(worst, fabs((double)whole->out[output][i] - sum));
            }
            EXPECT_NEAR(worst, 0, 1e-6 * loudest);
        }
        desk_stage_close(whole);
        desk_stage_close(parts[0]);
        desk_stage_close(parts[1]);
    }
}

/// The same bits again, and nearly the same wherever periods end.
TEST(the_same_wherever_periods_end) {
    for (uint64_t number = 0; number < desks / 5; number++) {
        struct random random = random_seeded(seed + 3000 + number);
        const struct desk desk = desk_random(&random, &everything, noise, length);
        struct desk_stage *whole = desk_play(&desk, length, length), *cut = desk_play(&desk, length, 1);
        for (uint32_t output = 0; output < desk.route_count * desk_channels; output++) {
            // No ramp moves: not one bit.
            EXPECT(memcmp(whole->out[output], cut->out[output], length * sizeof(float)) == 0);
        }
        desk_stage_close(whole);
        desk_stage_close(cut);
    }
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    RUN(as_the_model_says);
    RUN(most_desks_sound);
    RUN(as_its_flattened_self);
    RUN(halves_add_up);
    RUN(the_same_wherever_periods_end);
    return test_result();
}
