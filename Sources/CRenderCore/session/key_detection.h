/// How the samples of a key decide whether it is audible.
///
/// These functions use no core: the gate of a C session (CAudioSession) consists of them as well.
#ifndef RCORE_KEY_DETECTION_H
#define RCORE_KEY_DETECTION_H

#include "render_core.h"

/// A gate's word of the detection, in the units of the cycle.
struct key_detection {
    uint64_t word;
    bool enabled;
    /// The key that the session is, 0…15.
    uint32_t key;
    /// Linear.
    float threshold;
    uint32_t hold_ms;
};

/// Unpacks a gate's word of the detection.
struct key_detection key_detection_unpack(uint64_t word) RCORE_RT;
/// Returns whether a sample of the block, times `gain`, exceeds the threshold.
bool key_detection_hears(const struct key_detection *detection, float gain, float *const *planes, uint32_t channels,
                         uint32_t first, uint32_t nframes) RCORE_RT;
/// Returns the frames for which the session remains audible after such a block.
uint64_t key_detection_hold(const struct key_detection *detection, uint32_t sample_rate) RCORE_RT;

#endif
