/// How high the waveform goes, frame by frame: what a limiter has to know before it lets a frame go.
///
/// A meter's filter (oversampling.h) may be short: near half the sample rate it misses some of what there is, and no ear hears that. A limiter's
/// may not: noise and square waves that were clipped have crests there of up to 11 dB, which another converter or meter finds.
#ifndef RCORE_CRESTS_H
#define RCORE_CRESTS_H

#include "rcore_base.h"

enum {
    CRESTS_TAPS = 192,                ///< samples that a value between two of them is made of
    CRESTS_HISTORY = CRESTS_TAPS - 1, ///< samples that a piece needs from before it
    CRESTS_DELAY = CRESTS_TAPS / 2,   ///< by how many frames a height is later than its frame
    CRESTS_PIECE = 256,               ///< frames at once, at most
    CRESTS_FOLDED = CRESTS_TAPS / 2,  ///< of a filter whose two halves mirror each other
    CRESTS_ROWS = 4,
};

/// The filters at eight places a sample, folded: the one at p eighths, read backwards, is the one at 8 - p. What is even in both and what is odd
/// is filtered once, and the higher of the two values is the sum of the magnitudes.
struct crests {
    float even[CRESTS_ROWS][CRESTS_FOLDED];
    float odd[CRESTS_ROWS][CRESTS_FOLDED];
    float most; ///< no height is greater than so many times the greatest sample that it is made of
};

/// Computes the filters. [control]
void crests_init(struct crests *crests);
/// Raises `heights` to those of `nframes` (0…CRESTS_PIECE) frames: the greatest magnitude from a sample up to the next one. `samples` are CRESTS_HISTORY
/// earlier samples and `nframes` new ones, all finite; the heights are of the frames that lie CRESTS_DELAY before the new ones. [render] Some 800
/// operations for each frame, in vectors; the bits are the same wherever a period is cut.
void crests_raise(const struct crests *crests, float *heights, const float *samples, uint32_t nframes) RCORE_RT;

#endif
