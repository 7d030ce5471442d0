// Meters. The render thread measures segments of at most `segment` frames and publishes each value
// in a separate atomic; readers only load them.
//
// The weights of the exponential means are tables, so that the values do not depend on where a
// period is cut, except for rounding.
#include "core/counters.h"
#include "core/memory.h"
#include "core/multiversion.h"
#include "metering/oversampling.h"
#include "rcore_meter.h"

#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { segment = 256 };

// A maximum that is held for one to two hold times.
struct held_peak {
    /// Maximum of the current hold time.
    float current;
    /// Maximum of the previous hold time.
    float previous;
};

struct channel_state {
    /// The last samples of the previous segment, then those of the current one.
    float samples[OVERSAMPLING_HISTORY + segment];
    struct held_peak peak;
    struct held_peak true_peak;
    float greatest_peak;
    float greatest_true_peak;
    uint64_t clipped;
    double mean_square;
    // Published for readers. Floats are stored as their bits.
    alignas(64) _Atomic(uint32_t) published_peak;
    _Atomic(uint32_t) published_true_peak;
    _Atomic(uint32_t) published_greatest_peak;
    _Atomic(uint32_t) published_greatest_true_peak;
    _Atomic(uint32_t) published_rms;
    _Atomic(uint64_t) published_clipped;
};

struct rcore_meter {
    uint32_t channels;
    bool true_peak;
    uint64_t hold_frames;
    /// Frames left in the current hold time.
    uint64_t hold_left;
    /// Weights of the frames of a full segment in an exponential mean; the last element belongs to
    /// the last frame.
    float weights[segment];
    /// `decay_factors[n]` is the factor by which a mean decays over n frames.
    double decay_factors[segment + 1];
    /// Weighted mean of the product of the first two channels.
    double mean_product;
    /// Number of reset requests that have been applied, and that were made.
    uint64_t resets_applied;
    _Atomic(uint64_t) resets_requested;
    _Atomic(uint64_t) frames;
    _Atomic(uint32_t) correlation;
    struct oversampling oversampling;
    struct channel_state *channel_states;
    /// NULL if the meter has no tap.
    rcore_fifo_t *tap;
    _Atomic(uint64_t) dropped_frames;
};

// ---- Creation -----------------------------------------------------------------------------------

static bool is_seconds(float seconds) { return seconds >= 0.0f && seconds <= 60.0f; }

static bool is_valid(const rcore_meter_description_t *description) {
    return description != NULL && description->channels >= 1 && description->channels <= RCORE_MAX_CHANNELS &&
           description->sample_rate >= RCORE_MIN_SAMPLE_RATE && description->sample_rate <= RCORE_MAX_SAMPLE_RATE &&
           is_seconds(description->hold_seconds) && is_seconds(description->integration_seconds) &&
           description->tap_frames <= 1u << 28;
}

// Sets the weights of an exponential mean with a time constant of `frames`.
static void compute_weights(rcore_meter_t *meter, double frames) {
    const double decay = exp(-1.0 / frames);
    for (uint32_t i = 0; i < segment; i++) {
        meter->weights[i] = (float)((1.0 - decay) * pow(decay, segment - 1 - i));
    }
    for (uint32_t i = 0; i <= segment; i++) {
        meter->decay_factors[i] = pow(decay, i);
    }
}

rcore_meter_t *rcore_meter_create(const rcore_meter_description_t *description, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (!is_valid(description)) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_meter_t *meter = memory_allocate(sizeof *meter);
    struct channel_state *channel_states = memory_allocate(sizeof *channel_states * description->channels);
    const bool tapped = description->tap_frames > 0;
    rcore_fifo_t *tap = tapped ? rcore_fifo_create(description->channels, description->tap_frames, NULL) : NULL;
    if (meter == NULL || channel_states == NULL || (tapped && tap == NULL)) {
        free(meter);
        free(channel_states);
        rcore_fifo_destroy(tap);
        return NULL;
    }
    const double rate = description->sample_rate;
    const double hold = description->hold_seconds > 0.0f ? (double)description->hold_seconds : 1.5;
    const double integration = description->integration_seconds > 0.0f ? (double)description->integration_seconds : 0.3;
    meter->channels = description->channels;
    meter->true_peak = description->true_peak;
    meter->hold_frames = (uint64_t)ceil(hold * rate);
    meter->hold_left = meter->hold_frames;
    compute_weights(meter, integration * rate);
    oversampling_init(&meter->oversampling);
    meter->channel_states = channel_states;
    meter->tap = tap;
    (void)memory_lock(meter, sizeof *meter);
    (void)memory_lock(channel_states, sizeof *channel_states * meter->channels);
    *status = RCORE_OK;
    return meter;
}

