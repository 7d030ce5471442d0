// The whole mixer, for random graphs: compared with the reference model, with an equivalent flat
// mixer, and with the sum of its parts. Run with a seed to repeat a failure: test_mixer SEED.
#include "expect.h"
#include "mixer_stage.h"

#include <string.h>

enum { length = 1500, mixers = 150 };

static uint64_t seed = 20261201;
static float noise[mixer_most_buses * mixer_channels * length];
static double model[mixer_most_routes * mixer_channels * length], scale[mixer_most_routes * mixer_channels * length];

static const struct mixer_limits everything = {.buses = mixer_most_buses,
                                               .sends = mixer_most_sends,
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

/// Returns the largest difference from the model, relative to the largest possible sum on the
/// route. The output of a silent route must be exactly zero.
static double difference(const struct mixer_stage *stage, uint32_t route, uint32_t channels) {
    const double *sums = scale + (size_t)route * mixer_channels * length;
    const double loudest = largest(sums, mixer_channels * length);
    double found = 0.0;
    for (uint32_t channel = 0; channel < channels; channel++) {
        const double *expected = model + ((size_t)route * mixer_channels + channel) * length;
        for (uint32_t i = 0; i < length; i++) {
            const double sample = (double)stage->out[route * mixer_channels + channel][i];
            if (!(fabs(sample - expected[i]) <= found)) {
                found = fabs(sample - expected[i]);
            }
        }
    }
    return loudest > 0.0 ? found / loudest : found;
}

TEST(as_the_model_says) {
    double worst = 0.0;
    for (uint64_t number = 0; number < mixers; number++) {
        struct random random = random_seeded(seed + number);
        const struct mixer mixer = mixer_random(&random, &everything, noise, length);
        struct mixer_stage *stage = mixer_play(&mixer, length, number % 2 ? 64 : STAGE_CHANGING_PERIODS);
        mixer_model_render(&mixer, length, false, model);
        mixer_model_render(&mixer, length, true, scale);
        for (uint32_t route = 0; route < mixer.route_count; route++) {
            const double found = difference(stage, route, mixer.routes[route].channels);
            if (!(found < 1e-6)) {
                fprintf(stderr, "mixer of seed %" PRIu64 ", route %u:\n", seed + number, (unsigned)route);
            }
            EXPECT(found < 1e-6);
            worst = fmax(worst, found);
        }
        EXPECT_EQUAL(mixer_bad_calls(stage), 0);
        mixer_stage_close(stage);
    }
    printf("model: largest difference %.3g\n", worst);
    EXPECT(worst > 0.0); // there was a signal
}

/// Some random mixers are silent because of their mutes; most are not.
TEST(most_mixers_sound) {
    unsigned sounding = 0;
    for (uint64_t number = 0; number < mixers; number++) {
        struct random random = random_seeded(seed + number);
        const struct mixer mixer = mixer_random(&random, &everything, noise, length);
        mixer_model_render(&mixer, length, false, model);
        sounding += largest(model, mixer.route_count * mixer_channels * length) > 0.01;
    }
    EXPECT(sounding > mixers * 3 / 4);
}

// ---- Flattening ---------------------------------------------------------------------------------

/// Returns the path of a voice to a route as one matrix: the response to an impulse on each of its
/// channels.
static struct mixer_map product(const struct mixer *mixer, uint32_t voice, uint32_t route) {
    static const float one = 1.0f, zero = 0.0f;
    double out[mixer_most_routes * mixer_channels];
    struct mixer_map map = {.given = true};
    struct mixer alone = *mixer;
    alone.voice_count = 1;
    alone.voices[0] = mixer->voices[voice];
    alone.voices[0].nframes = 1;
    alone.voices[0].start = 0;
    const uint32_t inputs = mixer->voices[voice].channels;
    for (uint32_t input = 0; input < inputs; input++) {
        for (uint32_t channel = 0; channel < inputs; channel++) {
            alone.voices[0].planes[channel] = channel == input ? &one : &zero;
        }
        mixer_model_render(&alone, 1, false, out);
        for (uint32_t output = 0; output < mixer->routes[route].channels; output++) {
            map.gains[output * inputs + input] = (float)out[route * mixer_channels + output];
        }
    }
    return map;
}

/// Returns an equivalent mixer with all voices on one bus, each with the product of the gains on
/// its path.
static struct mixer flattened(const struct mixer *mixer, uint32_t route) {
    const uint32_t channels = mixer->routes[route].channels;
    struct mixer flat = {.bus_count = 1,
                         .route_count = 1,
                         .connection_count = 1,
                         .voice_count = mixer->voice_count,
                         .buses = {{.channels = channels, .parent = RCORE_NONE, .gain = 1.0f}},
                         .routes = {{.channels = channels}}};
    for (uint32_t i = 0; i < mixer->voice_count; i++) {
        flat.voices[i] = mixer->voices[i];
        flat.voices[i].bus = 0;
        flat.voices[i].map = product(mixer, i, route);
        flat.voices[i].law = RCORE_PAN_NONE;
        flat.voices[i].gain = 1.0f;
    }
    return flat;
}

TEST(as_its_flattened_self) {
    struct mixer_limits limits = everything;
    limits.latency = 0;
    for (uint64_t number = 0; number < mixers / 3; number++) {
        struct random random = random_seeded(seed + 1000 + number);
        const struct mixer mixer = mixer_random(&random, &limits, noise, length);
        const uint32_t route = random_below(&random, mixer.route_count);
        const struct mixer flat = flattened(&mixer, route);
        struct mixer_stage *graph = mixer_play(&mixer, length, 64), *direct = mixer_play(&flat, length, 64);
        mixer_model_render(&mixer, length, true, scale);
        const double loudest = largest(scale + (size_t)route * mixer_channels * length, mixer_channels * length);
        double worst = 0.0;
        for (uint32_t i = 0; i < mixer.routes[route].channels * length; i++) {
            const uint32_t channel = i / length, frame = i % length;
            const double expected = (double)direct->out[channel][frame];
            worst = fmax(worst, fabs((double)graph->out[route * mixer_channels + channel][frame] - expected));
        }
        EXPECT_NEAR(worst, 0, 1e-6 * loudest);
        mixer_stage_close(graph);
        mixer_stage_close(direct);
    }
}

// ---- Superposition ------------------------------------------------------------------------------

/// The outputs of two disjoint halves of the voices add up to the output of all voices.
TEST(halves_add_up) {
    for (uint64_t number = 0; number < mixers / 3; number++) {
        struct random random = random_seeded(seed + 2000 + number);
        struct mixer mixer = mixer_random(&random, &everything, noise, length), halves[2] = {mixer, mixer};
        halves[0].voice_count = halves[1].voice_count = 0;
        for (uint32_t i = 0; i < mixer.voice_count; i++) {
            struct mixer *half = &halves[random_below(&random, 2)];
            half->voices[half->voice_count++] = mixer.voices[i];
        }
        struct mixer_stage *whole = mixer_play(&mixer, length, 64);
        struct mixer_stage *parts[2] = {mixer_play(&halves[0], length, 64), mixer_play(&halves[1], length, 64)};
        mixer_model_render(&mixer, length, true, scale);
        for (uint32_t output = 0; output < mixer.route_count * mixer_channels; output++) {
            const uint32_t route = output / mixer_channels;
            const double loudest = largest(scale + (size_t)route * mixer_channels * length, mixer_channels * length);
            double worst = 0.0;
            for (uint32_t i = 0; i < length; i++) {
                const double sum = (double)parts[0]->out[output][i] + (double)parts[1]->out[output][i];
                worst = fmax(worst, fabs((double)whole->out[output][i] - sum));
            }
            EXPECT_NEAR(worst, 0, 1e-6 * loudest);
        }
        mixer_stage_close(whole);
        mixer_stage_close(parts[0]);
        mixer_stage_close(parts[1]);
    }
}

/// Rendering in other periods gives the same bits.
TEST(the_same_wherever_periods_end) {
    for (uint64_t number = 0; number < mixers / 5; number++) {
        struct random random = random_seeded(seed + 3000 + number);
        const struct mixer mixer = mixer_random(&random, &everything, noise, length);
        struct mixer_stage *whole = mixer_play(&mixer, length, length), *cut = mixer_play(&mixer, length, 1);
        for (uint32_t output = 0; output < mixer.route_count * mixer_channels; output++) {
            // No ramp is running: the outputs are bit-identical.
            EXPECT(memcmp(whole->out[output], cut->out[output], length * sizeof(float)) == 0);
        }
        mixer_stage_close(whole);
        mixer_stage_close(cut);
    }
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : random_seed(seed);
    printf("seed %" PRIu64 "\n", seed);
    RUN(as_the_model_says);
    RUN(most_mixers_sound);
    RUN(as_its_flattened_self);
    RUN(halves_add_up);
    RUN(the_same_wherever_periods_end);
    return test_result();
}
