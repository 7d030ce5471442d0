/// Filters of voices. All functions [render].
#ifndef RCORE_FILTER_INTERNAL_H
#define RCORE_FILTER_INTERNAL_H

#include "mix/ramp.h"
#include "rcore_filter.h"
#include "voices/envelope.h"

#include <assert.h>
#include <stdalign.h>

/// Most filters of two poles in series, and the pairs of channels that one loop processes.
enum { FILTER_STAGES = 2, FILTER_PAIRS = RCORE_MAX_FILTER_CHANNELS / 2 };

static_assert(RCORE_MAX_FILTER_CHANNELS % 2 == 0, "channels are processed in pairs");

/// The samples of two channels.
typedef float channel_pair __attribute__((vector_size(8)));

/// The memory of one stage for a pair of channels: that of its two integrators.
struct filter_state {
    channel_pair first;
    channel_pair second;
};

/// What a filter is set to when its voice starts. Frequencies are in octaves above 1 Hz, lengths in
/// frames of the core.
struct filter_settings {
    uint32_t type;
    /// dB
    float resonance;
    float pitch;
    /// Octaves at level 1 of the envelope, whose lengths and sustain level are set.
    float range;
    struct envelope envelope;
};

/// The filter of a voice.
struct filter {
    alignas(64) struct filter_state states[FILTER_PAIRS][FILTER_STAGES];
    /// The coefficient g = tan(π · cutoff / sample rate), on a straight line until the end of the
    /// current segment.
    struct ramp g;
    /// The cutoff frequency without the envelope, in octaves above 1 Hz.
    struct ramp pitch;
    struct envelope envelope;
    float range;
    /// 1 / Q of each stage.
    float damping[FILTER_STAGES];
    uint32_t type;
    /// The rate for which g was computed.
    uint32_t sample_rate;
    /// Nothing moves, and g belongs to the cutoff frequency.
    bool is_settled;
};

/// Starts a filter.
void filter_start(struct filter *filter, const struct filter_settings *settings, uint32_t sample_rate) RCORE_RT;
/// Moves its cutoff frequency, except for what the envelope adds, in `ramp_frames`.
void filter_move(struct filter *filter, float pitch, uint32_t ramp_frames) RCORE_RT;
/// Begins the release of its envelope.
void filter_release(struct filter *filter) RCORE_RT;
/// Filters the next `nframes` frames of `channels` channels, at most RCORE_MAX_FILTER_CHANNELS.
/// `targets` may be the same memory as `sources`, channel by channel.
void filter_process(struct filter *filter, uint32_t sample_rate, const float *const *sources, float *const *targets,
                    uint32_t channels, uint32_t nframes) RCORE_RT;

#endif
