/// A core that plays desks (desk_model.h): plans, settings and voices from the same values as the model, and everything that it has put out.
#ifndef DESK_STAGE_H
#define DESK_STAGE_H

#include "desk_effect.h"
#include "desk_model.h"
#include "random.h"
#include "stage.h"

enum { desk_contexts = 64, desk_outputs = desk_most_routes * desk_channels };

struct desk_stage {
    rcore_t *core;
    rcore_port_t *port;
    sgate_page_t *gate;
    struct desk_effect effects[desk_contexts];
    rcore_matrix_t **matrices;
    uint32_t matrix_count;
    rcore_buffer_t *buffers[desk_most_voices];
    float *out[desk_outputs]; ///< route r's channel c is output r * desk_channels + c; index 0 is frame 0
    uint64_t nframes;
    uint64_t capacity;
    uint32_t turns;
};

/// Sizes that hold any desk: 16 buses, 24 sends, 4 channels, slices of 64.
rcore_config_t desk_config(void);
/// Room for `capacity` frames of output. No plan is posted.
struct desk_stage *desk_stage_open(const rcore_config_t *config, uint64_t capacity);
void desk_stage_close(struct desk_stage *stage);

/// The desk's plan; contexts and matrices are the stage's. Every part must be accepted.
rcore_plan_t *desk_plan(struct desk_stage *stage, const struct desk *desk);
/// Posts gain, pan, mute and solo of its buses and levels of its sends, all at once and at `RCORE_NOW`.
void desk_settings(struct desk_stage *stage, const struct desk *desk);
/// Starts its voices, which need no plan. Once a stage.
void desk_voices(struct desk_stage *stage, const struct desk *desk);
/// Renders in periods of `period` (STAGE_CHANGING_PERIODS: of many lengths), and holds each insert to its contract.
void desk_stage_render(struct desk_stage *stage, uint64_t nframes, uint32_t period);
/// Tells which contexts are gone: those that the desk has not. Call it when the core holds the desk's plan alone.
void desk_retire(struct desk_stage *stage, const struct desk *desk);
/// Calls of contexts that were gone, or of more frames than a period had; of all contexts since they were made.
uint64_t desk_bad_calls(const struct desk_stage *stage);

/// Opens a stage, plays the desk with its settings and voices for `nframes`.
struct desk_stage *desk_play(const struct desk *desk, uint64_t nframes, uint32_t period);

/// How a random desk may be.
struct desk_limits {
    uint32_t buses, sends, latency; ///< at most
    bool pans, mutes, solos, routes, live;
};
/// A desk of at least two buses, with one voice of `nframes` of noise on each; `noise` keeps their samples.
struct desk desk_random(struct random *random, const struct desk_limits *limits, float *noise, uint32_t nframes);

#endif
