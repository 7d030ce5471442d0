/// Inter-sample peak detector: the height of the waveform frame by frame, which a limiter must know
/// before it lets a frame pass.
///
/// A meter's filter (oversampling.h) may be short: it misses part of the signal near half the
/// sample rate, which is inaudible. A limiter's filter must include it: in that range, clipped
/// noise and square waves have inter-sample peaks of up to 11 dB, which another converter or meter
/// would detect.
#ifndef RCORE_TRUE_PEAK_FIR_H
#define RCORE_TRUE_PEAK_FIR_H

#include "rcore_base.h"

enum {
    /// Number of samples from which one value between two samples is computed.
    TRUE_PEAK_FIR_TAPS = 192,
    /// Number of samples that a segment needs from before its start.
    TRUE_PEAK_FIR_HISTORY = TRUE_PEAK_FIR_TAPS - 1,
    /// Delay from a frame to its height, in frames.
    TRUE_PEAK_FIR_DELAY = TRUE_PEAK_FIR_TAPS / 2,
    /// Maximum number of frames in one call.
    TRUE_PEAK_FIR_SEGMENT = 256,
    /// Taps of a folded filter, whose two halves mirror each other.
    TRUE_PEAK_FIR_FOLDED = TRUE_PEAK_FIR_TAPS / 2,
    TRUE_PEAK_FIR_ROWS = 4,
};

/// The filters for eight positions per sample, folded: the filter for p eighths is the mirror image
/// of the one for 8 - p. Their even and odd halves are each applied once; the greater of the two
/// filters' magnitudes is the sum of the magnitudes of both halves.
struct true_peak_fir {
    float even[TRUE_PEAK_FIR_ROWS][TRUE_PEAK_FIR_FOLDED];
    float odd[TRUE_PEAK_FIR_ROWS][TRUE_PEAK_FIR_FOLDED];
    /// Upper limit of a height, as a multiple of the greatest sample from which it is computed.
    float max_gain;
};

/// Computes the filters. [control]
void true_peak_fir_init(struct true_peak_fir *detector);
/// Raises `heights` to those of `nframes` (0…TRUE_PEAK_FIR_SEGMENT) frames: the greatest magnitude
/// from one sample up to the next. [render] `samples` holds TRUE_PEAK_FIR_HISTORY earlier samples
/// and then `nframes` new ones, all finite. The heights are those of the frames TRUE_PEAK_FIR_DELAY
/// before the new ones. Costs some 800 vectorised operations per frame. The bits are the same
/// wherever a period is divided.
void true_peak_fir_raise(const struct true_peak_fir *detector, float *heights, const float *samples,
                         uint32_t nframes) RCORE_RT;

#endif
