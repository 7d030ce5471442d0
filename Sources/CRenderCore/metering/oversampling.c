#include "metering/oversampling.h"

#include "core/multiversion.h"

#include <math.h>

enum { longest = 256 };

// Modified Bessel function of the first kind, of order 0.
static double bessel(double x) {
    double sum = 1.0;
    double term = 1.0;
    for (int k = 1; k < 40; k++) {
        term *= x / (2.0 * k) * (x / (2.0 * k));
        sum += term;
    }
    return sum;
}

double oversampling_weight(double distance, double reach, double beta) {
    const double pi = 3.14159265358979323846;
    const double relative = distance / reach;
    const double window = bessel(beta * sqrt(fmax(0.0, 1.0 - relative * relative))) / bessel(beta);
    return distance == 0.0 ? 1.0 : sin(pi * distance) / (pi * distance) * window;
}

void oversampling_init(struct oversampling *oversampling) {
    const double beta = 6.0; // Kaiser: flat within 0.02 dB up to 0.9 of half the sample rate
    const int centre = OVERSAMPLING_TAPS / 2 - 1;
    for (int phase = 1; phase < OVERSAMPLING_FACTOR; phase++) {
        float *taps = oversampling->taps[phase - 1];
        double values[OVERSAMPLING_TAPS];
        double sum = 0.0;
        for (int k = 0; k < OVERSAMPLING_TAPS; k++) {
            const double distance = k - centre - (double)phase / OVERSAMPLING_FACTOR;
            values[k] = oversampling_weight(distance, OVERSAMPLING_TAPS / 2.0, beta);
            sum += values[k];
        }
        for (int k = 0; k < OVERSAMPLING_TAPS; k++) {
            taps[k] = (float)(values[k] / sum);
        }
    }
}

// Applies four taps in each pass over the frames, so that the compiler can vectorise the inner
// loop.
MULTIVERSION static void filter(float *restrict target, const float *restrict samples, const float *restrict taps,
                                uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] = 0.0f;
    }
    for (uint32_t k = 0; k < OVERSAMPLING_TAPS; k += 4) {
        const float *source = samples + k;
        for (uint32_t i = 0; i < nframes; i++) {
            target[i] += source[i] * taps[k] + source[i + 1] * taps[k + 1] + source[i + 2] * taps[k + 2] +
                         source[i + 3] * taps[k + 3];
        }
    }
}

MULTIVERSION static float greatest_magnitude(const float *samples, uint32_t nframes) RCORE_RT {
    float greatest = 0.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float magnitude = fabsf(samples[i]);
        greatest = magnitude > greatest ? magnitude : greatest;
    }
    return greatest;
}

float oversampling_peak(const struct oversampling *oversampling, const float *samples, uint32_t nframes) RCORE_RT {
    float values[longest];
    float greatest = 0.0f;
    nframes = nframes < longest ? nframes : longest;
    for (uint32_t phase = 0; phase < OVERSAMPLING_FACTOR - 1; phase++) {
        filter(values, samples, oversampling->taps[phase], nframes);
        const float magnitude = greatest_magnitude(values, nframes);
        greatest = magnitude > greatest ? magnitude : greatest;
    }
    return greatest;
}
