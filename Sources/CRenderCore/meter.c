// Meters. The cycle measures pieces of at most `piece` frames and publishes each value by itself; readers only read.
//
// Weights of the exponential means are tables, so that values are the same wherever a period is cut, but for rounding.
#include "rcore_meter.h"

#include "memory.h"
#include "oversampling.h"
#include "widest.h"

#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { piece = 256 };

// The greatest of a window that is between one and two holds long.
struct held {
    float now;    // of the present hold
    float before; // of the one before
};

struct channel {
    float samples[OVERSAMPLING_HISTORY + piece]; // the last ones, then the new ones
    struct held peak;
    struct held true_peak;
    float greatest_peak;
    float greatest_true_peak;
    uint64_t clipped;
    double mean_square;
    // For readers: the bits of floats.
    alignas(64) _Atomic(uint32_t) told_peak;
    _Atomic(uint32_t) told_true_peak;
    _Atomic(uint32_t) told_greatest_peak;
    _Atomic(uint32_t) told_greatest_true_peak;
    _Atomic(uint32_t) told_rms;
    _Atomic(uint64_t) told_clipped;
};

struct rcore_meter {
    uint32_t channels;
    bool true_peak;
    uint64_t hold_frames;
    uint64_t hold_left;      // of the present hold
    float weights[piece];    // of the frames of a whole piece, the last frame's last
    double fades[piece + 1]; // what n frames leave of a mean
    double product;          // mean of the first channel times the second
    uint64_t resets;
    _Atomic(uint64_t) resets_asked;
    _Atomic(uint64_t) frames;
    _Atomic(uint32_t) correlation;
    struct oversampling oversampling;
    struct channel *parts;
    rcore_fifo_t *tap; // or NULL
    _Atomic(uint64_t) dropped_frames;
};

// ---- Making ---------------------------------------------------------------------------------------------------------------------

static bool is_seconds(float seconds) { return seconds >= 0.0f && seconds <= 60.0f; }

static bool is_valid(const rcore_meter_description_t *description) {
    return description != NULL && description->channels >= 1 && description->channels <= RCORE_MAX_CHANNELS &&
           description->sample_rate >= RCORE_MIN_SAMPLE_RATE && description->sample_rate <= RCORE_MAX_SAMPLE_RATE &&
           is_seconds(description->hold_seconds) && is_seconds(description->integration_seconds) &&
           description->tap_frames <= 1u << 28;
}

