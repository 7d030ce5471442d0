// The loops of varispeed, as compiled for each instruction set: bit-identical to the spline of each
// frame alone, computed with fused multiplications and additions where the set has them. Since
// compilers agree with that reference, they agree with each other.
#include "expect.h"
#include "random.h"
#include "voices/interpolation.c" // includes the versions, of which the loader selects one

#include <math.h>

enum { most_frames = 70, guard = 3, row_length = most_frames * 17 + 8 };

struct version {
    const char *name;
    void (*interpolate)(float *restrict target, const float *restrict row, const int32_t *restrict frames,
                        const float *restrict fractions, uint32_t nframes);
    void (*interpolate_evenly)(float *restrict target, const float *restrict row, uint64_t position, uint64_t speed,
                               uint32_t nframes);
    bool fused;
};

// Whether the compiler contracts multiplications and additions: GCC does only when it optimises.
#if defined(__clang__) || defined(__OPTIMIZE__)
enum { contracts = true };
#else
enum { contracts = false };
#endif
// Clang does not define the first for x86-64.
#if defined(__FP_FAST_FMAF) || defined(__FMA__)
enum { default_is_fused = contracts };
#else
enum { default_is_fused = false };
#endif

// Stores the versions that this processor can run, and returns their number.
static unsigned runnable_versions(struct version versions[4]) {
    unsigned count = 0;
    versions[count++] = (struct version){"default", interpolate_default, interpolate_evenly_default, default_is_fused};
    bool selected_is_fused = default_is_fused;
#ifdef RCORE_SEVERAL_VERSIONS
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v3")) {
        versions[count++] = (struct version){"v3", interpolate_v3, interpolate_evenly_v3, contracts};
        selected_is_fused = contracts;
    }
    if (__builtin_cpu_supports("x86-64-v4")) {
        versions[count++] = (struct version){"v4", interpolate_v4, interpolate_evenly_v4, contracts};
    }
#endif
    versions[count++] = (struct version){"selected", interpolate, interpolate_evenly, selected_is_fused};
    return count;
}

// The products by 0.5 and 2 are exact: fused or not, their sums are the same.
static float reference(const float *points, float t, bool fused) {
    const float linear = 0.5f * points[2] - 0.5f * points[0];
    const float bend = points[1] - points[2];
    if (fused) {
        const float quadratic = fmaf(-2.5f, points[1], points[0]) + 2.0f * points[2] - 0.5f * points[3];
        const float cubic = 0.5f * (points[3] - points[0]) + fmaf(0.5f, bend, bend);
        return fmaf(fmaf(fmaf(cubic, t, quadratic), t, linear), t, points[1]);
    }
    // Volatile: every product is rounded, whatever the compiler's options.
    const volatile float product = 2.5f * points[1], half = 0.5f * bend;
    const float quadratic = points[0] - product + 2.0f * points[2] - 0.5f * points[3];
    const float cubic = 0.5f * (points[3] - points[0]) + (bend + half);
    const volatile float third = cubic * t, second = (third + quadratic) * t;
    const volatile float first = (second + linear) * t;
    return first + points[1];
}

static float row[row_length];
static float expected[most_frames], target[most_frames + guard];
static int32_t frames[most_frames];
static float fractions[most_frames];

static void fill_row(struct random *random) {
    for (unsigned i = 0; i < row_length; i++) {
        row[i] = random_float(random, -1.0f, 1.0f);
    }
}

static void expect_result(const struct version *version, const char *loop, uint64_t position, uint64_t speed,
                          uint32_t nframes) {
    const bool same = memcmp(target, expected, nframes * sizeof(float)) == 0;
    bool past_end = false;
    for (unsigned i = 0; i < guard; i++) {
        past_end = past_end || target[nframes + i] != 9.0f;
    }
    if (!same || past_end) {
        fprintf(stderr, "%s, %s: %u frames from %016" PRIx64 ", speed %016" PRIx64 "\n", version->name, loop, nframes,
                position, speed);
    }
    EXPECT(same);
    EXPECT(!past_end);
}

static void clear_target(uint32_t nframes) {
    for (unsigned i = 0; i < nframes + guard; i++) {
        target[i] = 9.0f;
    }
}

