// The last row's even half is the place midway between two samples, which mirrors itself. Its odd half looks for what alternates from sample to sample:
// such a signal has no crest of its own, but gets one where a gain moves under it. It counts a little, so that the gain is low before that.
#include "crests.h"

#include "oversampling.h"
#include "widest.h"

#include <math.h>

static const double beta = 3.0; // Kaiser: flat within 0.05 dB to 0.98 of half the sample rate
static const double alternating_share = 0.2;

// What is beyond the middle, read backwards, beside what is before it.
static void fold(float *even, float *odd, const double *taps) {
    for (int k = 0; k < CRESTS_FOLDED; k++) {
        even[k] = (float)(0.5 * (taps[k] + taps[CRESTS_TAPS - 1 - k]));
        odd[k] = (float)(0.5 * (taps[k] - taps[CRESTS_TAPS - 1 - k]));
    }
}

// Of a constant all places have the same value. Returns the sum of the taps' magnitudes.
static double place_taps(double *taps, int eighths) {
    double sum = 0.0;
    double magnitudes = 0.0;
    for (int k = 0; k < CRESTS_TAPS; k++) {
        taps[k] = oversampling_weight(k - (CRESTS_TAPS / 2 - 1) - eighths / 8.0, CRESTS_TAPS / 2.0, beta);
        sum += taps[k];
        magnitudes += fabs(taps[k]);
    }
    for (int k = 0; k < CRESTS_TAPS; k++) {
        taps[k] /= sum;
    }
    return magnitudes / sum;
}

static void alternating_taps(double *taps) {
    const double pi = 3.14159265358979323846;
    double sum = 0.0;
    for (int k = 0; k < CRESTS_TAPS; k++) {
        taps[k] = 0.5 - 0.5 * cos(2.0 * pi * (k + 0.5) / CRESTS_TAPS);
        sum += taps[k];
    }
    for (int k = 0; k < CRESTS_TAPS; k++) {
        taps[k] *= (k % 2 == 0 ? 1.0 : -1.0) * alternating_share / sum;
    }
}

void crests_init(struct crests *crests) {
    double taps[CRESTS_TAPS];
    float nothing[CRESTS_FOLDED];
    double most = 0.0;
    for (int row = 0; row < CRESTS_ROWS; row++) {
        most = fmax(most, place_taps(taps, row + 1));
        fold(crests->even[row], crests->odd[row], taps);
    }
    alternating_taps(taps);
    fold(nothing, crests->odd[CRESTS_ROWS - 1], taps);
    crests->most = (float)((most + alternating_share) * 1.001); // and what rounding adds
}

// Four taps a pass over the frames, which the compiler takes in vectors.
WIDEST static void filter(float *restrict evens, float *restrict odds, const float *restrict samples,
                          const float *restrict even, const float *restrict odd, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        evens[i] = 0.0f;
        odds[i] = 0.0f;
    }
    for (uint32_t k = 0; k < CRESTS_FOLDED; k += 4) {
        const float *front = samples + k;
        const float *back = samples + CRESTS_TAPS - 4 - k;
        for (uint32_t i = 0; i < nframes; i++) {
            evens[i] += (front[i] + back[i + 3]) * even[k] + (front[i + 1] + back[i + 2]) * even[k + 1] +
                        (front[i + 2] + back[i + 1]) * even[k + 2] + (front[i + 3] + back[i]) * even[k + 3];
            odds[i] += (front[i] - back[i + 3]) * odd[k] + (front[i + 1] - back[i + 2]) * odd[k + 1] +
                       (front[i + 2] - back[i + 1]) * odd[k + 2] + (front[i + 3] - back[i]) * odd[k + 3];
        }
    }
}

WIDEST static void raise_by_sum(float *restrict highest, const float *restrict evens, const float *restrict odds,
                                uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float height = fabsf(evens[i]) + fabsf(odds[i]);
        highest[i] = height > highest[i] ? height : highest[i];
    }
}

WIDEST static void raise_by_last(float *restrict heights, const float *restrict highest, const float *restrict samples,
                                 const float *restrict evens, const float *restrict odds, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = fabsf(samples[i]);
        const float midway = fabsf(evens[i]);
        float height = midway > highest[i] ? midway : highest[i];
        height = (sample > height ? sample : height) + fabsf(odds[i]);
        heights[i] = height > heights[i] ? height : heights[i];
    }
}

void crests_raise(const struct crests *crests, float *heights, const float *samples, uint32_t nframes) RCORE_RT {
    float evens[CRESTS_PIECE];
    float odds[CRESTS_PIECE];
    float highest[CRESTS_PIECE];
    nframes = nframes < CRESTS_PIECE ? nframes : CRESTS_PIECE;
    for (uint32_t i = 0; i < nframes; i++) {
        highest[i] = 0.0f;
    }
    for (uint32_t row = 0; row < CRESTS_ROWS - 1; row++) {
        filter(evens, odds, samples, crests->even[row], crests->odd[row], nframes);
        raise_by_sum(highest, evens, odds, nframes);
    }
    filter(evens, odds, samples, crests->even[CRESTS_ROWS - 1], crests->odd[CRESTS_ROWS - 1], nframes);
    raise_by_last(heights, highest, samples + CRESTS_HISTORY - CRESTS_DELAY, evens, odds, nframes);
}
