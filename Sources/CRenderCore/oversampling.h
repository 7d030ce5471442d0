/// The waveform between the samples: eightfold oversampling by a windowed sinc, as true peak needs it (ITU-R BS.1770).
#ifndef RCORE_OVERSAMPLING_H
#define RCORE_OVERSAMPLING_H

#include "rcore_base.h"

enum {
    OVERSAMPLING_FACTOR = 8,
    OVERSAMPLING_TAPS = 32,                       ///< samples that a value between two of them is made of
    OVERSAMPLING_HISTORY = OVERSAMPLING_TAPS - 1, ///< samples that a piece needs from before it
};

/// The filter of each place between two samples.
struct oversampling {
    float taps[OVERSAMPLING_FACTOR - 1][OVERSAMPLING_TAPS];
};

/// What a sample counts for the waveform `distance` samples from it: a sinc under a Kaiser window that ends `reach` samples to either side. [control]
double oversampling_weight(double distance, double reach, double beta);
/// Computes the filters. [control]
void oversampling_init(struct oversampling *oversampling);
/// Greatest magnitude between the samples: of `OVERSAMPLING_HISTORY` earlier ones and `nframes` (0…256) new ones, at the places that lie
/// `OVERSAMPLING_TAPS / 2` samples before the new ones. [render]
float oversampling_peak(const struct oversampling *oversampling, const float *samples, uint32_t nframes) RCORE_RT;

#endif
