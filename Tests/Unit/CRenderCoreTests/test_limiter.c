// Limiters: hostile signals compared with a reference at sixteen times the sample rate,
// transparency below the ceiling, the movement of the gain, and independence of the block length.
#include "expect.h"
#include "hostile.h"
#include "random.h"
#include "rcore_limiter.h"
#include "true_peak.h"

#include <string.h>

enum { rate = 48000, most_frames = 8192, silence = 1024, around = 143 };

static rcore_limiter_t *make(uint32_t channels, float ceiling, float release) {
    const rcore_limiter_description_t description = {channels, rate, ceiling, 0.0f, release};
    return rcore_limiter_create(&description, NULL);
}

static void process(rcore_limiter_t *limiter, float *left, float *right, uint32_t nframes) {
    float *planes[] = {left, right};
    rcore_limiter_process(limiter, planes, nframes);
}

static double decibels(double ratio) { return 20.0 * log10(ratio); }

static double sample_peak(const float *samples, uint32_t nframes) {
    double peak = 0.0;
    for (uint32_t i = 0; i < nframes; i++) {
        peak = fmax(peak, fabs((double)samples[i]));
    }
    return peak;
}

TEST(descriptions_are_checked) {
    rcore_status_t status = RCORE_OK;
    const rcore_limiter_description_t good = {2, rate, 0.5f, 0.001f, 0.05f};
    rcore_limiter_description_t bad[14];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i] = good;
    }
    bad[0].channels = 0;
    bad[1].channels = RCORE_MAX_CHANNELS + 1;
    bad[2].sample_rate = RCORE_MIN_SAMPLE_RATE - 1;
    bad[3].sample_rate = RCORE_MAX_SAMPLE_RATE + 1;
    bad[4].ceiling = 0.0009f;
    bad[5].ceiling = 1.001f;
    bad[6].ceiling = NAN;
    bad[7].lookahead_seconds = 0.0004f;
    bad[8].lookahead_seconds = 0.021f;
    bad[9].lookahead_seconds = -0.001f;
    bad[10].release_seconds = 0.0009f;
    bad[11].release_seconds = 5.1f;
    bad[12].release_seconds = NAN;
    bad[13].ceiling = -0.5f;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        EXPECT(rcore_limiter_create(&bad[i], &status) == NULL);
        EXPECT_EQUAL(status, RCORE_BAD_ARGUMENT);
    }
    EXPECT(rcore_limiter_create(NULL, NULL) == NULL);
    rcore_limiter_t *limiter = rcore_limiter_create(&good, &status);
    EXPECT_EQUAL(status, RCORE_OK);
    EXPECT_EQUAL(rcore_limiter_channels(limiter), 2);
    EXPECT(rcore_limiter_gain(limiter) == 1.0f);
    rcore_limiter_destroy(limiter);
    rcore_limiter_destroy(NULL);
}

/// The latency is the lookahead, at least 64 frames, plus the frames of the inter-sample peak
/// detector.
TEST(an_impulse_comes_out_after_the_latency) {
    const struct {
        uint32_t sample_rate;
        float lookahead;
        uint32_t frames;
    } cases[] = {{48000, 0.0f, 96}, {48000, 0.0005f, 64}, {44100, 0.003f, 133},  {96000, 0.002f, 192},
                 {1000, 0.02f, 64}, {8000, 0.01f, 80},    {768000, 0.02f, 15360}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const rcore_limiter_description_t description = {1, cases[c].sample_rate, 1.0f, cases[c].lookahead, 0.0f};
        rcore_limiter_t *limiter = rcore_limiter_create(&description, NULL);
        EXPECT_EQUAL(rcore_limiter_latency(limiter), cases[c].frames + around);
        float block[1000] = {0.5f};
        for (uint32_t done = 0; done < cases[c].frames + around + 1000; done += 1000) {
            process(limiter, block, NULL, 1000);
            for (uint32_t i = 0; i < 1000; i++) {
                EXPECT(block[i] == (done + i == cases[c].frames + around ? 0.5f : 0.0f));
                block[i] = 0.0f;
            }
        }
        rcore_limiter_destroy(limiter);
    }
}

