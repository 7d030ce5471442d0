/// The render core plays voices, mixes them through buses and applies the session gates. One call
/// per period processes commands → inputs → voices → buses → gates → routes.
///
/// Control threads build plans. Every thread that triggers sound posts commands through its own
/// queue. The driver calls `rcore_process`. Events report results to a control thread. Time is the
/// number of frames processed since the core was created. Each period may have any length,
/// 0…RCORE_MAX_PERIOD. The core divides a period where a timed command is due and where a session
/// suspends, so both are exact to the frame.
#ifndef RENDER_CORE_H
#define RENDER_CORE_H

#include "rcore_base.h"
#include "rcore_buffer.h"
#include "rcore_capture.h"
#include "rcore_fifo.h"
#include "rcore_gap.h"
#include "rcore_instrument.h"
#include "rcore_limiter.h"
#include "rcore_matrix.h"
#include "rcore_meter.h"
#include "rcore_midi.h"
#include "rcore_page_cache.h"
#include "rcore_plan.h"
#include "rcore_queue.h"
#include "rcore_transport.h"
#include "rcore_voice.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Set-up

/// Sizes of a core, fixed for its lifetime, and its initial sample rate.
typedef struct rcore_config {
    /// Hz, RCORE_MIN_SAMPLE_RATE…RCORE_MAX_SAMPLE_RATE. Only gate ramps, instruments and the
    /// transport depend on it.
    uint32_t sample_rate;
    /// Size of the voice pool, 1…65536, including voices that wait for their start or fade out.
    uint32_t max_voices;
    /// Maximum number of voices that play at once, 1…max_voices: started and not stopping. Starting
    /// another one steals a voice (`rcore_post_start`).
    uint32_t max_playing;
    /// 1…1024.
    uint32_t max_buses;
    /// 0…1024.
    uint32_t max_sends;
    /// 1…RCORE_MAX_ROUTES.
    uint32_t max_routes;
    /// 0…64.
    uint32_t max_inputs;
    /// Maximum number of channels of a bus, route or input, 1…RCORE_MAX_CHANNELS.
    uint32_t max_channels;
    /// Command queues, 1…64.
    uint32_t max_queues;
    /// Curves that wait or run, 0…4096: nonlinear ones (`rcore_post_curve`), and all that end at a
    /// beat (`rcore_post_curve_to_beat`).
    uint32_t max_curves;
    /// Maximum block length, 16…RCORE_MAX_PERIOD. The core renders longer periods in several
    /// blocks.
    uint32_t block_frames;
    /// Capacity of each command queue, 1…2^20, rounded up to a power of two.
    uint32_t command_capacity;
    /// Capacity of the event ring, 1…2^20, rounded up to a power of two.
    uint32_t event_capacity;
    /// Fade-out of a stolen voice, 0…2^20.
    uint32_t steal_frames;
    /// Crossfade of a new plan that changes what is audible, 0…2^20.
    uint32_t crossfade_frames;
} rcore_config_t;

/// Returns 48 kHz, 256 voices that may all play, 64 buses, 64 sends, 8 routes, 8 inputs, 8
/// channels, 8 queues of 1024 commands, 256 curves, blocks of 256 frames, 1024 events, fades of 240
/// frames. [any]
rcore_config_t rcore_config_default(void);

/// Creates a core without buses and routes. [control] Allocates and pre-faults all memory that the
/// cycle uses and, where the system permits, locks it. Returns NULL with RCORE_BAD_ARGUMENT or
/// RCORE_NO_MEMORY; `status` may be NULL. The caller owns the core.
rcore_t *rcore_create(const rcore_config_t *config, rcore_status_t *status);
/// Frees the core and the plans posted to it; NULL does nothing. [control & !active], and no thread
/// in `rcore_wait`. Buffers, fifos and matrices still belong to the caller.
void rcore_destroy(rcore_t *core);

/// Returns the sizes of the core, with rounded capacities, and its sample rate. [any]
rcore_config_t rcore_configuration(const rcore_t *core);
/// Sets the sample rate of the gate ramps that start from the next cycle on, of instruments, whose
/// notes change their speed at once, and of the transport, whose position in beats stays. [control]
/// RCORE_BAD_ARGUMENT when it is out of range.
rcore_status_t rcore_set_sample_rate(rcore_t *core, uint32_t sample_rate);

