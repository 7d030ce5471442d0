/// The render core: commands → inputs → voices → buses → duck and gate → routes, in one call per period.
///
/// Control builds plans; every thread that triggers sound posts commands through a port of its own; the driver calls
/// `rcore_process`; events come back. Time is the number of frames
/// processed since creation. A period of any length 0…RCORE_MAX_PERIOD may follow any other; it is cut where a timed command
/// is due and where a session freezes, so both are exact to the frame.
#ifndef RENDER_CORE_H
#define RENDER_CORE_H

#include "rcore_base.h"
#include "rcore_buffer.h"
#include "rcore_capture.h"
#include "rcore_fifo.h"
#include "rcore_limiter.h"
#include "rcore_matrix.h"
#include "rcore_meter.h"
#include "rcore_plan.h"
#include "rcore_port.h"
#include "rcore_voice.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Set-up -------------------------------------------------------------------------------------------------------------------

/// Sizes, fixed for the core's life.
typedef struct rcore_config {
    uint32_t sample_rate;  ///< Hz, RCORE_MIN_SAMPLE_RATE…RCORE_MAX_SAMPLE_RATE; only gate ramps depend on it
    uint32_t max_voices;   ///< 1…65536: the pool, with those that wait for their start and those that fade out
    uint32_t max_playing;  ///< 1…max_voices, started and not stopping: one more steals a place (`rcore_post_start`)
    uint32_t max_buses;    ///< 1…1024
    uint32_t max_sends;    ///< 0…1024
    uint32_t max_routes;   ///< 1…RCORE_MAX_ROUTES
    uint32_t max_inputs;   ///< 0…64
    uint32_t max_channels; ///< of a bus, route or input, 1…RCORE_MAX_CHANNELS
    uint32_t max_ports;    ///< command ports, 1…64
    uint32_t max_curves;   ///< 0…4096: curves that wait or run (`rcore_post_curve`)
    uint32_t slice_frames; ///< longest piece rendered at once, 16…RCORE_MAX_PERIOD; longer periods take several
    uint32_t command_capacity; ///< of each port, 1…2^20, rounded up to a power of two
    uint32_t event_capacity;   ///< 1…2^20, rounded up to a power of two
    uint32_t steal_frames;     ///< fade of a voice whose place was stolen, 0…2^20
    uint32_t swap_frames;      ///< cross-fade where a new plan changes what is heard, 0…2^20
} rcore_config_t;

/// 48 kHz, 256 voices that may all play, 64 buses, 8 routes, 8 inputs, 8 channels, 8 ports of 1024 commands, slices of 256, 1024 events,
/// fades of 240 frames. [any]
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

// ---- Events: [consumer], wait-free ----------------------------------------------------------------------------------------

typedef enum rcore_event_kind {
    RCORE_EVENT_VOICE_ENDED = 1,  ///< value: frames played; reason says why
    RCORE_EVENT_GATE_APPLIED = 2, ///< value: the verdict's serial; first frame under it
    RCORE_EVENT_GATE_SETTLED = 3, ///< value: the verdict's serial; its ramps are over (paused: sources stand still)
    RCORE_EVENT_PLAN_APPLIED = 4, ///< value: plans applied so far
} rcore_event_kind_t;

/// Fixed-size. Nothing that must be freed or counted depends on an event: voices and plans tell by state, so a full ring loses news only.
typedef struct rcore_event {
    uint32_t kind;       ///< rcore_event_kind_t
    uint32_t bus;        ///< slot, for gate events; else RCORE_NONE
    uint32_t reason;     ///< rcore_end_t, for RCORE_EVENT_VOICE_ENDED; else 0
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
    uint64_t stolen_voices;     ///< faded out because another one needed the place
    uint64_t refused_voices;    ///< not started because all places were held by higher priorities
    uint64_t nonfinite_samples; ///< output samples that were NaN or infinite and became silence
    uint64_t unlocked_bytes;    ///< memory of the cycle that the system refused to lock
    uint32_t playing_voices;    ///< as of the last cycle
} rcore_counters_t;

/// A snapshot. [any]
rcore_counters_t rcore_read_counters(const rcore_t *core) RCORE_RT;

/// Greatest magnitude that a route's channel has put out since the last call; 0 for unknown ones. [any], one reader
float rcore_take_route_peak(rcore_t *core, uint32_t route, uint32_t channel) RCORE_RT;

/// Greatest magnitude that an input's channel has had, gain and permission applied, since the last call. [any], one reader
float rcore_take_input_peak(rcore_t *core, uint32_t input, uint32_t channel) RCORE_RT;

/// Attenuation (linear, duck × fade × volume) that a session bus's gate had at the end of the last cycle. [any]
float rcore_bus_gate_gain(const rcore_t *core, uint32_t bus) RCORE_RT;

/// Turns denormal numbers of the calling thread into zeros, for its life: for threads that call `rcore_process` again and again. [any] `rcore_process`
/// does so for as long as it runs by itself; code of others on the same thread, such as a JACK client's, is spared them as well.
void rcore_flush_denormals(void) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