TEST(what_stays_below_comes_out_bit_by_bit) {
    static float samples[most_frames];
    static float out[most_frames + silence];
    struct random random = random_seeded(3);
    for (uint32_t i = 0; i < most_frames; i++) {
        samples[i] = random_float(&random, -1.0f, 1.0f);
        if (i % 100 == 7) {
            samples[i] = -0.0f;
        } else if (i % 100 == 8) {
            samples[i] = 1e-42f; // denormal
        }
    }
    const float scale = (float)(0.5 * pow(10.0, -0.35 / 20.0) / true_peak_reference(samples, most_frames));
    for (uint32_t i = 0; i < most_frames; i++) {
        samples[i] *= i % 100 == 7 || i % 100 == 8 ? 1.0f : scale;
    }
    memcpy(out, samples, sizeof samples);
    rcore_limiter_t *limiter = make(1, 0.5f, 0.0f);
    const uint32_t latency = rcore_limiter_latency(limiter);
    process(limiter, out, NULL, most_frames + silence);
    EXPECT(memcmp(out + latency, samples, sizeof samples) == 0);
    EXPECT(rcore_limiter_gain(limiter) == 1.0f);
    rcore_limiter_destroy(limiter);
}

// ---- Hostile signals ----------------------------------------------------------------------------

// Limits one signal in both channels, one of them louder. Returns the highest inter-sample peak
// relative to the ceiling, in decibels.
static double limited_excess(const rcore_limiter_description_t *description, signal_t signal, uint64_t seed) {
    enum { nframes = 3000 };
    static float left[silence + nframes + 16384];
    static float right[silence + nframes + 16384];
    struct random random = random_seeded(seed);
    rcore_limiter_t *limiter = rcore_limiter_create(description, NULL);
    const uint32_t total = silence + nframes + rcore_limiter_latency(limiter);
    memset(left, 0, sizeof left);
    memset(right, 0, sizeof right);
    signal(&random, left + silence, nframes);
    signal(&random, right + silence, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        right[silence + i] *= seed % 2 == 0 ? 0.05f : 1.0f;
    }
    for (uint32_t done = 0; done < total;) {
        const uint32_t period = 1 + random_below(&random, 700);
        const uint32_t length = total - done < period ? total - done : period;
        process(limiter, left + done, right + done, length);
        done += length;
    }
    rcore_limiter_destroy(limiter);
    // A sample at exactly the ceiling would have been clamped.
    EXPECT(fmax(sample_peak(left, total), sample_peak(right, total)) < (double)description->ceiling);
    const double crest = fmax(true_peak_reference(left, total), true_peak_reference(right, total));
    return decibels(crest / (double)description->ceiling);
}

TEST(nothing_goes_above_the_ceiling) {
    static const rcore_limiter_description_t descriptions[] = {
        {2, 48000, 0.891f, 0.002f, 0.1f},   {2, 48000, 1.0f, 0.0005f, 0.001f}, {2, 44100, 0.5f, 0.005f, 0.01f},
        {2, 96000, 0.1f, 0.0005f, 0.001f},  {2, 8000, 0.891f, 0.02f, 0.3f},    {2, 1000, 0.7f, 0.002f, 0.05f},
        {2, 192000, 0.001f, 0.002f, 0.001f}};
    static const struct {
        const char *name;
        signal_t signal;
        uint64_t seeds;
    } signals[] = {{"white noise", white_noise, 14},
                   {"clipped noise", clipped_noise, 14},
                   {"square", square, 14},
                   {"impulses", impulses, 14},
                   {"sine with flips", sine_with_flips, 14},
                   {"alternating", alternating_with_turns, 140},
                   {"burst", burst_after_silence, 14},
                   {"steps", steps, 14},
                   {"crest of sines", crest_of_sines, 14},
                   {"leaping noise", leaping_noise, 14},
                   {"sine", sine, 14}};
    for (size_t s = 0; s < sizeof signals / sizeof *signals; s++) {
        double worst = -100.0;
        for (uint64_t seed = 0; seed < signals[s].seeds; seed++) {
            const double excess = limited_excess(&descriptions[seed % 7], signals[s].signal, 100 * s + seed);
            if (!(excess <= 0.0)) {
                fprintf(stderr, "%s, seed %u: %+.3f dB\n", signals[s].name, (unsigned)seed, excess);
            }
            worst = fmax(worst, excess);
        }
        printf("%s: %+.3f dB\n", signals[s].name, worst);
        EXPECT(worst <= 0.0);
    }
}

