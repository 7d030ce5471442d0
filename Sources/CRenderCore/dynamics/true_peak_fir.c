// Each row holds the two halves of a folded filter (true_peak_fir.h), for 1/8, 2/8, 3/8 and 4/8 of
// the distance between two samples. The last filter, midway, is its own mirror image, so its odd
// half is 0. Instead of it, the odd half of the last row detects signals that alternate from sample
// to sample: they have no inter-sample peak, but get one where a gain changes. It adds a small
// share to the height, so that the gain is already low there.
#include "dynamics/true_peak_fir.h"

#include "core/multiversion.h"
#include "metering/oversampling.h"

#include <math.h>

static const double beta = 3.0; // Kaiser: flat within 0.05 dB up to 0.98 of half the sample rate
static const double alternating_share = 0.2;

// Folds a filter: splits it into its even and odd halves.
static void fold(float *even, float *odd, const double *taps) {
    for (int k = 0; k < TRUE_PEAK_FIR_FOLDED; k++) {
        even[k] = (float)(0.5 * (taps[k] + taps[TRUE_PEAK_FIR_TAPS - 1 - k]));
        odd[k] = (float)(0.5 * (taps[k] - taps[TRUE_PEAK_FIR_TAPS - 1 - k]));
    }
}

// Computes the taps for the position `eighths` / 8 between two samples, normalised so that a
// constant signal has the same value at all positions. Returns the sum of the taps' magnitudes.
static double compute_taps(double *taps, int eighths) {
    double sum = 0.0;
    double magnitudes = 0.0;
    const int centre = TRUE_PEAK_FIR_TAPS / 2 - 1;
    for (int k = 0; k < TRUE_PEAK_FIR_TAPS; k++) {
        taps[k] = oversampling_weight(k - centre - eighths / 8.0, TRUE_PEAK_FIR_TAPS / 2.0, beta);
        sum += taps[k];
        magnitudes += fabs(taps[k]);
    }
    for (int k = 0; k < TRUE_PEAK_FIR_TAPS; k++) {
        taps[k] /= sum;
    }
    return magnitudes / sum;
}

// Computes taps that detect alternating signals: a Hann window with alternating signs, whose
// magnitudes add up to `alternating_share`.
static void alternating_taps(double *taps) {
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int k = 0; k < TRUE_PEAK_FIR_TAPS; k++) {
        taps[k] = 0.5 - 0.5 * cos(2.0 * pi * (k + 0.5) / TRUE_PEAK_FIR_TAPS);
        sum += taps[k];
    }
    for (int k = 0; k < TRUE_PEAK_FIR_TAPS; k++) {
        taps[k] *= (k % 2 == 0 ? 1.0 : -1.0) * alternating_share / sum;
    }
}

void true_peak_fir_init(struct true_peak_fir *detector) {
    double taps[TRUE_PEAK_FIR_TAPS];
    float unused[TRUE_PEAK_FIR_FOLDED];
    double greatest_sum = 0.0;
    for (int row = 0; row < TRUE_PEAK_FIR_ROWS; row++) {
        greatest_sum = fmax(greatest_sum, compute_taps(taps, row + 1));
        fold(detector->even[row], detector->odd[row], taps);
    }
    alternating_taps(taps);
    fold(unused, detector->odd[TRUE_PEAK_FIR_ROWS - 1], taps);
    // With a margin for rounding errors.
    detector->max_gain = (float)((greatest_sum + alternating_share) * 1.001);
}

// Applies four taps in each pass over the frames, so that the compiler can vectorise the inner
// loop.
MULTIVERSION static void filter(float *restrict evens, float *restrict odds, const float *restrict samples,
                                const float *restrict even, const float *restrict odd, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        evens[i] = 0.0f;
        odds[i] = 0.0f;
    }
    for (uint32_t k = 0; k < TRUE_PEAK_FIR_FOLDED; k += 4) {
        const float *front = samples + k;
        const float *back = samples + TRUE_PEAK_FIR_TAPS - 4 - k;
        for (uint32_t i = 0; i < nframes; i++) {
            evens[i] += (front[i] + back[i + 3]) * even[k] + (front[i + 1] + back[i + 2]) * even[k + 1] +
                        (front[i + 2] + back[i + 1]) * even[k + 2] + (front[i + 3] + back[i]) * even[k + 3];
            odds[i] += (front[i] - back[i + 3]) * odd[k] + (front[i + 1] - back[i + 2]) * odd[k + 1] +
                       (front[i + 2] - back[i + 1]) * odd[k + 2] + (front[i + 3] - back[i]) * odd[k + 3];
        }
    }
}

// Raises `highest` to the greater magnitude of the two filters of a row: the sum of the magnitudes
// of both halves.
MULTIVERSION static void raise_by_sum(float *restrict highest, const float *restrict evens, const float *restrict odds,
                                      uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float height = fabsf(evens[i]) + fabsf(odds[i]);
        highest[i] = height > highest[i] ? height : highest[i];
    }
}

// Raises `heights` to the greatest of the sample, the value midway (the even half of the last row)
// and `highest`, plus the share of an alternating signal (the odd half of that row).
MULTIVERSION static void raise_by_last(float *restrict heights, const float *restrict highest,
                                       const float *restrict samples, const float *restrict evens,
                                       const float *restrict odds, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = fabsf(samples[i]);
        const float midway = fabsf(evens[i]);
        float height = midway > highest[i] ? midway : highest[i];
        height = (sample > height ? sample : height) + fabsf(odds[i]);
        heights[i] = height > heights[i] ? height : heights[i];
    }
}

void true_peak_fir_raise(const struct true_peak_fir *detector, float *heights, const float *samples,
                         uint32_t nframes) RCORE_RT {
    float evens[TRUE_PEAK_FIR_SEGMENT];
    float odds[TRUE_PEAK_FIR_SEGMENT];
    float highest[TRUE_PEAK_FIR_SEGMENT];
    nframes = nframes < TRUE_PEAK_FIR_SEGMENT ? nframes : TRUE_PEAK_FIR_SEGMENT;
    for (uint32_t i = 0; i < nframes; i++) {
        highest[i] = 0.0f;
    }
    for (uint32_t row = 0; row < TRUE_PEAK_FIR_ROWS - 1; row++) {
        filter(evens, odds, samples, detector->even[row], detector->odd[row], nframes);
        raise_by_sum(highest, evens, odds, nframes);
    }
    filter(evens, odds, samples, detector->even[TRUE_PEAK_FIR_ROWS - 1], detector->odd[TRUE_PEAK_FIR_ROWS - 1],
           nframes);
    raise_by_last(heights, highest, samples + TRUE_PEAK_FIR_HISTORY - TRUE_PEAK_FIR_DELAY, evens, odds, nframes);
}
