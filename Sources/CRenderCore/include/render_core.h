/// The render core: voices → buses → duck and gate → routes, in one call per period.
///
/// Control builds plans and posts commands; the driver calls `rcore_process`; events come back. Time is the number of frames
/// processed since creation. A period of any length 0…RCORE_MAX_PERIOD may follow any other; it is cut where a timed command
/// is due and where a session freezes, so both are exact to the frame.
#ifndef RENDER_CORE_H
#define RENDER_CORE_H

#include "rcore_base.h"
#include "rcore_buffer.h"
#include "rcore_fifo.h"
#include "rcore_matrix.h"
#include "rcore_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore rcore_t;

// ---- Set-up -------------------------------------------------------------------------------------------------------------------

/// Sizes, fixed for the core's life.
typedef struct rcore_config {
    uint32_t sample_rate;      ///< Hz, RCORE_MIN_SAMPLE_RATE…RCORE_MAX_SAMPLE_RATE; only gate ramps depend on it
    uint32_t max_voices;       ///< 1…65536
    uint32_t max_buses;        ///< 1…1024
    uint32_t max_routes;       ///< 1…64
    uint32_t max_channels;     ///< of a bus or route, 1…RCORE_MAX_CHANNELS
    uint32_t slice_frames;     ///< longest piece rendered at once, 16…RCORE_MAX_PERIOD; longer periods take several
    uint32_t command_capacity; ///< 1…2^20, rounded up to a power of two
    uint32_t event_capacity;   ///< 1…2^20, rounded up to a power of two
} rcore_config_t;

/// 48 kHz, 256 voices, 64 buses, 8 routes, 8 channels, slices of 256, 1024 commands, 1024 events. [any]
rcore_config_t rcore_config_default(void);

/// Makes a core with no buses and no routes; all memory of the cycle is allocated, touched and, where the system lets it, locked.
/// [control] NULL with RCORE_BAD_ARGUMENT or RCORE_NO_MEMORY; `status` may be NULL. The caller owns it.
rcore_t *rcore_create(const rcore_config_t *config, rcore_status_t *status);
/// Frees the core and the plans posted to it; buffers, fifos and matrices stay the caller's. NULL does nothing. [control & !active]
void rcore_destroy(rcore_t *core);

/// The sizes it was made with (capacities rounded). [any]
rcore_config_t rcore_configuration(const rcore_t *core);
/// Sets the rate that gate ramps are counted in, from the next cycle on. [control] RCORE_BAD_ARGUMENT when out of range.
rcore_status_t rcore_set_sample_rate(rcore_t *core, uint32_t sample_rate);

// ---- The cycle ----------------------------------------------------------------------------------------------------------------

/// Renders `nframes` frames (0…RCORE_MAX_PERIOD; 0 only applies commands that are due). [render]
/// `inputs` and `outputs` are planar; a NULL plane is silence in, or nowhere out. Outputs that no route feeds become silence. Never
/// puts out NaN or infinity. Cost: linear in frames × (playing voices × channels + buses + route channels) + commands due.
void rcore_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, float *const *outputs,
                   uint32_t noutputs, uint32_t nframes) RCORE_RT;

/// Frames processed so far: the time the next period begins at. [any]
uint64_t rcore_time(const rcore_t *core) RCORE_RT;

// ---- Voices -------------------------------------------------------------------------------------------------------------------

/// Names a voice for one playing; 0 is never a voice.
typedef uint64_t rcore_voice_t;