TEST(a_steady_sine_lies_at_most_three_tenths_of_a_decibel_below) {
    static float samples[most_frames];
    for (uint32_t hertz = 50; hertz < 23500; hertz += 977) {
        rcore_limiter_t *limiter = make(1, 0.5f, 0.0f);
        for (uint32_t i = 0; i < most_frames; i++) {
            samples[i] = (float)(2.0 * sin(2.0 * hostile_pi * hertz * i / rate));
        }
        process(limiter, samples, NULL, most_frames);
        const uint32_t settled = most_frames / 2;
        // An abrupt beginning or end has inter-sample peaks of its own.
        for (uint32_t i = 0; i < 512; i++) {
            const float edge = (float)(0.5 - 0.5 * cos(hostile_pi * i / 512.0));
            samples[settled + i] *= edge;
            samples[most_frames - 1 - i] *= edge;
        }
        EXPECT_NEAR(decibels(true_peak_reference(samples + settled, settled) / 0.5), -0.2, 0.1);
        rcore_limiter_destroy(limiter);
    }
}

// ---- Gain movement ------------------------------------------------------------------------------

// The second channel is a constant, which shows the gain.
static void limit_with_gain(rcore_limiter_t *limiter, float *samples, float *gains, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        gains[i] = 0.25f;
    }
    process(limiter, samples, gains, nframes);
    for (uint32_t i = 0; i < nframes; i++) {
        gains[i] *= 4.0f;
    }
}

/// The gain falls in a straight line before the peak, holds, and rises exponentially, without a
/// step or a clamp.
TEST(the_gain_falls_before_a_peak_and_comes_back) {
    static float samples[most_frames];
    static float gains[most_frames];
    memset(samples, 0, sizeof samples);
    const uint32_t at = 1000;
    samples[at] = 4.0f;
    rcore_limiter_t *limiter = make(2, 0.5f, 0.02f); // 960 frames
    const uint32_t peak = at + rcore_limiter_latency(limiter);
    limit_with_gain(limiter, samples, gains, most_frames);
    const double least = (double)gains[peak];
    EXPECT_NEAR(decibels(least * 4.0 / 0.5), -0.25, 0.02);
    EXPECT_NEAR(samples[peak], 4.0 * least, 1e-6);
    EXPECT(gains[peak - 400] == 1.0f);
    // The first inter-sample peak above the ceiling lies a few frames before the peak: the fall
    // begins before that by lookahead and hold.
    uint32_t begin = peak;
    while (gains[begin - 1] < 1.0f) {
        begin--;
    }
    EXPECT(peak - begin >= 96 + 48 && peak - begin <= 96 + 48 + 8);
    for (uint32_t i = begin; i + 1 < peak; i++) {
        EXPECT(gains[i] - gains[i + 1] <= (1.0 - least) / 96.0 * 1.0001 && gains[i + 1] <= gains[i]);
    }
    // The moving average lags behind the exponential by half the fall.
    uint32_t end = peak;
    while ((double)gains[end] < least * 1.0001) {
        end++;
    }
    EXPECT_NEAR(gains[end + 48 + 960], 1.0 - (1.0 - least) * exp(-1.0), 0.02);
    for (uint32_t i = peak; i + 1 < most_frames; i++) {
        EXPECT(gains[i + 1] >= gains[i] && gains[i + 1] - gains[i] < 1.01 * (1.0 - least) / 960.0);
    }
    rcore_limiter_destroy(limiter);
}

/// The gain never falls or rises faster than its line, whatever the input is.
TEST(gains_never_leap) {
    static float samples[most_frames];
    static float gains[most_frames];
    struct random random = random_seeded(21);
    for (int trial = 0; trial < 20; trial++) {
        leaping_noise(&random, samples, most_frames);
        rcore_limiter_t *limiter = make(2, 0.891f, 0.005f); // 240 frames
        limit_with_gain(limiter, samples, gains, most_frames);
        for (uint32_t i = 400; i + 1 < most_frames; i++) {
            const double step = (double)gains[i + 1] - (double)gains[i];
            EXPECT(step >= -1.0001 / 96.0 && step <= 1.0001 / 240.0);
        }
        rcore_limiter_destroy(limiter);
    }
}