static void weigh(rcore_meter_t *meter, double frames) {
    const double decay = exp(-1.0 / frames);
    for (uint32_t i = 0; i < piece; i++) {
        meter->weights[i] = (float)((1.0 - decay) * pow(decay, piece - 1 - i));
    }
    for (uint32_t i = 0; i <= piece; i++) {
        meter->fades[i] = pow(decay, i);
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
    struct channel *parts = memory_allocate(sizeof *parts * description->channels);
    const bool tapped = description->tap_frames > 0;
    rcore_fifo_t *tap = tapped ? rcore_fifo_create(description->channels, description->tap_frames, NULL) : NULL;
    if (meter == NULL || parts == NULL || (tapped && tap == NULL)) {
        free(meter);
        free(parts);
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
    weigh(meter, integration * rate);
    oversampling_init(&meter->oversampling);
    meter->parts = parts;
    meter->tap = tap;
    (void)memory_lock(meter, sizeof *meter);
    (void)memory_lock(parts, sizeof *parts * meter->channels);
    *status = RCORE_OK;
    return meter;
}

void rcore_meter_destroy(rcore_meter_t *meter) {
    if (meter != NULL) {
        memory_unlock(meter->parts, sizeof *meter->parts * meter->channels);
        memory_unlock(meter, sizeof *meter);
        rcore_fifo_destroy(meter->tap);
        free(meter->parts);
        free(meter);
    }
}

// ---- Reading --------------------------------------------------------------------------------------------------------------------

static float told(const _Atomic(uint32_t) *bits) RCORE_RT {
    const uint32_t value = atomic_load_explicit(bits, memory_order_relaxed);
    float number;
    memcpy(&number, &value, sizeof number);
    return number;
}

static void tell(_Atomic(uint32_t) *bits, float number) RCORE_RT {
    uint32_t value;
    memcpy(&value, &number, sizeof value);
    atomic_store_explicit(bits, value, memory_order_relaxed);
}

uint32_t rcore_meter_channels(const rcore_meter_t *meter) RCORE_RT { return meter->channels; }

rcore_meter_level_t rcore_meter_read(const rcore_meter_t *meter, uint32_t channel) RCORE_RT {
    if (channel >= meter->channels) {
        return (rcore_meter_level_t){0};
    }
    const struct channel *part = &meter->parts[channel];
    return (rcore_meter_level_t){
        .peak = told(&part->told_peak),
        .true_peak = told(&part->told_true_peak),
        .greatest_peak = told(&part->told_greatest_peak),
        .greatest_true_peak = told(&part->told_greatest_true_peak),
        .rms = told(&part->told_rms),
        .clipped = atomic_load_explicit(&part->told_clipped, memory_order_relaxed),
    };
}

rcore_fifo_t *rcore_meter_tap(const rcore_meter_t *meter) RCORE_RT { return meter->tap; }

uint64_t rcore_meter_dropped_frames(const rcore_meter_t *meter) RCORE_RT {
    return atomic_load_explicit(&meter->dropped_frames, memory_order_relaxed);
}

float rcore_meter_correlation(const rcore_meter_t *meter) RCORE_RT { return told(&meter->correlation); }

uint64_t rcore_meter_frames(const rcore_meter_t *meter) RCORE_RT {
    return atomic_load_explicit(&meter->frames, memory_order_relaxed);
}

void rcore_meter_reset(rcore_meter_t *meter) RCORE_RT {
    atomic_fetch_add_explicit(&meter->resets_asked, 1, memory_order_relaxed);
}

// ---- Measuring ------------------------------------------------------------------------------------------------------------------

static float greater(float a, float b) RCORE_RT { return a > b ? a : b; }

// Copies what is a number; returns the greatest magnitude, and counts what is at full scale or beyond.
WIDEST static float copy_finite(float *restrict target, const float *restrict source, uint32_t nframes,
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

// Eight sums side by side, as a vector has them.
WIDEST static float weighted_product(const float *restrict a, const float *restrict b, const float *restrict weights,
                                     uint32_t nframes) RCORE_RT {
    float sums[8] = {0.0f};
    uint32_t i = 0;
    for (; i + 8 <= nframes; i += 8) {
        for (uint32_t lane = 0; lane < 8; lane++) {
            sums[lane] += a[i + lane] * b[i + lane] * weights[i + lane];
        }
    }
    for (; i < nframes; i++) {
        sums[0] += a[i] * b[i] * weights[i];
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

static float held_raise(struct held *held, float value) RCORE_RT {
    held->now = greater(held->now, value);
    return greater(held->now, held->before);
}

static void measure_channel(const rcore_meter_t *meter, struct channel *part, const float *samples,
                            uint32_t nframes) RCORE_RT {
    float *fresh = part->samples + OVERSAMPLING_HISTORY;
    float peak = 0.0f;
    if (samples != NULL) {
        peak = copy_finite(fresh, samples, nframes, &part->clipped);
    } else {
        memset(fresh, 0, sizeof *fresh * nframes);
    }
    part->greatest_peak = greater(part->greatest_peak, peak);
    tell(&part->told_peak, held_raise(&part->peak, peak));
    if (meter->true_peak) {
        const float true_peak = greater(peak, oversampling_peak(&meter->oversampling, part->samples, nframes));
        part->greatest_true_peak = greater(part->greatest_true_peak, true_peak);
        tell(&part->told_true_peak, held_raise(&part->true_peak, true_peak));
    }
    const double fresh_square = (double)weighted_product(fresh, fresh, meter->weights + piece - nframes, nframes);
    part->mean_square = part->mean_square * meter->fades[nframes] + fresh_square;
    tell(&part->told_rms, (float)sqrt(part->mean_square));
    tell(&part->told_greatest_peak, part->greatest_peak);
    tell(&part->told_greatest_true_peak, part->greatest_true_peak);
    atomic_store_explicit(&part->told_clipped, part->clipped, memory_order_relaxed);
}

static void measure_correlation(rcore_meter_t *meter, uint32_t nframes) RCORE_RT {
    const struct channel *left = &meter->parts[0];
    const struct channel *right = &meter->parts[1];
    const double fresh =
        (double)weighted_product(left->samples + OVERSAMPLING_HISTORY, right->samples + OVERSAMPLING_HISTORY,
                                 meter->weights + piece - nframes, nframes);
    meter->product = meter->product * meter->fades[nframes] + fresh;
    const double scale = sqrt(left->mean_square * right->mean_square);
    const double ratio = scale > 1e-12 ? meter->product / scale : 0.0; // below -120 dB: silence
    tell(&meter->correlation, (float)(ratio > 1.0 ? 1.0 : ratio < -1.0 ? -1.0 : ratio));
}

// Only the cycle writes these counters.
static void count_up(_Atomic(uint64_t) *counter, uint64_t amount) RCORE_RT {
    const uint64_t value = atomic_load_explicit(counter, memory_order_relaxed);
    atomic_store_explicit(counter, value + amount, memory_order_relaxed);
}

static void forget_if_asked(rcore_meter_t *meter) RCORE_RT {
    const uint64_t asked = atomic_load_explicit(&meter->resets_asked, memory_order_relaxed);
    if (asked == meter->resets) {
        return;
    }
    meter->resets = asked;
    for (uint32_t i = 0; i < meter->channels; i++) {
        meter->parts[i].greatest_peak = 0.0f;
        meter->parts[i].greatest_true_peak = 0.0f;
        meter->parts[i].clipped = 0;
    }
}

// Goes on by so many frames, within the present hold.
static void advance(rcore_meter_t *meter, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < meter->channels; i++) {
        struct channel *part = &meter->parts[i];
        memmove(part->samples, part->samples + nframes, sizeof *part->samples * OVERSAMPLING_HISTORY);
    }
    meter->hold_left -= nframes;
    if (meter->hold_left == 0) {
        meter->hold_left = meter->hold_frames;
        for (uint32_t i = 0; i < meter->channels; i++) {
            struct channel *part = &meter->parts[i];
            part->peak = (struct held){.before = part->peak.now};
            part->true_peak = (struct held){.before = part->true_peak.now};
        }
    }
    count_up(&meter->frames, nframes);
}

void rcore_meter_write(rcore_meter_t *meter, const float *const *planes, uint32_t nframes) RCORE_RT {
    forget_if_asked(meter);
    if (meter->tap != NULL && nframes > 0 && !rcore_fifo_write(meter->tap, planes, nframes)) {
        count_up(&meter->dropped_frames, nframes);
    }
    for (uint32_t done = 0; done < nframes;) {
        uint32_t length = nframes - done < piece ? nframes - done : piece;
        length = length < meter->hold_left ? length : (uint32_t)meter->hold_left;
        for (uint32_t i = 0; i < meter->channels; i++) {
            measure_channel(meter, &meter->parts[i], planes[i] != NULL ? planes[i] + done : NULL, length);
        }
        if (meter->channels >= 2) {
            measure_correlation(meter, length);
        }
        advance(meter, length);
        done += length;
    }
}