void rcore_meter_destroy(rcore_meter_t *meter) {
    if (meter != NULL) {
        memory_unlock(meter->channel_states, sizeof *meter->channel_states * meter->channels);
        memory_unlock(meter, sizeof *meter);
        rcore_fifo_destroy(meter->tap);
        free(meter->channel_states);
        free(meter);
    }
}

// ---- Reading ------------------------------------------------------------------------------------

static float read_published(const _Atomic(uint32_t) *bits) RCORE_RT {
    const uint32_t value = atomic_load_explicit(bits, memory_order_relaxed);
    float number;
    memcpy(&number, &value, sizeof number);
    return number;
}

static void store_published(_Atomic(uint32_t) *bits, float number) RCORE_RT {
    uint32_t value;
    memcpy(&value, &number, sizeof value);
    atomic_store_explicit(bits, value, memory_order_relaxed);
}

uint32_t rcore_meter_channels(const rcore_meter_t *meter) RCORE_RT { return meter->channels; }

rcore_meter_level_t rcore_meter_read(const rcore_meter_t *meter, uint32_t channel) RCORE_RT {
    if (channel >= meter->channels) {
        return (rcore_meter_level_t){0};
    }
    const struct channel_state *state = &meter->channel_states[channel];
    return (rcore_meter_level_t){
        .peak = read_published(&state->published_peak),
        .true_peak = read_published(&state->published_true_peak),
        .greatest_peak = read_published(&state->published_greatest_peak),
        .greatest_true_peak = read_published(&state->published_greatest_true_peak),
        .rms = read_published(&state->published_rms),
        .clipped = atomic_load_explicit(&state->published_clipped, memory_order_relaxed),
    };
}

rcore_fifo_t *rcore_meter_tap(const rcore_meter_t *meter) RCORE_RT { return meter->tap; }

uint64_t rcore_meter_dropped_frames(const rcore_meter_t *meter) RCORE_RT {
    return atomic_load_explicit(&meter->dropped_frames, memory_order_relaxed);
}

float rcore_meter_correlation(const rcore_meter_t *meter) RCORE_RT { return read_published(&meter->correlation); }

uint64_t rcore_meter_frames(const rcore_meter_t *meter) RCORE_RT {
    return atomic_load_explicit(&meter->frames, memory_order_relaxed);
}

void rcore_meter_reset(rcore_meter_t *meter) RCORE_RT {
    atomic_fetch_add_explicit(&meter->resets_requested, 1, memory_order_relaxed);
}

// ---- Measuring ----------------------------------------------------------------------------------

static float greater(float a, float b) RCORE_RT { return a > b ? a : b; }

// Copies samples and replaces non-finite ones by 0. Returns the greatest magnitude, and adds the
// number of samples at or above full scale to `clipped`.
MULTIVERSION static float copy_finite(float *restrict target, const float *restrict source, uint32_t nframes,
                                      uint64_t *clipped) RCORE_RT {
    float greatest = 0.0f;
    uint32_t count = 0;
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = sample_is_finite(source[i]) ? source[i] : 0.0f;
        const float magnitude = fabsf(sample);
        target[i] = sample;
        greatest = magnitude > greatest ? magnitude : greatest;
        count += magnitude >= 1.0f ? 1u : 0u;
    }
    *clipped += count;
    return greatest;
}

