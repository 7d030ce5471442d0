/// Reference for the true peak: the largest magnitude of the continuous waveform through the
/// samples, at sixteen points per sample, computed with a far longer filter than a meter's. The
/// signal is silent before and after the samples.
#ifndef TEST_TRUE_PEAK_H
#define TEST_TRUE_PEAK_H

#include <math.h>
#include <stdint.h>

enum { true_peak_reach = 128, true_peak_places = 16 };

static inline double true_peak_reference(const float *samples, uint32_t nframes) {
    static double taps[2 * true_peak_reach + 1][true_peak_places];
    if (taps[true_peak_reach][0] == 0.0) {
        const double pi = 3.14159265358979323846;
        for (int k = -true_peak_reach; k <= true_peak_reach; k++) {
            for (int place = 0; place < true_peak_places; place++) {
                const double distance = k - place / (double)true_peak_places;
                const double window = 0.5 + 0.5 * cos(pi * fmin(1.0, fabs(distance) / (true_peak_reach + 1)));
                const double sinc = distance == 0.0 ? 1.0 : sin(pi * distance) / (pi * distance);
                taps[k + true_peak_reach][place] = sinc * window;
            }
        }
    }
    double greatest = 0.0;
    for (int64_t i = -true_peak_reach; i < (int64_t)nframes + true_peak_reach; i++) {
        double sums[true_peak_places] = {0.0};
        for (int k = -true_peak_reach; k <= true_peak_reach; k++) {
            const double sample = i + k >= 0 && i + k < (int64_t)nframes ? (double)samples[i + k] : 0.0;
            for (int place = 0; place < true_peak_places; place++) {
                sums[place] += sample * taps[k + true_peak_reach][place];
            }
        }
        for (int place = 0; place < true_peak_places; place++) {
            greatest = fmax(greatest, fabs(sums[place]));
        }
    }
    return greatest;
}

#endif
