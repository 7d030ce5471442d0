// Soak test: random commands, plans, grants and periods for the requested time.
//
//     soak [--seconds N] [--seed S]
//
// The first half runs on one thread with a seed. The same seed gives the same bits; no signal
// contains a click or a NaN; at the end the core has released every voice, plan and frame. The
// second half runs three threads that trigger voices, one that controls the mixer and one that
// renders, for the sanitizers.
#define _GNU_SOURCE
#include "soak.h"
#include "expect.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

static double seconds_since(const struct timespec *begun) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

// ---- One thread ---------------------------------------------------------------------------------

struct listener {
    /// The previous two samples of each channel.
    float last[2][2];
    float largest_bend;
    float peak;
    uint64_t bad;
    uint64_t hash;
};

static void listen(struct listener *listener, const float *const *planes, uint32_t nframes) {
    for (uint32_t channel = 0; channel < 2; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            const float sample = planes[channel][i];
            uint32_t bits;
            memcpy(&bits, &sample, sizeof bits);
            listener->hash = (listener->hash ^ bits) * UINT64_C(0x100000001B3);
            listener->bad += !(fabsf(sample) < 16.0f);
            const float bend = sample - 2.0f * listener->last[channel][0] + listener->last[channel][1];
            listener->largest_bend = fmaxf(listener->largest_bend, fabsf(bend));
            listener->peak = fmaxf(listener->peak, fabsf(sample));
            listener->last[channel][1] = listener->last[channel][0];
            listener->last[channel][0] = sample;
        }
    }
}

static void period(struct soak *soak, struct random *random, uint64_t *time, struct listener *listener) {
    static float input[RCORE_MAX_PERIOD], out[2][RCORE_MAX_PERIOD];
    const uint32_t nframes =
        random_once_in(random, 20) ? 1 + random_below(random, period_limit) : 1u << random_below(random, 10);
    for (uint32_t i = 0; i < nframes; i++) {
        input[i] = sine_at(*time + i);
    }
    const float *inputs[] = {input, input};
    float *outputs[] = {out[0], out[1]};
    rcore_process(soak->stage.core, inputs, 2, outputs, 2, nframes);
    *time += nframes;
    if (listener != NULL) {
        listen(listener, (const float *const *)outputs, nframes);
    }
}

static struct listener play_seed(uint64_t seed, unsigned periods, uint64_t *started) {
    struct soak *soak = soak_open(seed);
    struct random random = random_seeded(~seed);
    struct listener listener = {.hash = UINT64_C(0xCBF29CE484222325)};
    uint64_t time = 0;
    for (unsigned i = 0; i < periods; i++) {
        control_turn(soak);
        for (uint32_t t = 0; t < ntriggers; t++) {
            trigger_turn(&soak->triggers[t]);
        }
        period(soak, &random, &time, &listener);
    }
    for (uint32_t t = 0; t < ntriggers; t++) {
        *started += soak->triggers[t].started;
    }
    soak_close(soak);
    return listener;
}

static void soak_alone(uint64_t seed, double seconds) {
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    uint64_t started = 0, seeds = 0;
    const float audible = level / 4.0f;
    float largest = 0.0f, peak = 0.0f;
    bool goes_on;
    do {
        const struct listener first = play_seed(seed + seeds, 400, &started);
        const struct listener again = play_seed(seed + seeds, 400, &started);
        // At the start and end of a ramp the slope changes by a thousandth of the level in either
        // direction. A click of one voice is a thousand times that.
        const float smooth = 40.0f * level / soft;
        if (first.bad > 0 || first.hash != again.hash || first.largest_bend > smooth) {
            printf("seed %" PRIu64 ": %" PRIu64 " bad samples, sharpest bend %g, limit %g\n", seed + seeds, first.bad,
                   (double)first.largest_bend, (double)smooth);
        }
        EXPECT_EQUAL(first.bad, 0);
        EXPECT(first.hash == again.hash);
        EXPECT(first.largest_bend <= smooth);
        largest = fmaxf(largest, first.largest_bend);
        peak = fmaxf(peak, first.peak);
        seeds += 1;
        // An emulator or a loaded machine renders few seeds in a short time.
        const double limit = peak > audible ? seconds : fmax(seconds, 60);
        goes_on = seconds_since(&begun) < limit && expect_failures == 0 && atomic_load(&soak_failures) == 0;
    } while (goes_on);
    EXPECT(peak > audible);
    printf("one thread: %" PRIu64 " seeds from %" PRIu64 ", %" PRIu64 " voices started, peak %g, sharpest bend %g\n",
           seeds, seed, started, (double)peak, (double)largest);
}