/// Renders the next `nframes` frames of a source of an app's own into `planes`, one for each of `channels`; returns how many it
/// rendered: fewer than asked end the voice. [render] It keeps the contract of the cycle: no lock, allocation or system call.
typedef uint32_t (*rcore_render_t)(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

/// What a voice plays, and how. Exactly one of buffer, fifo, render and input_channels is set.
typedef struct rcore_voice_params {
    const rcore_buffer_t *buffer; ///< memory source; kept by the caller until the voice has ended
    rcore_fifo_t *fifo;           ///< streamed source; kept by the caller until the voice has ended
    rcore_render_t render;        ///< source of an app's own, of render_channels channels; called at most once a slice
    void *render_context;         ///< handed to `render`; kept by the caller until the voice has ended
    uint32_t render_channels;     ///< 1…the core's max_channels
    uint32_t
        input_channels;   ///< live input: so many channels of the driver's from first_input on, heard in the same cycle
    uint32_t first_input; ///< a channel that the driver has not, or that its session's gate does not grant, is silence
    const rcore_matrix_t *matrix; ///< source channels in, bus channels out; NULL: channel to channel. Kept likewise
    uint32_t bus;                 ///< slot; a bus that no plan has is silence, the voice runs on
    float gain;                   ///< linear, finite
    float speed;                  ///< varispeed of memory and stream: 1/16…16 source frames a frame; others play at 1
    uint64_t start_frame;         ///< memory: first frame to play, below its length
    uint64_t loop_count;          ///< memory: how often to play again from frame 0; UINT64_MAX for ever
    uint32_t fade_in_frames;      ///< 0 begins at full gain
    bool paused;                  ///< begins standing still
} rcore_voice_params_t;

/// Unity gain and speed on bus 0, from the beginning, once, no fade. [any]
rcore_voice_params_t rcore_voice_params_default(void);

typedef enum rcore_voice_state {
    RCORE_VOICE_FREE = 0,    ///< released, or never acquired
    RCORE_VOICE_WAITING = 1, ///< acquired; its start has not taken effect
    RCORE_VOICE_PLAYING = 2,
    RCORE_VOICE_PAUSED = 3, ///< stands still, or fades towards it
    RCORE_VOICE_ENDED = 4,  ///< over: the core holds nothing of it; may be released
} rcore_voice_state_t;

/// Takes a voice from the pool. [control] 0 when all are taken. Give it back with `rcore_voice_release` once it has ended or if it
/// was never started.
rcore_voice_t rcore_voice_acquire(rcore_t *core);
/// Gives a voice back. [control] RCORE_STALE if it was released before; RCORE_FULL while a start is on its way or it still plays:
/// stop it first and wait for its end.
rcore_status_t rcore_voice_release(rcore_t *core, rcore_voice_t voice);
/// What the voice is doing, as of the last cycle. [any] RCORE_VOICE_FREE for stale handles.
rcore_voice_state_t rcore_voice_state(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Frames of its source that were rendered, loops included; with `start_frame` and the source's length this is the position. [any]
/// Stays readable until the voice is released; 0 for stale handles.
uint64_t rcore_voice_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;
/// Frames that a streamed source could not deliver in time. [any]
uint64_t rcore_voice_underrun_frames(const rcore_t *core, rcore_voice_t voice) RCORE_RT;

// ---- Commands: [producer], wait-free. `when` is RCORE_NOW or an absolute frame: it takes effect on exactly that frame. One that is past, or
// falls in a pause of its session, takes effect at once or at resumption, and counts as late. Each returns RCORE_OK, RCORE_BAD_ARGUMENT (also
// for a voice whose start was not posted), RCORE_STALE or RCORE_FULL (then nothing was posted): the ring has no room, or as many commands
// wait for their time as it holds. Commands for one time keep their order. Ramp lengths are in frames; 0 means
// the change takes effect between two samples, as a click.

rcore_status_t rcore_post_start(rcore_t *core, rcore_voice_t voice, const rcore_voice_params_t *params, uint64_t when);
/// Fades to silence in `ramp_frames`, then ends.
rcore_status_t rcore_post_stop(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when);
/// Fades to silence in `ramp_frames`, then stands still; the next frame played is the one after the last rendered, fade included.
rcore_status_t rcore_post_pause(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when);
rcore_status_t rcore_post_resume(rcore_t *core, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when);
/// Linear ramp from wherever the gain is; finite.
rcore_status_t rcore_post_gain(rcore_t *core, rcore_voice_t voice, float gain, uint32_t ramp_frames, uint64_t when);
/// Varispeed: pitch and tempo together, by 4-point interpolation; 1/16…16, the ramp linear in speed. At exactly 1 the samples are the
/// source's own bits, once the position is on a frame. RCORE_BAD_ARGUMENT also for sources other than memory and stream.
rcore_status_t rcore_post_speed(rcore_t *core, rcore_voice_t voice, float speed, uint32_t ramp_frames, uint64_t when);
rcore_status_t rcore_post_bus_gain(rcore_t *core, uint32_t bus, float gain, uint32_t ramp_frames, uint64_t when);
/// Begins a group: what is posted from now on takes effect all together or not at all. [producer] Plans do not go into groups.
/// RCORE_BAD_ARGUMENT: a group is open.
rcore_status_t rcore_group_begin(rcore_t *core);
/// Publishes the group at once: untimed commands take effect on one frame, a chord starts together. RCORE_FULL: one of them found no room;
/// then none takes effect, and voices started in it may be started again. RCORE_BAD_ARGUMENT: no group is open.
rcore_status_t rcore_group_commit(rcore_t *core);
/// Drops the open group, if there is one: nothing of it takes effect. [producer]
void rcore_group_cancel(rcore_t *core);

/// Replaces the plan. [control] and [producer] With RCORE_OK the core owns it; otherwise it stays the caller's. RCORE_NO_SLOT: it names
/// a slot beyond the core's sizes. A bus slot that the plan before did not have begins afresh: unity gain, gate not yet read. A plan
/// that becomes due after one posted later has taken effect is dropped.
rcore_status_t rcore_post_plan(rcore_t *core, rcore_plan_t *plan, uint64_t when);

/// Frees the plans that were replaced. [control] Returns how many posted plans the core still holds or will hold; once it is at
/// most 1, only the newest is in use and what older ones alone referred to may be freed.
uint32_t rcore_collect_plans(rcore_t *core);

// ---- Events: [consumer], wait-free ----------------------------------------------------------------------------------------

typedef enum rcore_event_kind {
    RCORE_EVENT_VOICE_ENDED = 1,  ///< value: frames played; played to its end, or stopped
    RCORE_EVENT_GATE_APPLIED = 2, ///< value: the verdict's serial; first frame under it
    RCORE_EVENT_GATE_SETTLED = 3, ///< value: the verdict's serial; its ramps are over (paused: sources stand still)
    RCORE_EVENT_PLAN_APPLIED = 4, ///< value: plans applied so far
} rcore_event_kind_t;

/// Fixed-size. Nothing that must be freed or counted depends on an event: voices and plans tell by state, so a full ring loses news only.
typedef struct rcore_event {
    uint32_t kind;       ///< rcore_event_kind_t
    uint32_t bus;        ///< slot, for gate events; else RCORE_NONE
    rcore_voice_t voice; ///< for voice events; else 0
    uint64_t frame;      ///< when, in frames of `rcore_time`
    uint64_t value;      ///< per kind
} rcore_event_t;

/// Takes the oldest event; false when there is none.
bool rcore_next_event(rcore_t *core, rcore_event_t *event) RCORE_RT;

// ---- Counters and meters ------------------------------------------------------------------------------------------------------

/// Counted since creation.
typedef struct rcore_counters {
    uint64_t cycles;
    uint64_t late_commands;     ///< timed commands that took effect after their frame
    uint64_t dropped_events;    ///< events lost because nobody read them
    uint64_t underrun_frames;   ///< of all streamed sources
    uint64_t nonfinite_samples; ///< output samples that were NaN or infinite and became silence
    uint64_t unlocked_bytes;    ///< memory of the cycle that the system refused to lock
    uint32_t playing_voices;    ///< as of the last cycle
} rcore_counters_t;

/// A snapshot. [any]
rcore_counters_t rcore_read_counters(const rcore_t *core) RCORE_RT;

/// Greatest magnitude that a route's channel has put out since the last call; 0 for unknown ones. [any], one reader
float rcore_take_route_peak(rcore_t *core, uint32_t route, uint32_t channel) RCORE_RT;

/// Attenuation (linear, duck × fade × volume) that a session bus's gate had at the end of the last cycle. [any]
float rcore_bus_gate_gain(const rcore_t *core, uint32_t bus) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
