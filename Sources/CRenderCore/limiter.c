// A limiter: the waveform's heights (crests.c), the gain that they need (reduction.c), and that gain on samples that have waited for it.
//
// The margin covers what lies between the eighths of a sample, 0.17 dB at most, and what a moving gain adds to the crests.
#include "rcore_limiter.h"

#include "crests.h"
#include "memory.h"
#include "reduction.h"
#include "widest.h"

#include <math.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdlib.h>

enum {
    piece = CRESTS_PIECE,
    least_fall = 64, // a gain that falls faster makes crests of its own
    hold = 48,       // frames that the gain stands still before a crest and behind it: it is made of these
};
static const double margin = 0.97163; // -0.25 dB
static const float greatest = 1e12f;  // of a sample: sums of such are numbers still

struct channel {
    float samples[CRESTS_HISTORY + piece]; // the last ones, then the new ones
};

struct rcore_limiter {
    uint32_t channels;
    uint32_t latency;
    float ceiling;
    float threshold; // the ceiling less the margin
    float quiet;     // samples below it have no crest that needs anything
    uint32_t ring;   // frames that wait for their gain, in a ring, and room for a piece
    uint32_t place;  // where the next one goes
    float *waiting;  // [channel * ring + frame]
    struct channel *parts;
    struct reduction reduction;
    struct crests crests;
    alignas(64) _Atomic(uint32_t) told_gain; // for readers: the bits of a float
};

// ---- Making ---------------------------------------------------------------------------------------------------------------------

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

static void tell(rcore_limiter_t *limiter, float gain) RCORE_RT {
    uint32_t bits;
    memcpy(&bits, &gain, sizeof bits);
    atomic_store_explicit(&limiter->told_gain, bits, memory_order_relaxed);
}

static void set_up(rcore_limiter_t *limiter, const rcore_limiter_description_t *description) {
    limiter->channels = description->channels;
    limiter->ceiling = or_default(description->ceiling, 0.8912509f);
    limiter->threshold = (float)((double)limiter->ceiling * margin);
    crests_init(&limiter->crests);
    limiter->quiet = limiter->threshold / limiter->crests.most;
    tell(limiter, 1.0f);
}

// False: memory is short, and what there is belongs to the limiter.
static bool allocate(rcore_limiter_t *limiter, const rcore_limiter_description_t *description) {
    const double rate = description->sample_rate;
    const double wanted = ceil((double)or_default(description->lookahead_seconds, 0.002f) * rate - 1e-3);
    const uint32_t fall = wanted > least_fall ? (uint32_t)wanted : least_fall;
    const double release = (double)or_default(description->release_seconds, 0.1f) * rate;
    if (!reduction_init(&limiter->reduction, fall, hold, release)) {
        return false;
    }
    limiter->latency = CRESTS_DELAY + reduction_delay(&limiter->reduction);
    limiter->ring = limiter->latency + piece;
    limiter->parts = memory_allocate(sizeof *limiter->parts * limiter->channels);
    limiter->waiting = memory_allocate(sizeof *limiter->waiting * limiter->channels * limiter->ring);
    return limiter->parts != NULL && limiter->waiting != NULL;
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
    (void)memory_lock(limiter->parts, sizeof *limiter->parts * limiter->channels);
    (void)memory_lock(limiter->waiting, sizeof *limiter->waiting * limiter->channels * limiter->ring);
    *status = RCORE_OK;
    return limiter;
}

static void give_back(void *memory, size_t size) {
    if (memory != NULL) {
        memory_unlock(memory, size);
        free(memory);
    }
}

void rcore_limiter_destroy(rcore_limiter_t *limiter) {
    if (limiter != NULL) {
        give_back(limiter->waiting, sizeof *limiter->waiting * limiter->channels * limiter->ring);
        give_back(limiter->parts, sizeof *limiter->parts * limiter->channels);
        give_back(limiter->reduction.memory, limiter->reduction.bytes);
        give_back(limiter, sizeof *limiter);
    }
}

// ---- Reading --------------------------------------------------------------------------------------------------------------------

uint32_t rcore_limiter_channels(const rcore_limiter_t *limiter) RCORE_RT { return limiter->channels; }

uint32_t rcore_limiter_latency(const rcore_limiter_t *limiter) RCORE_RT { return limiter->latency; }

