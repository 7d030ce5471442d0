/// Signals that are difficult for limiters and meters: inter-sample peaks far above the samples,
/// steps, edges, and content over the whole band from 0 to half the sample rate. The same seed
/// gives the same signal.
#ifndef TEST_HOSTILE_H
#define TEST_HOSTILE_H

#include "random.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

static const double hostile_pi = 3.14159265358979323846;

typedef void (*signal_t)(struct random *random, float *samples, uint32_t nframes);

static inline void white_noise(struct random *random, float *samples, uint32_t nframes) {
    const float level = random_once_in(random, 2) ? 16.0f : 1.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = random_float(random, -level, level);
    }
}

static inline void clipped_noise(struct random *random, float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = random_once_in(random, 2) ? 2.0f : -2.0f;
    }
}

static inline void square(struct random *random, float *samples, uint32_t nframes) {
    const double parts[] = {0.002, 0.02, 0.1, 0.23, 0.25, 0.27, 0.45, 0.48, 0.495, 0.4999};
    const double part = parts[random_below(random, 10)];
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = sin(2.0 * hostile_pi * part * i + hostile_pi / 4.0) > 0.0 ? 4.0f : -4.0f;
    }
}

static inline void impulses(struct random *random, float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = random_once_in(random, 100) ? random_float(random, -16.0f, 16.0f) : 0.0f;
    }
}

static inline void sine_with_flips(struct random *random, float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        const float sine = (float)(0.5 * sin(2.0 * hostile_pi * 0.02 * i));
        samples[i] = random_once_in(random, 150) ? -8.0f * sine : sine;
    }
}

// An alternating signal whose polarity flips at random. At a flip the contributions of all
// neighbouring samples add up, which gives the highest possible inter-sample peak.
static inline void alternating_with_turns(struct random *random, float *samples, uint32_t nframes) {
    const uint32_t apart = 10u << random_below(random, 8);
    const float levels[] = {0.6f, 1.3f, 4.0f, 16.0f};
    float sample = levels[random_below(random, 4)];
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = sample;
        sample = random_once_in(random, apart) ? sample : -sample;
    }
}

static inline void burst_after_silence(struct random *random, float *samples, uint32_t nframes) {
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = i % 1500 < 700 ? 0.0f : random_float(random, -8.0f, 8.0f);
    }
}

static inline void steps(struct random *random, float *samples, uint32_t nframes) {
    float level = 0.0f;
    for (uint32_t i = 0; i < nframes; i++) {
        level = i % 500 == 0 ? random_float(random, -16.0f, 16.0f) : level;
        samples[i] = level;
    }
}

static inline void crest_of_sines(struct random *random, float *samples, uint32_t nframes) {
    const double at = nframes / 2.0 + (double)random_float(random, 0.0f, 1.0f);
    for (uint32_t i = 0; i < nframes; i++) {
        double sum = 0.0;
        for (int k = 1; k < 80; k++) {
            sum += cos(hostile_pi * k / 80.0 * (i - at));
        }
        samples[i] = (float)(sum / 10.0);
    }
}

static inline void leaping_noise(struct random *random, float *samples, uint32_t nframes) {
    const uint32_t apart = 10u << random_below(random, 5);
    float level = 0.0f;
    float sign = 1.0f;
    const bool alternates = random_once_in(random, 2);
    for (uint32_t i = 0; i < nframes; i++) {
        level = i % apart == 0 ? powf(10.0f, random_float(random, -2.0f, 1.2f)) : level;
        sign = random_once_in(random, 50) ? sign : -sign;
        samples[i] = level * (alternates ? sign : random_float(random, -1.0f, 1.0f));
    }
}

static inline void sine(struct random *random, float *samples, uint32_t nframes) {
    const double part = (double)random_float(random, 0.0f, 0.4999f);
    for (uint32_t i = 0; i < nframes; i++) {
        samples[i] = (float)(2.0 * sin(2.0 * hostile_pi * part * i + hostile_pi / 4.0));
    }
}

#endif