// Returns the sum of a × b × weight over all frames. Eight partial sums let the compiler vectorise
// the loop.
MULTIVERSION static float weighted_product(const float *restrict a, const float *restrict b,
                                           const float *restrict weights, uint32_t nframes) RCORE_RT {
    float sums[8] = {0.0f};
    uint32_t i = 0;
    for (; i + 8 <= nframes; i += 8) {
        for (uint32_t element = 0; element < 8; element++) {
            sums[element] += a[i + element] * b[i + element] * weights[i + element];
        }
    }
    for (; i < nframes; i++) {
        sums[0] += a[i] * b[i] * weights[i];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

// Raises the current maximum to `value`, and returns the held one.
static float raise_held_peak(struct held_peak *held_peak, float value) RCORE_RT {
    held_peak->current = greater(held_peak->current, value);
    return greater(held_peak->current, held_peak->previous);
}

// Measures the next frames of one channel (NULL: silence) and publishes its levels.
static void measure_channel(const rcore_meter_t *meter, struct channel_state *state, const float *samples,
                            uint32_t nframes) RCORE_RT {
    float *new_samples = state->samples + OVERSAMPLING_HISTORY;
    float peak = 0.0f;
    if (samples != NULL) {
        peak = copy_finite(new_samples, samples, nframes, &state->clipped);
    } else {
        memset(new_samples, 0, sizeof *new_samples * nframes);
    }
    state->greatest_peak = greater(state->greatest_peak, peak);
    store_published(&state->published_peak, raise_held_peak(&state->peak, peak));
    if (meter->true_peak) {
        const float true_peak = greater(peak, oversampling_peak(&meter->oversampling, state->samples, nframes));
        state->greatest_true_peak = greater(state->greatest_true_peak, true_peak);
        store_published(&state->published_true_peak, raise_held_peak(&state->true_peak, true_peak));
    }
    const double square =
        (double)weighted_product(new_samples, new_samples, meter->weights + segment - nframes, nframes);
    state->mean_square = state->mean_square * meter->decay_factors[nframes] + square;
    store_published(&state->published_rms, (float)sqrt(state->mean_square));
    store_published(&state->published_greatest_peak, state->greatest_peak);
    store_published(&state->published_greatest_true_peak, state->greatest_true_peak);
    atomic_store_explicit(&state->published_clipped, state->clipped, memory_order_relaxed);
}

// Updates the correlation of the first two channels, whose new samples `measure_channel` has
// copied.
static void measure_correlation(rcore_meter_t *meter, uint32_t nframes) RCORE_RT {
    const struct channel_state *left = &meter->channel_states[0];
    const struct channel_state *right = &meter->channel_states[1];
    const double product =
        (double)weighted_product(left->samples + OVERSAMPLING_HISTORY, right->samples + OVERSAMPLING_HISTORY,
                                 meter->weights + segment - nframes, nframes);
    meter->mean_product = meter->mean_product * meter->decay_factors[nframes] + product;
    const double scale = sqrt(left->mean_square * right->mean_square);
    // Below -120 dB, the signal counts as silence.
    const double ratio = scale > 1e-12 ? meter->mean_product / scale : 0.0;
    store_published(&meter->correlation, (float)(ratio > 1.0 ? 1.0 : ratio < -1.0 ? -1.0 : ratio));
}

// Clears the greatest peaks and the count of clipped samples if `rcore_meter_reset` was called.
static void apply_reset_request(rcore_meter_t *meter) RCORE_RT {
    const uint64_t requested = atomic_load_explicit(&meter->resets_requested, memory_order_relaxed);
    if (requested == meter->resets_applied) {
        return;
    }
    meter->resets_applied = requested;
    for (uint32_t i = 0; i < meter->channels; i++) {
        meter->channel_states[i].greatest_peak = 0.0f;
        meter->channel_states[i].greatest_true_peak = 0.0f;
        meter->channel_states[i].clipped = 0;
    }
}

// Advances by `nframes`, at most the rest of the current hold time: moves the history that the next
// segment needs, and starts a new hold time where one ends.
static void advance(rcore_meter_t *meter, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < meter->channels; i++) {
        struct channel_state *state = &meter->channel_states[i];
        memmove(state->samples, state->samples + nframes, sizeof *state->samples * OVERSAMPLING_HISTORY);
    }
    meter->hold_left -= nframes;
    if (meter->hold_left == 0) {
        meter->hold_left = meter->hold_frames;
        for (uint32_t i = 0; i < meter->channels; i++) {
            struct channel_state *state = &meter->channel_states[i];
            state->peak = (struct held_peak){.previous = state->peak.current};
            state->true_peak = (struct held_peak){.previous = state->true_peak.current};
        }
    }
    add_to_counter(&meter->frames, nframes);
}

void rcore_meter_write(rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT {
    apply_reset_request(meter);
    if (meter->tap != NULL && nframes > 0 && !rcore_fifo_write(meter->tap, planes, nframes)) {
        add_to_counter(&meter->dropped_frames, nframes);
    }
    // In segments that end where a hold time does.
    for (uint32_t done = 0; done < nframes;) {
        uint32_t length = nframes - done < segment ? nframes - done : segment;
        length = length < meter->hold_left ? length : (uint32_t)meter->hold_left;
        for (uint32_t i = 0; i < meter->channels; i++) {
            measure_channel(meter, &meter->channel_states[i], planes[i] != NULL ? planes[i] + done : NULL, length);
        }
        if (meter->channels >= 2) {
            measure_correlation(meter, length);
        }
        advance(meter, length);
        done += length;
    }
}
