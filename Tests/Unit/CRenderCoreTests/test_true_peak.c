// True peak of meters: compared with a longer filter, and measured with the test signals of EBU
// Tech 3341.
#include "expect.h"
#include "random.h"
#include "stage.h"
#include "true_peak.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static rcore_meter_t *make(void) {
    const rcore_meter_description_t description = {
        .channels = 1, .sample_rate = STAGE_RATE, .hold_seconds = 10.0f, .true_peak = true};
    return rcore_meter_create(&description, NULL);
}

static double true_peak_of(const float *samples, uint32_t nframes, uint32_t period) {
    rcore_meter_t *meter = make();
    for (uint32_t done = 0; done < nframes; done += period) {
        const float *planes[] = {samples + done};
        rcore_meter_write(meter, planes, nframes - done < period ? nframes - done : period);
    }
    const double peak = (double)rcore_meter_read(meter, 0).true_peak;
    rcore_meter_destroy(meter);
    return peak;
}

// An abrupt beginning or end has inter-sample peaks of its own: fade both.
static void soften(float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < 512; i++) {
        const float edge = (float)(0.5 - 0.5 * cos(pi * i / 512.0));
        samples[i] *= edge;
        samples[nframes - 1 - i] *= edge;
    }
}

/// A sine at a quarter of the sample rate. All its samples are 3 dB below its peak.
TEST(a_crest_between_samples_is_seen) {
    float samples[4096];
    fill_sine(samples, 4096, STAGE_RATE / 4.0, pi / 4.0, 1.0);
    soften(samples, 4096);
    EXPECT_NEAR(decibels(true_peak_of(samples, 4096, 64)), 0.0, 0.05);
    rcore_meter_t *meter = make();
    const float *planes[] = {samples};
    rcore_meter_write(meter, planes, 4096);
    EXPECT_NEAR(decibels((double)rcore_meter_read(meter, 0).peak), -3.01, 0.01);
    rcore_meter_destroy(meter);
}

TEST(true_peak_of_sines_is_within_two_tenths_of_a_decibel) {
    float samples[4096];
    const double hertz[] = {20.0, 997.0, 5000.0, 11025.0, 12000.0, 15000.0, 18000.0, 19000.0, 20000.0};
    for (size_t f = 0; f < sizeof hertz / sizeof *hertz; f++) {
        for (int phase = 0; phase < 8; phase++) {
            fill_sine(samples, 4096, hertz[f], pi * phase / 8.0, 0.5);
            soften(samples, 4096);
            const double error = decibels(true_peak_of(samples, 4096, 61) / 0.5);
            EXPECT(error > -0.2 && error < 0.05);
        }
    }
}

TEST(true_peak_of_noise_is_that_of_a_reference_at_sixteen_times_the_rate) {
    enum { nframes = 1500 };
    float noise[nframes + 64];
    float samples[nframes] = {0.0f};
    struct random random = random_seeded(11);
    for (int trial = 0; trial < 4; trial++) {
        for (uint32_t i = 0; i < nframes + 64; i++) {
            noise[i] = random_float(&random, -1.0f, 1.0f);
        }
        // Limited to 20 kHz, the audible range.
        for (uint32_t i = 0; i < nframes; i++) {
            double sum = 0.0;
            for (int k = 0; k < 64; k++) {
                const double distance = k - 31.5;
                const double window = 0.54 - 0.46 * cos(2.0 * pi * (k + 0.5) / 64.0);
                sum += (double)noise[i + (uint32_t)k] * sin(pi * distance * 0.8) / (pi * distance) * window;
            }
            const double edge = i < 200 ? i / 200.0 : i > nframes - 200 ? (nframes - i) / 200.0 : 1.0;
            samples[i] = (float)(sum * edge);
        }
        const double error = decibels(true_peak_of(samples, nframes, 64) / true_peak_reference(samples, nframes));
        EXPECT(error > -0.2 && error < 0.2);
    }
}

// ---- EBU Tech 3341 ------------------------------------------------------------------------------

/// Tolerance: from 0.4 dB below to 0.2 dB above.
static void expect_as_ebu(double measured, double wanted) { EXPECT_NEAR(decibels(measured), wanted - 0.1, 0.3); }

/// Cases 15 to 19: sines whose samples do not fall on their peaks.
TEST(ebu_tech_3341_sines) {
    const struct {
        /// Fraction of the sample rate.
        double part;
        double degrees;
        double level;
        /// Expected value in dBTP.
        double wanted;
    } cases[] = {
        {4.0, 0.0, 0.50, -6.0},  {4.0, 45.0, 0.50, -6.0}, {6.0, 60.0, 0.50, -6.0},
        {8.0, 67.5, 0.50, -6.0}, {4.0, 45.0, 1.41, 3.0},
    };
    float samples[4096];
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        fill_sine(samples, 4096, STAGE_RATE / cases[c].part, pi * cases[c].degrees / 180.0, cases[c].level);
        soften(samples, 4096);
        expect_as_ebu(true_peak_of(samples, 4096, 256), cases[c].wanted);
    }
}

/// Cases 20 to 23: one peak at full scale among others at half scale, generated at four times the
/// sample rate and decimated by four, starting at the first, second, third or fourth sample. The
/// swell is long enough to keep the whole signal below half the sample rate.
TEST(ebu_tech_3341_crests_at_four_offsets) {
    enum { nframes = 4096, crest = 8000, swell = 64 };
    float samples[nframes];
    for (int offset = 0; offset < 4; offset++) {
        for (int i = 0; i < nframes; i++) {
            const int distance = 4 * i + offset - crest;
            const double swelling =
                (distance < 0 ? -distance : distance) < swell ? 0.5 + 0.5 * cos(pi * distance / swell) : 0.0;
            samples[i] = (float)((0.5 + 0.5 * swelling) * cos(2.0 * pi * distance / 16.0));
        }
        soften(samples, nframes);
        expect_as_ebu(true_peak_of(samples, nframes, 256), 0.0);
    }
}

int main(void) {
    RUN(a_crest_between_samples_is_seen);
    RUN(true_peak_of_sines_is_within_two_tenths_of_a_decibel);
    RUN(true_peak_of_noise_is_that_of_a_reference_at_sixteen_times_the_rate);
    RUN(ebu_tech_3341_sines);
    RUN(ebu_tech_3341_crests_at_four_offsets);
    return test_result();
}