// Both loops of a version at evenly spaced positions.
static void expect_even(const struct version *version, uint64_t position, uint64_t speed, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        const uint64_t here = position + i * speed;
        frames[i] = (int32_t)(here >> 32);
        fractions[i] = interpolation_fraction(here);
        expected[i] = reference(row + frames[i], fractions[i], version->fused);
    }
    clear_target(nframes);
    version->interpolate_evenly(target, row, position, speed, nframes);
    expect_result(version, "evenly", position, speed, nframes);
    clear_target(nframes);
    version->interpolate(target, row, frames, fractions, nframes);
    expect_result(version, "at positions", position, speed, nframes);
}

static uint64_t speed_of(double speed) { return (uint64_t)(speed * 4294967296.0); }

TEST(every_version_at_every_length) {
    struct version versions[4];
    struct random random = random_seeded(1);
    const double speeds[] = {0.0625, 0.7071067811865, 0.9999999, 1.0, 1.0000001, 1.498307, 3.7, 16.0};
    const uint64_t phases[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    fill_row(&random);
    const unsigned count = runnable_versions(versions);
    for (unsigned v = 0; v < count; v++) {
        for (unsigned s = 0; s < sizeof speeds / sizeof *speeds; s++) {
            for (unsigned p = 0; p < sizeof phases / sizeof *phases; p++) {
                for (uint32_t nframes = 0; nframes <= most_frames; nframes++) {
                    expect_even(&versions[v], phases[p], speed_of(speeds[s]), nframes);
                }
            }
        }
    }
}

TEST(every_version_at_random_speeds) {
    struct version versions[4];
    struct random random = random_seeded(random_seed(2));
    const unsigned count = runnable_versions(versions);
    for (unsigned round = 0; round < 2000; round++) {
        if (round % 100 == 0) {
            fill_row(&random);
        }
        const uint64_t phase = (uint32_t)random_next(&random);
        const uint64_t speed = speed_of((double)random_float(&random, 0.0625f, 16.0f));
        const uint32_t nframes = random_below(&random, most_frames + 1);
        for (unsigned v = 0; v < count; v++) {
            expect_even(&versions[v], phase, speed, nframes);
        }
    }
}

// As during a speed ramp: every step has a length of its own, of up to 16 frames.
TEST(every_version_at_uneven_positions) {
    struct version versions[4];
    struct random random = random_seeded(random_seed(3));
    const unsigned count = runnable_versions(versions);
    fill_row(&random);
    for (unsigned round = 0; round < 2000; round++) {
        const uint32_t nframes = random_below(&random, most_frames + 1);
        uint64_t position = (uint32_t)random_next(&random);
        for (uint32_t i = 0; i < nframes; i++) {
            frames[i] = (int32_t)(position >> 32);
            fractions[i] = interpolation_fraction(position);
            position += speed_of((double)random_float(&random, 0.0625f, 16.0f));
        }
        for (unsigned v = 0; v < count; v++) {
            for (uint32_t i = 0; i < nframes; i++) {
                expected[i] = reference(row + frames[i], fractions[i], versions[v].fused);
            }
            clear_target(nframes);
            versions[v].interpolate(target, row, frames, fractions, nframes);
            expect_result(&versions[v], "at uneven positions", 0, 0, nframes);
        }
    }
}

// The four points of the last frame may be the last samples of their memory (address sanitizer).
TEST(no_version_reads_beyond_the_points) {
    struct version versions[4];
    const unsigned count = runnable_versions(versions);
    for (uint32_t nframes = 1; nframes <= 40; nframes++) {
        float *samples = calloc(nframes + 3, sizeof(float));
        for (uint32_t i = 0; i < nframes; i++) {
            frames[i] = (int32_t)i;
            fractions[i] = 0.5f;
        }
        for (unsigned v = 0; v < count; v++) {
            clear_target(nframes);
            versions[v].interpolate_evenly(target, samples, 0x80000000, speed_of(1.0), nframes);
            EXPECT(target[nframes - 1] == 0.0f);
            versions[v].interpolate(target, samples, frames, fractions, nframes);
            EXPECT(target[nframes - 1] == 0.0f);
        }
        free(samples);
    }
}

int main(void) {
    RUN(every_version_at_every_length);
    RUN(every_version_at_random_speeds);
    RUN(every_version_at_uneven_positions);
    RUN(no_version_reads_beyond_the_points);
    return test_result();
}
