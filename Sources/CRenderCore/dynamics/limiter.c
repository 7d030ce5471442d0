// A limiter: detects the peaks of the waveform (true_peak_fir.c), computes the gain that they
// require (gain_computer.c) and applies it to the delayed samples.
//
// The margin covers peaks between the eighths of a sample, 0.17 dB at most, and what a moving gain
// adds to inter-sample peaks.
#include "core/memory.h"
#include "core/multiversion.h"
#include "dynamics/gain_computer.h"
#include "dynamics/true_peak_fir.h"
#include "rcore_limiter.h"

#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    segment = TRUE_PEAK_FIR_SEGMENT,
    // A gain that falls faster creates inter-sample peaks of its own.
    min_lookahead = 64,
    // Frames before and after an inter-sample peak in which the gain is steady: the peak depends on
    // the samples there.
    hold = 48,
};
static const double margin = 0.97163; // -0.25 dB
// Samples are clipped to this magnitude, so that their sums stay finite.
static const float max_sample = 1e12f;

struct channel_state {
    // The samples before the current segment that the detector needs, then the segment.
    float samples[TRUE_PEAK_FIR_HISTORY + segment];
};

struct rcore_limiter {
    uint32_t channels;
    uint32_t latency;
    float ceiling;
    // The ceiling minus the margin.
    float threshold;
    // Samples below this level have no inter-sample peak above the threshold.
    float quiet_level;
    // Length of the delay line in frames: the latency plus one segment.
    uint32_t ring_frames;
    // Index of the next frame to write.
    uint32_t write_index;
    // The delay line: [channel * ring_frames + index].
    float *delayed;
    struct channel_state *channel_states;
    struct gain_computer computer;
    struct true_peak_fir detector;
    // For readers: float bits.
    alignas(64) _Atomic(uint32_t) published_gain;
};

// ---- Creating -----------------------------------------------------------------------------------

static bool is_within(float value, float least, float most) {
    return value == 0.0f || (value >= least && value <= most);
}

static bool is_valid(const rcore_limiter_description_t *description) {
    return description != NULL && description->channels >= 1 && description->channels <= RCORE_MAX_CHANNELS &&
           description->sample_rate >= RCORE_MIN_SAMPLE_RATE && description->sample_rate <= RCORE_MAX_SAMPLE_RATE &&
           is_within(description->ceiling, 0.001f, 1.0f) && is_within(description->lookahead_seconds, 0.0005f, 0.02f) &&
           is_within(description->release_seconds, 0.001f, 5.0f);
}

static float or_default(float value, float usual) { return value != 0.0f ? value : usual; }

static void publish(rcore_limiter_t *limiter, float gain) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    atomic_store_explicit(&limiter->published_gain, bits, memory_order_relaxed);
}

// Sets the levels of the limiter and computes the filters of its detector.
static void set_up(rcore_limiter_t *limiter, const rcore_limiter_description_t *description) {
    limiter->channels = description->channels;
    limiter->ceiling = or_default(description->ceiling, 0.8912509f);
    limiter->threshold = (float)((double)limiter->ceiling * margin);
    true_peak_fir_init(&limiter->detector);
    limiter->quiet_level = limiter->threshold / limiter->detector.max_gain;
    publish(limiter, 1.0f);
}

// Allocates the memory of the limiter. Returns false if memory cannot be allocated; the limiter
// then owns what was allocated.
static bool allocate(rcore_limiter_t *limiter, const rcore_limiter_description_t *description) {
    const double rate = description->sample_rate;
    const double lookahead_frames = ceil((double)or_default(description->lookahead_seconds, 0.002f) * rate - 1e-3);
    const uint32_t lookahead = lookahead_frames > min_lookahead ? (uint32_t)lookahead_frames : min_lookahead;
    const double release = (double)or_default(description->release_seconds, 0.1f) * rate;
    if (!gain_computer_init(&limiter->computer, lookahead, hold, release)) {
        return false;
    }
    limiter->latency = TRUE_PEAK_FIR_DELAY + gain_computer_delay(&limiter->computer);
    limiter->ring_frames = limiter->latency + segment;
    limiter->channel_states = memory_allocate(sizeof *limiter->channel_states * limiter->channels);
    limiter->delayed = memory_allocate(sizeof *limiter->delayed * limiter->channels * limiter->ring_frames);
    return limiter->channel_states != NULL && limiter->delayed != NULL;
}

rcore_limiter_t *rcore_limiter_create(const rcore_limiter_description_t *description, rcore_status_t *status) {
    rcore_status_t ignored;
    status = status != NULL ? status : &ignored;
    *status = RCORE_BAD_ARGUMENT;
    if (!is_valid(description)) {
        return NULL;
    }
    *status = RCORE_NO_MEMORY;
    rcore_limiter_t *limiter = memory_allocate(sizeof *limiter);
    if (limiter == NULL) {
        return NULL;
    }
    set_up(limiter, description);
    (void)memory_lock(limiter, sizeof *limiter);
    if (!allocate(limiter, description)) {
        rcore_limiter_destroy(limiter);
        return NULL;
    }
    (void)memory_lock(limiter->channel_states, sizeof *limiter->channel_states * limiter->channels);
    (void)memory_lock(limiter->delayed, sizeof *limiter->delayed * limiter->channels * limiter->ring_frames);
    *status = RCORE_OK;
    return limiter;
}

static void unlock_and_free(void *memory, size_t size) {
    if (memory != NULL) {
        memory_unlock(memory, size);
        free(memory);
    }
}

