// How the samples of a key decide whether it is audible.
#include "session/key_detection.h"

#include "session_gate_page.h"

#include <math.h>

struct key_detection key_detection_unpack(uint64_t word) RCORE_RT {
    const sgate_detection_t unpacked = sgate_word_to_detection(word);
    return (struct key_detection){
        .word = word,
        .enabled = unpacked.enabled,
        .key = unpacked.key,
        .threshold = powf(10.0f, -(float)unpacked.threshold / 20.0f),
        .hold_ms = unpacked.hold_ms,
    };
}

bool key_detection_hears(const struct key_detection *detection, float gain, float *const *planes, uint32_t channels,
                         uint32_t first, uint32_t nframes) RCORE_RT {
    if (gain <= 0.0f) {
        return false;
    }
    const float threshold = detection->threshold / gain;
    for (uint32_t channel = 0; channel < channels; channel++) {
        for (uint32_t i = first; i < first + nframes; i++) {
            if (fabsf(planes[channel][i]) > threshold) {
                return true;
            }
        }
    }
    return false;
}

uint64_t key_detection_hold(const struct key_detection *detection, uint32_t sample_rate) RCORE_RT {
    return (uint64_t)sample_rate * detection->hold_ms / 1000;
}
