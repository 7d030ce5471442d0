/// A core that plays mixers (mixer_model.h): plans, settings and voices built from the same values
/// as the model, and the whole output of the core.
#ifndef MIXER_STAGE_H
#define MIXER_STAGE_H

#include "mixer_effect.h"
#include "mixer_model.h"
#include "random.h"
#include "stage.h"

enum { mixer_contexts = 64, mixer_outputs = mixer_most_routes * mixer_channels };

struct mixer_stage {
    rcore_t *core;
    rcore_queue_t *queue;
    sgate_page_t *gate;
    struct mixer_effect effects[mixer_contexts];
    rcore_matrix_t **matrices;
    uint32_t matrix_count;
    rcore_buffer_t *buffers[mixer_most_voices];
    /// Output r * mixer_channels + c is channel c of route r; index 0 is frame 0.
    float *out[mixer_outputs];
    uint64_t nframes;
    uint64_t capacity;
    uint32_t turns;
};

/// Returns a configuration large enough for any mixer: 16 buses, 24 sends, 4 channels, blocks of 64
/// frames.
rcore_config_t mixer_config(void);
/// Opens a stage with room for `capacity` frames of output. Posts no plan.
struct mixer_stage *mixer_stage_open(const rcore_config_t *config, uint64_t capacity);
void mixer_stage_close(struct mixer_stage *stage);

/// Returns the mixer's plan; the stage owns its contexts and matrices. Every part must be accepted.
rcore_plan_t *mixer_plan(struct mixer_stage *stage, const struct mixer *mixer);
/// Posts gain, pan, mute and solo of the mixer's buses and the levels of its sends, in one
/// transaction at `RCORE_NOW`.
void mixer_settings(struct mixer_stage *stage, const struct mixer *mixer);
/// Starts the mixer's voices, which need no plan. Call it once per stage.
void mixer_voices(struct mixer_stage *stage, const struct mixer *mixer);
/// Renders in periods of `period` frames (STAGE_CHANGING_PERIODS: of varying lengths), and checks
/// that the core calls each insert as its contract says.
void mixer_stage_render(struct mixer_stage *stage, uint64_t nframes, uint32_t period);
/// Marks the contexts that the mixer does not contain as gone. Call it when the core holds only the
/// mixer's plan.
void mixer_retire(struct mixer_stage *stage, const struct mixer *mixer);
/// Returns the number of calls of contexts that were gone and of calls with more frames than the
/// period, over the lifetime of all contexts.
uint64_t mixer_bad_calls(const struct mixer_stage *stage);

/// Opens a stage and plays the mixer with its settings and voices for `nframes`.
struct mixer_stage *mixer_play(const struct mixer *mixer, uint64_t nframes, uint32_t period);

/// Which features a random mixer may have.
struct mixer_limits {
    /// Upper limits.
    uint32_t buses, sends, latency;
    bool pans, mutes, solos, routes, compensation_exempt;
};
/// Returns a mixer of at least two buses, with one voice of `nframes` of noise on each. `noise`
/// holds the samples of the voices.
struct mixer mixer_random(struct random *random, const struct mixer_limits *limits, float *noise, uint32_t nframes);

#endif