void rcore_limiter_destroy(rcore_limiter_t *limiter) {
    if (limiter != NULL) {
        unlock_and_free(limiter->delayed, sizeof *limiter->delayed * limiter->channels * limiter->ring_frames);
        unlock_and_free(limiter->channel_states, sizeof *limiter->channel_states * limiter->channels);
        unlock_and_free(limiter->computer.memory, limiter->computer.bytes);
        unlock_and_free(limiter, sizeof *limiter);
    }
}

// ---- Reading ------------------------------------------------------------------------------------

uint32_t rcore_limiter_channels(const rcore_limiter_t *limiter) RCORE_RT { return limiter->channels; }

uint32_t rcore_limiter_latency(const rcore_limiter_t *limiter) RCORE_RT { return limiter->latency; }

float rcore_limiter_gain(const rcore_limiter_t *limiter) RCORE_RT {
    const uint32_t bits = atomic_load_explicit(&limiter->published_gain, memory_order_relaxed);
    float gain;
    memcpy(&gain, &bits, sizeof gain);
    return gain;
}

// ---- Limiting -----------------------------------------------------------------------------------

// Copies samples to the detector and the delay line, clipped to `max_sample`. NaN and infinite
// samples become 0.
MULTIVERSION static void copy_finite(float *restrict detected, float *restrict delayed, const float *restrict source,
                                     uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = sample_is_finite(source[i]) ? source[i] : 0.0f;
        const float bounded = sample > max_sample ? max_sample : sample < -max_sample ? -max_sample : sample;
        detected[i] = bounded;
        delayed[i] = bounded;
    }
}

MULTIVERSION static float greatest_magnitude(const float *samples, uint32_t nframes) RCORE_RT {
    float most = 0.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float magnitude = fabsf(samples[i]);
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

// Replaces each peak in `gains` by the highest gain that it permits. Returns the lowest gain.
MULTIVERSION static float peaks_to_gains(float *gains, float threshold, uint32_t nframes) RCORE_RT {
    float least = 1.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float gain = gains[i] > threshold ? threshold / gains[i] : 1.0f;
        gains[i] = gain;
        least = gain < least ? gain : least;
    }
    return least;
}

// Multiplies samples by gains and clips them to the ceiling. A gain of 1 leaves every bit
// unchanged, also of denormal samples, whose product would be flushed to zero.
MULTIVERSION static void multiply(float *restrict target, const float *restrict samples, const float *restrict gains,
                                  float ceiling, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = gains[i] < 1.0f ? samples[i] * gains[i] : samples[i];
        target[i] = sample > ceiling ? ceiling : sample < -ceiling ? -ceiling : sample;
    }
}

// Writes new samples to the detector and the delay line. Sets `gains` to the highest gain that each
// frame permits, and returns whether any of them is below 1.
static bool push_samples(rcore_limiter_t *limiter, float *gains, float *const *planes, uint32_t offset,
                         uint32_t nframes) RCORE_RT {
    memset(gains, 0, sizeof *gains * nframes);
    for (uint32_t i = 0; i < limiter->channels; i++) {
        float *samples = limiter->channel_states[i].samples;
        float *delayed = limiter->delayed + (size_t)i * limiter->ring_frames + limiter->write_index;
        copy_finite(samples + TRUE_PEAK_FIR_HISTORY, delayed, planes[i] + offset, nframes);
        if (greatest_magnitude(samples, TRUE_PEAK_FIR_HISTORY + nframes) > limiter->quiet_level) {
            true_peak_fir_raise(&limiter->detector, gains, samples, nframes);
        }
        memmove(samples, samples + nframes, sizeof *samples * TRUE_PEAK_FIR_HISTORY);
    }
    return peaks_to_gains(gains, limiter->threshold, nframes) < 1.0f;
}

// Limits a segment that is contiguous in the delay line, both where it is written and where the
// delayed samples are read, from index `from` on. Returns the lowest gain.
static float limit_segment(rcore_limiter_t *limiter, float *const *planes, uint32_t offset, uint32_t from,
                           uint32_t nframes) RCORE_RT {
    float gains[segment];
    const bool needed = push_samples(limiter, gains, planes, offset, nframes);
    const bool idle = !needed && gain_computer_idle(&limiter->computer);
    float least = 1.0f;
    if (!idle) {
        gain_computer_apply(&limiter->computer, gains, nframes);
    }
    for (uint32_t i = 0; i < limiter->channels; i++) {
        const float *delayed = limiter->delayed + (size_t)i * limiter->ring_frames + from;
        if (idle) {
            memcpy(planes[i] + offset, delayed, sizeof *delayed * nframes);
        } else {
            multiply(planes[i] + offset, delayed, gains, limiter->ceiling, nframes);
        }
    }
    for (uint32_t i = 0; !idle && i < nframes; i++) {
        least = gains[i] < least ? gains[i] : least;
    }
    return least;
}

static uint32_t lesser(uint32_t a, uint32_t b) RCORE_RT { return a < b ? a : b; }

void rcore_limiter_process(rcore_limiter_t *limiter, float *const *planes, uint32_t nframes) RCORE_RT {
    float least = 1.0f;
    for (uint32_t done = 0; done < nframes;) {
        const uint32_t from = (limiter->write_index + limiter->ring_frames - limiter->latency) % limiter->ring_frames;
        const uint32_t to_end = limiter->ring_frames - (from > limiter->write_index ? from : limiter->write_index);
        const uint32_t length = lesser(lesser(nframes - done, segment), to_end);
        const float gain = limit_segment(limiter, planes, done, from, length);
        least = gain < least ? gain : least;
        limiter->write_index = (limiter->write_index + length) % limiter->ring_frames;
        done += length;
    }
    if (nframes > 0) {
        publish(limiter, least);
    }
}