float rcore_limiter_gain(const rcore_limiter_t *limiter) RCORE_RT {
    const uint32_t bits = atomic_load_explicit(&limiter->told_gain, memory_order_relaxed);
    float gain;
    memcpy(&gain, &bits, sizeof gain);
    return gain;
}

// ---- Limiting -------------------------------------------------------------------------------------------------------------------

// Copies what is a number, at most so great, to two places.
WIDEST static void copy_finite(float *restrict fresh, float *restrict waiting, const float *restrict source,
                               uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = sample_is_finite(source[i]) ? source[i] : 0.0f;
        const float bounded = sample > greatest ? greatest : sample < -greatest ? -greatest : sample;
        fresh[i] = bounded;
        waiting[i] = bounded;
    }
}

WIDEST static float greatest_magnitude(const float *samples, uint32_t nframes) RCORE_RT {
    float most = 0.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float magnitude = fabsf(samples[i]);
        most = magnitude > most ? magnitude : most;
    }
    return most;
}

// What each height may be multiplied by; returns the least.
WIDEST static float allow(float *gains, float threshold, uint32_t nframes) RCORE_RT {
    float least = 1.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        const float gain = gains[i] > threshold ? threshold / gains[i] : 1.0f;
        gains[i] = gain;
        least = gain < least ? gain : least;
    }
    return least;
}

// A gain of 1 leaves every bit as it is, also of what is so small that a product would be flushed to zero.
WIDEST static void multiply(float *restrict target, const float *restrict samples, const float *restrict gains,
                            float ceiling, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sample = gains[i] < 1.0f ? samples[i] * gains[i] : samples[i];
        target[i] = sample > ceiling ? ceiling : sample < -ceiling ? -ceiling : sample;
    }
}

// Takes new samples in; tells whether any may need a gain below 1, and in `gains` which.
static bool take(rcore_limiter_t *limiter, float *gains, float *const *planes, uint32_t offset,
                 uint32_t nframes) RCORE_RT {
    memset(gains, 0, sizeof *gains * nframes);
    for (uint32_t i = 0; i < limiter->channels; i++) {
        float *samples = limiter->parts[i].samples;
        float *waiting = limiter->waiting + (size_t)i * limiter->ring + limiter->place;
        copy_finite(samples + CRESTS_HISTORY, waiting, planes[i] + offset, nframes);
        if (greatest_magnitude(samples, CRESTS_HISTORY + nframes) > limiter->quiet) {
            crests_raise(&limiter->crests, gains, samples, nframes);
        }
        memmove(samples, samples + nframes, sizeof *samples * CRESTS_HISTORY);
    }
    return allow(gains, limiter->threshold, nframes) < 1.0f;
}

// Limits a piece that neither end of the ring cuts; returns the least gain.
static float limit(rcore_limiter_t *limiter, float *const *planes, uint32_t offset, uint32_t from,
                   uint32_t nframes) RCORE_RT {
    float gains[piece];
    const bool needed = take(limiter, gains, planes, offset, nframes);
    const bool rests = !needed && reduction_rests(&limiter->reduction);
    float least = 1.0f;
    if (!rests) {
        reduction_apply(&limiter->reduction, gains, nframes);
    }
    for (uint32_t i = 0; i < limiter->channels; i++) {
        const float *waiting = limiter->waiting + (size_t)i * limiter->ring + from;
        if (rests) {
            memcpy(planes[i] + offset, waiting, sizeof *waiting * nframes);
        } else {
            multiply(planes[i] + offset, waiting, gains, limiter->ceiling, nframes);
        }
    }
    for (uint32_t i = 0; !rests && i < nframes; i++) {
        least = gains[i] < least ? gains[i] : least;
    }
    return least;
}

static uint32_t lesser(uint32_t a, uint32_t b) RCORE_RT { return a < b ? a : b; }

void rcore_limiter_process(rcore_limiter_t *limiter, float *const *planes, uint32_t nframes) RCORE_RT {
    float least = 1.0f;
    for (uint32_t done = 0; done < nframes;) {
        const uint32_t from = (limiter->place + limiter->ring - limiter->latency) % limiter->ring;
        const uint32_t to_end = limiter->ring - (from > limiter->place ? from : limiter->place);
        const uint32_t length = lesser(lesser(nframes - done, piece), to_end);
        const float gain = limit(limiter, planes, done, from, length);
        least = gain < least ? gain : least;
        limiter->place = (limiter->place + length) % limiter->ring;
        done += length;
    }
    if (nframes > 0) {
        tell(limiter, least);
    }
}