// ---- The cycle

/// Renders `nframes` frames, 0…RCORE_MAX_PERIOD. With 0, the core only applies new grants and due
/// commands, and ends a running crossfade of plans at once. [render] `inputs` and `outputs` are
/// planar. A NULL plane among the inputs is silence; the core writes nothing to a NULL plane among
/// the outputs. Outputs that no route feeds are silence. The output never contains NaN or infinity.
/// Cost: linear in frames × the channels of the playing voices, the inputs, the buses and sends
/// that have a signal, and the routes, with their meters and limiters; plus a part for each bus,
/// queue and due command.
void rcore_process(rcore_t *core, const float *const *inputs, uint32_t ninputs, float *const *outputs,
                   uint32_t noutputs, uint32_t nframes) RCORE_RT;

/// Returns the number of frames processed and skipped: the time at which the next period begins.
/// While a period is processed, the time advances with each of its blocks. [any]
uint64_t rcore_time(const rcore_t *core) RCORE_RT;
/// Advances the time by `nframes` without rendering, after a pause in which the driver called no
/// cycle. Voices and ramps keep their positions. Commands that have become due take effect in the
/// next cycle, and count as late if their time has passed. [render]
void rcore_skip(rcore_t *core, uint64_t nframes) RCORE_RT;

// ---- Events: [consumer], wait-free

typedef enum rcore_event_kind {
    /// A voice ended. value: frames played; reason: why.
    RCORE_EVENT_VOICE_ENDED = 1,
    /// A grant took effect. value: its serial; frame: the first frame under it.
    RCORE_EVENT_GATE_APPLIED = 2,
    /// The ramps of a grant ended; if it pauses the session, its sources are suspended. value: its
    /// serial.
    RCORE_EVENT_GATE_SETTLED = 3,
    /// A plan took effect. value: its serial number; the core numbers the posted plans from 1.
    RCORE_EVENT_PLAN_APPLIED = 4,
} rcore_event_kind_t;

/// An event, of fixed size. Events are lost while their ring is full, so nothing that must be freed
/// or counted may depend on them: the state of voices and plans can be read at any time.
typedef struct rcore_event {
    /// rcore_event_kind_t.
    uint32_t kind;
    /// Slot, for gate events; otherwise RCORE_NONE.
    uint32_t bus;
    /// rcore_end_t, for RCORE_EVENT_VOICE_ENDED; otherwise 0.
    uint32_t reason;
    /// For voice events; otherwise 0.
    rcore_voice_t voice;
    /// Time of the event, in frames of `rcore_time`. For a voice that ended while it was rendered:
    /// the start of the block in which it ended.
    uint64_t frame;
    /// Depends on the kind.
    uint64_t value;
} rcore_event_t;

/// Reads the oldest event. Returns false when there is none.
bool rcore_next_event(rcore_t *core, rcore_event_t *event) RCORE_RT;

// ---- Waiting for work

/// Waits until a cycle has made work for control, or until `rcore_wake`; returns at once if either
/// has happened since the last return of this function or of `rcore_try_wait`. [any but the render
/// thread] Cost: blocks, without a time limit. Meanwhile, other threads may call every other
/// function, [control] ones as well, except `rcore_destroy`: before that, end the wait with
/// `rcore_wake` and join the thread. If several threads wait, one wake-up ends one wait, and all
/// work and wakes before that wait has returned count as one wake-up: to end several waits, let
/// each thread call `rcore_wake` after its last return. The cycle makes work when
/// - it posts an event, even if the event is dropped;
/// - a quarter of a playing stream's FIFO is free and the stream is not finished: in every cycle,
///   until control has filled it;
/// - half of a meter's tap or of a route's capture is filled: in every cycle, until control has
///   read it;
/// - a session bus begins or ceases to have signal (`rcore_bus_has_signal`) or to be audible
///   (`rcore_bus_is_audible`);
/// - it no longer needs a plan (`rcore_collect_plans`) or a tempo map (`rcore_collect_tempo_maps`);
/// - the transport changes (`rcore_read_transport`).
///
/// Never waiting is allowed: control can also poll. The cycle makes a system call (`sem_post`,
/// which does not block) only if a thread waits here.
void rcore_wait(rcore_t *core);
/// Like `rcore_wait`, but does not block. [any but the render thread] Returns whether there was
/// work or a wake.
bool rcore_try_wait(rcore_t *core);
/// Ends a wait in progress, otherwise the next one. [any] Several calls before a wait returns count
/// as one.
void rcore_wake(rcore_t *core) RCORE_RT;

