/// The soak's parts: sounds that have no steps of their own, three that trigger them, one that controls plans and verdicts.
#ifndef SOAK_H
#define SOAK_H

#include "desk_effect.h"
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

/// Of the sines of 20 Hz that are played: they begin and end at a crossing, so that any step is somebody's fault.
static const float level = 0.05f;
float sine_at(uint64_t frame);

/// A stream of the same sine, filled by whoever owns it.
struct tap {
    rcore_fifo_t *fifo;
    uint64_t written;
};
void tap_fill(struct tap *tap);

/// A callback's sine, three cycles long.
struct tone {
    uint64_t frame;
};

/// One that triggers, through a port of its own.
struct trigger {
    struct random random;
    rcore_t *core;
    rcore_port_t *port;
    const rcore_buffer_t *const *sounds;
    const rcore_matrix_t *const *maps;
    _Atomic(rcore_voice_t) *shared; // voices of all triggers, which anybody may command
    rcore_voice_t voices[own_voices];
    struct tap taps[own_voices];
    struct tone tones[own_voices];
    uint32_t number;
    uint64_t started;
};

/// Starts, commands and gives back at random; often in a group.
void trigger_turn(struct trigger *trigger);
/// Gives a voice back if it has ended.
void trigger_tidy_up(struct trigger *trigger, uint32_t index);

struct soak {
    stage_t stage;
    struct random random;
    rcore_buffer_t *sounds[2];
    rcore_matrix_t *maps[2];   // mono to the pair
    rcore_matrix_t *routes[2]; // the pair to the pair
    rcore_matrix_t *send;      // the same, softly
    rcore_capture_t *capture;
    rcore_meter_t *meters[buses + 1]; // of each bus, and of the route
    struct desk_effect effects[buses];
    uint32_t plans_posted;
    uint32_t plans_refused;
    uint32_t inserted; // bits: whose effects the newest plan has
    rcore_limiter_t *limiter;
    _Atomic(rcore_voice_t) shared[ntriggers * own_voices];
    struct trigger triggers[ntriggers];
    uint64_t captured;
    atomic_bool over;
};

struct soak *soak_open(uint64_t seed);
/// Stops all that plays, lets it end, and frees it; every voice must have come back.
void soak_close(struct soak *soak);
/// A plan at random: nested buses with inserts, sends, a limiter; `inserted`: whose effects it has.
rcore_plan_t *soak_plan(struct soak *soak, uint32_t *inserted);
/// Plans, verdicts, events and captures.
void control_turn(struct soak *soak);

/// Expectations that failed in the parts.
extern atomic_uint soak_failures;
#define SOAK_EXPECT(condition)                                                                                         \
    ((condition) ? (void)0                                                                                             \
                 : (void)(atomic_fetch_add(&soak_failures, 1),                                                         \
                          fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__, #condition)))

#endif
