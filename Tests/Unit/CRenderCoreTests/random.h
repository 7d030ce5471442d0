/// Reproducible pseudo-random numbers: splitmix64.
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>
#include <stdlib.h>

struct random {
    uint64_t state;
};

/// Returns the value of the environment variable SEED, which Scripts/test sets to the number of the
/// day by default, or `otherwise` if SEED is not set.
static inline uint64_t random_seed(uint64_t otherwise) {
    const char *text = getenv("SEED");
    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : otherwise;
}

static inline struct random random_seeded(uint64_t seed) { return (struct random){seed}; }

static inline uint64_t random_next(struct random *random) {
    uint64_t z = random->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/// Returns a number in 0…limit-1.
static inline uint32_t random_below(struct random *random, uint32_t limit) {
    return (uint32_t)(random_next(random) % limit);
}

static inline float random_float(struct random *random, float from, float to) {
    return from + (to - from) * (float)(random_next(random) >> 40) / 16777216.0f;
}

/// Returns true with a probability of 1 in `times`.
static inline int random_once_in(struct random *random, uint32_t times) { return random_below(random, times) == 0; }

#endif
