/// A core with one session bus (slot 0) on one route (slot 0, outputs 0…1), and its whole output so
/// far.
#ifndef STAGE_H
#define STAGE_H

#include "render_core.h"
#include "session_gate.h"

#define STAGE_CHANNELS 2
#define STAGE_RATE 48000u
/// A period that stands for varying lengths: 1, 7, 64, 8192, 13, 480 and others in turn.
#define STAGE_CHANGING_PERIODS 0u

typedef struct stage {
    rcore_t *core;
    /// The queue of the thread that runs the test.
    rcore_queue_t *queue;
    sgate_page_t *gate;
    /// Index 0 is frame 0 of the core's time.
    float *out[STAGE_CHANNELS];
    /// Number of frames rendered so far.
    uint64_t nframes;
    uint64_t capacity;
    uint32_t turns;
    uint32_t serial;
} stage_t;

/// Returns a configuration small enough for tests to fill: 32 voices, 8 buses, 4 routes, 4
/// channels, 64 commands, 256 events.
rcore_config_t stage_config(void);
/// Opens a stage whose gate passes everything from the start.
stage_t stage_open(const rcore_config_t *config);
void stage_close(stage_t *stage);

/// Returns the stage's plan: bus 0 with `gate` (may be NULL) and its children 1 and 2, on route 0;
/// mono inputs 0 and 1.
rcore_plan_t *stage_plan(const sgate_page_t *gate);
/// Renders `nframes` frames in periods of `period`, and appends the output to `out`.
void stage_render(stage_t *stage, uint64_t nframes, uint32_t period);
/// Publishes a grant with the next serial, and returns the serial.
uint32_t stage_grant(stage_t *stage, sgate_grant_t grant);
/// Starts a voice on a new handle.
rcore_voice_t stage_start(stage_t *stage, const rcore_voice_params_t *params, uint64_t when);
/// Play a buffer at unity: on bus 0, or on another bus.
rcore_voice_t stage_play(stage_t *stage, const rcore_buffer_t *buffer, uint64_t when);
rcore_voice_t stage_play_on(stage_t *stage, const rcore_buffer_t *buffer, uint32_t bus, uint64_t when);

/// Create buffers of `nframes` frames, which the caller releases. Contents of frame i:
/// - ramp: (i + 1) / 2^20, the right channel negative
/// - sine: `level`·sin(2π·hertz·i/48000) in both channels
/// - constant: `level`
/// - impulse: 1 at frame 0 of the left channel only
rcore_buffer_t *ramp_buffer(uint64_t nframes);
rcore_buffer_t *sine_buffer(uint64_t nframes, double hertz, float level);
rcore_buffer_t *constant_buffer(uint64_t nframes, float level);
rcore_buffer_t *impulse_buffer(uint32_t channels);
float ramp_sample(uint64_t frame);
/// Fills a signal with a sine: `level`·sin(2π·hertz·i/48000 + phase).
void fill_sine(float *samples, uint32_t nframes, double hertz, double phase, double level);

/// The click detector. Returns the first frame in from…to whose step from the previous frame is
/// larger than `limit`, or -1.
int64_t find_click(const float *samples, uint64_t from, uint64_t to, float limit);
/// Returns the largest second difference in from…to, and its frame in `at`.
double sharpest_bend(const float *samples, uint64_t from, uint64_t to, uint64_t *at);
/// Returns the largest step between adjacent frames in from…to.
float largest_step(const float *samples, uint64_t from, uint64_t to);
/// Returns the first frame in from…to that is not exactly `value`, or -1.
int64_t first_other(const float *samples, uint64_t from, uint64_t to, float value);
/// Returns a ratio in decibels.
double decibels(double ratio);

#endif
