/// Parts of the soak test: continuous test signals, three threads that trigger them, and one thread
/// that controls plans and grants.
#ifndef SOAK_H
#define SOAK_H

#include "mixer_effect.h"
#include "random.h"
#include "stage.h"

#include <stdatomic.h>

enum {
    own_voices = 6,
    period_limit = 2048,
    soft = 1000,
    cycle_length = 2400,
    ntriggers = 3,
    buses = 5,
    sends = 4,
    max_curves = 12
};

/// Level of the 20 Hz sines that the test plays. They begin and end at a zero crossing, so that any
/// step in the output is an error.
static const float level = 0.05f;
float sine_at(uint64_t frame);

/// A stream of the same sine, filled by the trigger that owns it.
struct tap {
    rcore_fifo_t *fifo;
    uint64_t written;
};
void tap_fill(struct tap *tap);

/// The sine of a render callback, three cycles long.
struct tone {
    uint64_t frame;
};

/// A trigger thread, with a queue of its own.
struct trigger {
    struct random random;
    rcore_t *core;
    rcore_queue_t *queue;
    const rcore_buffer_t *const *sounds;
    const rcore_matrix_t *const *maps;
    /// The voices of all triggers; every trigger may command them.
    _Atomic(rcore_voice_t) *shared;
    rcore_voice_t voices[own_voices];
    struct tap taps[own_voices];
    struct tone tones[own_voices];
    uint32_t number;
    uint64_t started;
};

/// Starts, commands and releases voices at random, often in a transaction.
void trigger_turn(struct trigger *trigger);
/// Releases a voice if it has ended.
void trigger_tidy_up(struct trigger *trigger, uint32_t index);

struct soak {
    stage_t stage;
    struct random random;
    rcore_buffer_t *sounds[2];
    /// Mono to stereo.
    rcore_matrix_t *maps[2];
    /// Stereo to stereo.
    rcore_matrix_t *routes[2];
    /// Stereo to stereo at a low level.
    rcore_matrix_t *send;
    rcore_capture_t *capture;
    /// One meter per bus, and one for the route.
    rcore_meter_t *meters[buses + 1];
    struct mixer_effect effects[buses];
    uint32_t plans_posted;
    uint32_t plans_refused;
    /// Bit mask of the buses whose effects the newest plan contains.
    uint32_t inserted;
    rcore_limiter_t *limiter;
    _Atomic(rcore_voice_t) shared[ntriggers * own_voices];
    struct trigger triggers[ntriggers];
    uint64_t captured;
    atomic_bool over;
};

struct soak *soak_open(uint64_t seed);
/// Stops all voices, lets them end, and frees the soak. Expects that every voice is released.
void soak_close(struct soak *soak);
/// Returns a random plan with nested buses, inserts, sends and a limiter. Sets `inserted` to the
/// buses whose effects it contains.
rcore_plan_t *soak_plan(struct soak *soak, uint32_t *inserted);
/// Posts random plans and grants, reads events and captures.
void control_turn(struct soak *soak);

/// Number of expectations that failed.
extern atomic_uint soak_failures;
#define SOAK_EXPECT(condition)                                                                                         \
    ((condition) ? (void)0                                                                                             \
                 : (void)(atomic_fetch_add(&soak_failures, 1),                                                         \
                          fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition)))

#endif
