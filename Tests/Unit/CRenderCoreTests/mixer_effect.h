/// An insert for tests: a gain and a delay that record how the core calls them.
#ifndef MIXER_EFFECT_H
#define MIXER_EFFECT_H

#include "rcore_plan.h"

enum { mixer_effect_channels = 4 };

/// The context of an insert.
struct mixer_effect {
    /// The last `latency` frames of each channel.
    float *ring[mixer_effect_channels];
    uint32_t place;
    uint32_t latency;
    uint32_t channels;
    float gain;
    /// Whether the effect has been opened for a plan.
    bool given;
    /// Whether no plan held by the core contains the effect. From then on, the core must not call
    /// it.
    bool gone;
    /// Frames rendered since the test last reset this field to 0.
    uint32_t rendered;
    /// Number of calls since the effect was opened.
    uint64_t calls;
    /// Number of calls while `gone` was set, or with another channel count.
    uint64_t bad_calls;
};

/// Opens an effect that outputs `gain` times its input from `latency` frames ago, for up to four
/// channels.
void mixer_effect_open(struct mixer_effect *effect, uint32_t channels, uint32_t latency, float gain);
void mixer_effect_close(struct mixer_effect *effect);
/// Clears the delay line. The core must not call the effect meanwhile.
void mixer_effect_clear(struct mixer_effect *effect);
/// Returns the effect as the insert of a bus.
rcore_insert_t mixer_effect_insert(struct mixer_effect *effect);

#endif
