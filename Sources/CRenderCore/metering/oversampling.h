/// The waveform between the samples: eightfold oversampling with a windowed sinc, as true-peak
/// measurement requires (ITU-R BS.1770).
#ifndef RCORE_OVERSAMPLING_H
#define RCORE_OVERSAMPLING_H

#include "rcore_base.h"

enum {
    OVERSAMPLING_FACTOR = 8,
    /// Number of samples from which one value between two samples is computed.
    OVERSAMPLING_TAPS = 32,
    /// Number of samples that a segment needs from before its start.
    OVERSAMPLING_HISTORY = OVERSAMPLING_TAPS - 1,
};

/// The interpolation filters, one for each position between two samples.
struct oversampling {
    float taps[OVERSAMPLING_FACTOR - 1][OVERSAMPLING_TAPS];
};

/// Returns the weight of a sample in the waveform `distance` samples away: a sinc under a Kaiser
/// window of parameter `beta` that extends `reach` samples to either side. [control]
double oversampling_weight(double distance, double reach, double beta);
/// Computes the filters. [control]
void oversampling_init(struct oversampling *oversampling);
/// Returns the greatest magnitude of the waveform between the samples. [render] `samples` holds
/// `OVERSAMPLING_HISTORY` earlier samples and then `nframes` (0…256) new ones. The positions
/// examined lie `OVERSAMPLING_TAPS / 2` samples before the new ones.
float oversampling_peak(const struct oversampling *oversampling, const float *samples, uint32_t nframes) RCORE_RT;

#endif