// ---- Five threads -------------------------------------------------------------------------------

static void *run_trigger(void *argument) {
    struct trigger *trigger = argument;
    struct soak *soak = (struct soak *)((char *)(trigger - trigger->number) - offsetof(struct soak, triggers));
    while (!atomic_load(&soak->over)) {
        trigger_turn(trigger);
        sched_yield();
    }
    return NULL;
}

static void *run_renderer(void *argument) {
    struct soak *soak = argument;
    struct random random = random_seeded(7);
    uint64_t time = 0;
    while (!atomic_load(&soak->over)) {
        period(soak, &random, &time, NULL);
        sched_yield();
    }
    return NULL;
}

/// Returns whether enough has happened for the expectations after the run: a loaded machine renders
/// few cycles in a short time.
static bool has_done_enough(struct soak *soak) {
    const rcore_counters_t counters = rcore_read_counters(soak->stage.core);
    return counters.cycles >= 1000 && counters.stolen_voices > 0 && counters.refused_voices > 0;
}

static void soak_together(uint64_t seed, double seconds) {
    struct timespec begun;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    struct soak *soak = soak_open(seed);
    pthread_t renderer, threads[ntriggers];
    EXPECT_EQUAL(pthread_create(&renderer, NULL, run_renderer, soak), 0);
    for (uint32_t i = 0; i < ntriggers; i++) {
        EXPECT_EQUAL(pthread_create(&threads[i], NULL, run_trigger, &soak->triggers[i]), 0);
    }
    while (seconds_since(&begun) < seconds || (!has_done_enough(soak) && seconds_since(&begun) < 60)) {
        control_turn(soak);
        sched_yield();
    }
    atomic_store(&soak->over, true);
    pthread_join(renderer, NULL);
    uint64_t started = 0;
    for (uint32_t i = 0; i < ntriggers; i++) {
        pthread_join(threads[i], NULL);
        started += soak->triggers[i].started;
    }
    const rcore_counters_t counters = rcore_read_counters(soak->stage.core);
    printf("five threads: %" PRIu64 " voices started, %" PRIu64 " stolen, %" PRIu64 " refused, %" PRIu64
           " cycles, %" PRIu64 " frames captured, %" PRIu32 " plans posted, %" PRIu32 " refused\n",
           started, counters.stolen_voices, counters.refused_voices, counters.cycles, soak->captured,
           soak->plans_posted, soak->plans_refused);
    EXPECT(soak->plans_posted > 0 && soak->plans_refused < 4 * soak->plans_posted);
    EXPECT(started > 0 && counters.stolen_voices > 0 && counters.refused_voices > 0);
    soak_close(soak);
}

int main(int argc, char **argv) {
    double seconds = 5.0;
    uint64_t seed = random_seed(1);
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seconds") == 0) {
            seconds = strtod(argv[i + 1], NULL);
        } else if (strcmp(argv[i], "--seed") == 0) {
            seed = strtoull(argv[i + 1], NULL, 0);
        } else {
            fprintf(stderr,
                    "usage: soak [--seconds N] [--seed S]; the default seed is the environment variable SEED, or 1\n");
            return 64;
        }
    }
    printf("seed %" PRIu64 "\n", seed);
    expect_tests = 2;
    soak_alone(seed, seconds / 2);
    soak_together(seed, seconds / 2);
    EXPECT_EQUAL(atomic_load(&soak_failures), 0);
    return test_result();
}