TEST(the_least_gain_of_a_call_is_notified) {
    static float samples[most_frames];
    rcore_limiter_t *limiter = make(1, 0.5f, 0.001f);
    const uint32_t latency = rcore_limiter_latency(limiter);
    memset(samples, 0, sizeof samples);
    samples[0] = 2.0f;
    process(limiter, samples, NULL, latency - 96 - 48 - 10);
    EXPECT(rcore_limiter_gain(limiter) == 1.0f);
    process(limiter, samples, NULL, 2 * latency);
    EXPECT_NEAR(rcore_limiter_gain(limiter), 0.25 * 0.9716, 0.001);
    process(limiter, samples, NULL, 0);
    EXPECT_NEAR(rcore_limiter_gain(limiter), 0.25 * 0.9716, 0.001);
    memset(samples, 0, sizeof samples);
    process(limiter, samples, NULL, 4000);
    process(limiter, samples, NULL, 1);
    EXPECT(rcore_limiter_gain(limiter) == 1.0f);
    rcore_limiter_destroy(limiter);
}

// ---- Irrelevant conditions ----------------------------------------------------------------------

TEST(what_is_no_number_is_silence) {
    static float broken[2][most_frames];
    static float whole[2][most_frames];
    struct random random = random_seeded(5);
    const float invalid[] = {NAN, INFINITY, -INFINITY, -NAN};
    for (uint32_t i = 0; i < 2 * most_frames; i++) {
        const bool is_invalid = random_once_in(&random, 30);
        const float sample = random_float(&random, -2.0f, 2.0f);
        (&broken[0][0])[i] = is_invalid ? invalid[random_below(&random, 4)] : sample;
        (&whole[0][0])[i] = is_invalid ? 0.0f : sample;
    }
    rcore_limiter_t *first = make(2, 0.0f, 0.0f);
    rcore_limiter_t *second = make(2, 0.0f, 0.0f);
    process(first, broken[0], broken[1], most_frames);
    process(second, whole[0], whole[1], most_frames);
    EXPECT(memcmp(broken, whole, sizeof whole) == 0);
    // The largest finite samples only cause a very low gain.
    for (uint32_t i = 0; i < most_frames; i++) {
        whole[0][i] = i < 100 ? (i % 3 == 0 ? -3.4e38f : 3.4e38f) : 0.01f;
    }
    process(second, whole[0], whole[1], most_frames);
    EXPECT(sample_peak(whole[0], most_frames) < 0.891);
    for (uint32_t i = 0; i < 6; i++) {
        memset(whole, 0, sizeof whole);
        whole[0][1000] = 0.25f;
        process(second, whole[0], whole[1], most_frames);
    }
    EXPECT(whole[0][1000 + rcore_limiter_latency(second)] > 0.2f);
    rcore_limiter_destroy(first);
    rcore_limiter_destroy(second);
}

TEST(cuts_make_no_difference) {
    enum { nframes = 40000 };
    static float first[2][nframes];
    static float other[2][nframes];
    static float source[2][nframes];
    struct random random = random_seeded(9);
    const uint32_t periods[] = {1, 7, 64, 255, 257, 1000, 8192, 0};
    for (uint32_t c = 0; c < 2; c++) {
        leaping_noise(&random, source[c], nframes / 2); // with the pauses in between
        memset(source[c] + nframes / 2, 0, sizeof source[c] / 4);
        white_noise(&random, source[c] + nframes * 3 / 4, nframes / 4);
    }
    for (size_t p = 0; p < sizeof periods / sizeof *periods; p++) {
        float(*target)[nframes] = p == 0 ? first : other;
        memcpy(target, source, sizeof source);
        rcore_limiter_t *limiter = make(2, 0.0f, 0.001f);
        for (uint32_t done = 0; done < nframes;) {
            const uint32_t period = periods[p] > 0 ? periods[p] : 1 + random_below(&random, 900);
            const uint32_t length = nframes - done < period ? nframes - done : period;
            process(limiter, target[0] + done, target[1] + done, length);
            done += length;
        }
        EXPECT(memcmp(first, target, sizeof first) == 0);
        rcore_limiter_destroy(limiter);
    }
}

int main(void) {
    RUN(descriptions_are_checked);
    RUN(an_impulse_comes_out_after_the_latency);
    RUN(what_stays_below_comes_out_bit_by_bit);
    RUN(nothing_goes_above_the_ceiling);
    RUN(a_steady_sine_lies_at_most_three_tenths_of_a_decibel_below);
    RUN(the_gain_falls_before_a_peak_and_comes_back);
    RUN(gains_never_leap);
    RUN(the_least_gain_of_a_call_is_notified);
    RUN(what_is_no_number_is_silence);
    RUN(cuts_make_no_difference);
    return test_result();
}