// ---- Counters and meters

/// Counters since the core was created.
typedef struct rcore_counters {
    uint64_t cycles;
    /// Timed commands that took effect after their frame, or that were for a voice of a suspended
    /// session, or for the gain or pan of a suspended bus.
    uint64_t late_commands;
    /// Events lost because the event ring was full.
    uint64_t dropped_events;
    /// Underruns of all streamed sources, and the waits of notes for pages, in frames.
    uint64_t underrun_frames;
    /// Voices that another voice stole.
    uint64_t stolen_voices;
    /// Voices that did not start because all voices that played had a higher priority.
    uint64_t refused_voices;
    /// Samples of the current plan's routes that were NaN or infinite and became silence.
    uint64_t nonfinite_samples;
    /// MIDI messages from inputs to targets that were dropped because a cycle had more than
    /// RCORE_MAX_MIDI_EVENTS.
    uint64_t dropped_midi;
    /// Bytes of the core's memory that the system refused to lock. Memory outside the core, such as
    /// buffers, FIFOs, delay lines and meters, does not count.
    uint64_t unlocked_bytes;
    /// Voices that had started and not ended at the end of the last cycle, including paused ones
    /// and those that fade out.
    uint32_t playing_voices;
} rcore_counters_t;

/// Returns a snapshot of the counters. [any]
rcore_counters_t rcore_read_counters(const rcore_t *core) RCORE_RT;

/// Returns the greatest magnitude in the output of a route's channel since the last call; 0 for
/// unknown ones. The next result may lack the peak of a block that ends during the call. [any], one
/// reader
float rcore_take_route_peak(rcore_t *core, uint32_t route, uint32_t channel) RCORE_RT;

/// Returns the greatest magnitude in an input's channel since the last call, after gain and
/// permission; 0 for unknown ones. [any], one reader
float rcore_take_input_peak(rcore_t *core, uint32_t input, uint32_t channel) RCORE_RT;

/// Returns the linear gain (duck × fade × volume) of a session bus's gate at the end of the last
/// cycle; 1 for a slot that has had no gate since it was initialised, 0 if the core has no such
/// slot. [any]
float rcore_bus_gate_gain(const rcore_t *core, uint32_t bus) RCORE_RT;

/// How long a session bus has signal after its last block with signal, in milliseconds.
#define RCORE_SIGNAL_HOLD_MS 200
/// The magnitude above which a sample of an insert counts as signal: -100 dBFS.
#define RCORE_SIGNAL_THRESHOLD 1e-5f

/// Returns whether a session bus has signal: whether a voice plays on it or on a bus of its mixer,
/// or did so in the last RCORE_SIGNAL_HOLD_MS. [any] A paused voice does not count, nor one whose
/// session is suspended; one that renders silence counts. An insert counts while the session's bus
/// has samples above RCORE_SIGNAL_THRESHOLD. False for a bus without a gate, and if the core has no
/// such slot.
bool rcore_bus_has_signal(const rcore_t *core, uint32_t bus) RCORE_RT;

/// Returns whether a session bus whose gate says that it is a key (`sgate_detection_t`) is audible:
/// whether a sample of it exceeded the threshold, or did so within the hold time. [any] The bus's
/// gain, mute and solo count, and the attenuation in its gate does not; once the gate is paused or
/// muted and has faded out, the session is not audible. False for other buses, and if the core has
/// no such slot.
bool rcore_bus_is_audible(const rcore_t *core, uint32_t bus) RCORE_RT;
/// Makes all session buses inaudible. [any] Call it when the driver has ceased to call cycles, in
/// which they would have. A bus that has signal is audible again in the next cycle.
void rcore_end_keys(rcore_t *core) RCORE_RT;

/// Flushes denormal numbers to zero on the calling thread, for the rest of its life. [any]
/// `rcore_process` does so while it runs. A thread that renders can call this function once, so
/// that its other code, such as a JACK client's, does not compute with denormals either.
void rcore_flush_denormals(void) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
