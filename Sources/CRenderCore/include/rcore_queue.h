/// Command queues: how threads send commands to the core.
///
/// Each thread that triggers sound opens its own queue, once. Posting through it is wait-free,
/// allocates nothing and never waits for another thread. Any queue may command any voice.
///
/// `when` is RCORE_NOW, an absolute frame of `rcore_time` (below 2^63), or a beat of the transport
/// (`rcore_beat_time`). The command takes effect on exactly that frame. A command whose time is
/// past takes effect immediately and counts as late. A command for a voice, or for the gain or pan
/// of a bus, also counts as late if the session is suspended at that time: it becomes audible when
/// the session resumes. Commands of one queue for one time keep their order; commands of several
/// queues have no defined order. Ramp lengths are in frames. With a length of 0, the value changes
/// between two samples, which clicks.
///
/// Each post returns RCORE_OK, RCORE_BAD_ARGUMENT (also for a voice whose start was not posted),
/// RCORE_STALE or RCORE_FULL, and posts nothing unless it returns RCORE_OK. RCORE_FULL: the queue's
/// ring is full, `command_capacity` of its timed commands are already waiting, or an earlier post
/// of its open transaction failed.
#ifndef RCORE_QUEUE_H
#define RCORE_QUEUE_H

#include "rcore_base.h"
#include "rcore_plan.h"
#include "rcore_voice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_queue rcore_queue_t;

/// Opens a command queue. [control] Returns NULL with RCORE_FULL when all of the core's
/// `max_queues` are open; `status` may be NULL. Does not allocate: queues belong to the core and
/// are freed with it.
rcore_queue_t *rcore_queue_open(rcore_t *core, rcore_status_t *status);
/// Closes a queue; NULL does nothing. [control], while no thread posts through it. Commands already
/// posted still take effect; an open transaction is cancelled.
void rcore_queue_close(rcore_queue_t *queue);

// ---- Voices: [producer]

/// Starts a voice that was acquired and not started. RCORE_STALE for any other voice. A command
/// that takes effect before the start changes how the voice starts: paused or not, with another
/// gain, pan or speed (without a ramp), at another frame, or without its loop.
///
/// When as many voices play as the core allows (`max_playing`), the core steals one: of the lowest
/// priority, the voice that started first. The stolen voice fades out in `steal_frames` and ends as
/// RCORE_END_STOLEN. If all others have a higher priority, the new voice ends at once as
/// RCORE_END_REFUSED.
rcore_status_t rcore_post_start(rcore_queue_t *queue, rcore_voice_t voice, const rcore_voice_params_t *params,
                                uint64_t when) RCORE_RT;
/// Fades a voice out in `ramp_frames`, then ends it. A voice whose start has not taken effect, or
/// that is inaudible, ends at once. A voice that already stops can only be stopped sooner.
rcore_status_t rcore_post_stop(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) RCORE_RT;
/// Stops every voice on a bus slot (RCORE_NONE: every voice), including voices that wait for the
/// time of their start: all sound off.
rcore_status_t rcore_post_stop_all(rcore_queue_t *queue, uint32_t bus, uint32_t ramp_frames, uint64_t when) RCORE_RT;
/// Fades a voice out in `ramp_frames`, then pauses it. It resumes with the frame after the last one
/// rendered, fade included.
rcore_status_t rcore_post_pause(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames,
                                uint64_t when) RCORE_RT;
/// Resumes a paused voice and fades it in over `ramp_frames`.
rcore_status_t rcore_post_resume(rcore_queue_t *queue, rcore_voice_t voice, uint32_t ramp_frames,
                                 uint64_t when) RCORE_RT;
/// Moves the playhead of a memory source to another frame. The old and the new playhead crossfade
/// (linearly) for `ramp_frames` of the source. The remaining loop count does not change. During the
/// crossfade of another seek, a seek waits for the end of that crossfade; of several, the last one
/// takes effect. A seek with `ramp_frames` 0, or of an inaudible voice, takes effect at once.
/// RCORE_BAD_ARGUMENT also for other sources. A frame beyond the length is the end.
rcore_status_t rcore_post_seek(rcore_queue_t *queue, rcore_voice_t voice, uint64_t frame, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT;
/// Leaves the loop: after the current pass, the voice continues after `loop_end`, to the end. If
/// the crossfade of the loop has already begun, the voice plays one more pass first. No effect on
/// sources other than memory.
rcore_status_t rcore_post_leave_loop(rcore_queue_t *queue, rcore_voice_t voice, uint64_t when) RCORE_RT;
/// Ramps a voice's gain linearly from its current value to `gain`, which is finite.
rcore_status_t rcore_post_gain(rcore_queue_t *queue, rcore_voice_t voice, float gain, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT;
/// Moves a voice between left (-1) and right (1). The ramp is linear in `pan`; the gains follow the
/// voice's pan law. RCORE_BAD_ARGUMENT also for a voice without a pan law.
rcore_status_t rcore_post_pan(rcore_queue_t *queue, rcore_voice_t voice, float pan, uint32_t ramp_frames,
                              uint64_t when) RCORE_RT;
/// Sets a voice's speed, 1/16…16. Varispeed changes pitch and tempo together, by 4-point
/// interpolation. The ramp is linear in speed. At exactly 1, the samples are bit-identical to the
/// source once the playhead is on a whole frame. RCORE_BAD_ARGUMENT also for sources other than
/// memory and stream.
rcore_status_t rcore_post_speed(rcore_queue_t *queue, rcore_voice_t voice, float speed, uint32_t ramp_frames,
                                uint64_t when) RCORE_RT;

// ---- Buses and inputs: [producer]

/// Ramps a bus's gain linearly to `gain`, which is finite.
rcore_status_t rcore_post_bus_gain(rcore_queue_t *queue, uint32_t bus, float gain, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Moves a bus between left (-1) and right (1). The ramp is linear in `pan`; the gains follow the
/// bus's pan law. Without a pan law, this has no audible effect.
rcore_status_t rcore_post_bus_pan(rcore_queue_t *queue, uint32_t bus, float pan, uint32_t ramp_frames,
                                  uint64_t when) RCORE_RT;
/// Mutes or unmutes a bus, after its insert and before all of its sends. Its gain does not change.
rcore_status_t rcore_post_bus_mute(rcore_queue_t *queue, uint32_t bus, bool muted, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Solos a bus in place, or ends its solo. While any bus under one gate (or, without a gate, under
/// one bus that is connected to routes) is soloed, only soloed buses, all buses routed to them and
/// solo-safe buses are audible. Their parents pass them through, without the voices that play on
/// the parents directly. All other buses are muted, including their sends; to keep the return bus
/// of an effect audible, make it solo-safe. A muted bus stays muted.
rcore_status_t rcore_post_bus_solo(rcore_queue_t *queue, uint32_t bus, bool soloed, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Ramps a send's level linearly to `level`, which is finite.
rcore_status_t rcore_post_send_level(rcore_queue_t *queue, uint32_t send, float level, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT;
/// Ramps an input's gain linearly to `gain`, which is finite.
rcore_status_t rcore_post_input_gain(rcore_queue_t *queue, uint32_t input, float gain, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT;

// ---- Curves: [producer]

/// A parameter that a curve can move.
typedef enum rcore_parameter {
    RCORE_PARAMETER_VOICE_GAIN = 0,
    RCORE_PARAMETER_VOICE_PAN = 1,
    RCORE_PARAMETER_VOICE_SPEED = 2,
    RCORE_PARAMETER_BUS_GAIN = 3,
    RCORE_PARAMETER_BUS_PAN = 4,
    RCORE_PARAMETER_SEND_LEVEL = 5,
    RCORE_PARAMETER_INPUT_GAIN = 6,
} rcore_parameter_t;

/// The shape of a curve between `from` and `to`, where x = 0…1 is the elapsed part of its length.
typedef enum rcore_curve {
    RCORE_CURVE_LINEAR = 0,
    /// from × (to / from)^x: linear in decibels or cents. If one of them is 0, -100 dB of the other
    /// replaces it until the last frame. If their signs differ, or for a pan, the curve is linear.
    RCORE_CURVE_EXPONENTIAL = 1,
    /// from + (to - from) × (3x² - 2x³): flat at both ends.
    RCORE_CURVE_S = 2,
} rcore_curve_t;

/// Moves a parameter of a voice (`of`: its handle), or of a bus, send or input (`of`: its slot),
/// along a curve to `value` in `nframes`. Behaves like the `rcore_post_…` of that parameter, with a
/// shape. The curve starts from the parameter's value at `when`; the last of `nframes` has exactly
/// the new value. The curve pauses while its session or its voice is paused. Another command for
/// the same parameter ends the curve at its current value.
///
/// A curve that is not linear consists of at least 128 line segments. They are accurate to 5e-5 of
/// the distance (S) or 0.01 dB (exponential, over 60 dB). A curve of less than 1024 frames has
/// fewer segments, because only the first and the last may be shorter than 8 frames: n segments are
/// accurate to 0.75 / n² of the distance (S) or d² / (69 n²) dB (exponential, over d dB). Segments
/// end on multiples of 8…256 of the core's time, and at the end of the curve. They divide blocks
/// there, which is the cost of a curve.
///
/// RCORE_FULL also when `max_curves` nonlinear curves wait or run. A curve that ended, was
/// replaced, or had no voice or slot to move no longer counts from the next cycle on.
rcore_status_t rcore_post_curve(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, float value,
                                rcore_curve_t curve, uint32_t nframes, uint64_t when) RCORE_RT;

/// Moves a parameter along a curve that begins and ends at a beat: both are times of one pass
/// (`rcore_beat_time`), and `until` is not before `when`. Otherwise like `rcore_post_curve`.
///
/// On the frame of `until`, the parameter has exactly the new value, whatever the tempo does in
/// between. The curve is even in frames, also across changes of the tempo map. Whenever the frame
/// of `until` becomes another, by a new map, a leader or a clock, the curve goes on from its value,
/// and its rest is spread over the frames that are left. The curve begins with the frame after that
/// of `when`, on which the parameter has the value from which it starts. So the curves of several
/// points join, each with the `until` of the one before as its `when`; a ramp of 0 frames at the
/// first point's beat sets its value.
///
/// While its session or its voice is paused, the curve is held, but its beat is not: afterwards,
/// the curve goes on from its value and still ends at the beat; it has ended if the beat has
/// passed. A curve that is late begins at once, from the value that the parameter has, and ends at
/// the beat; if that has passed too, the parameter has the new value at once. When the pass ends, a
/// curve that has not begun is discarded. One that runs goes on for the frames that it had left; so
/// it does if the transport passes over the beat without a new pass, after a gap of the server.
///
/// A curve longer than 2^32 - 1 frames has another shape. RCORE_FULL also when `max_curves` curves
/// wait or run: a linear curve of this kind counts too. RCORE_BAD_ARGUMENT also if the times are
/// not as above. Each cycle, the curve costs a conversion of its beat to a frame for each block.
rcore_status_t rcore_post_curve_to_beat(rcore_queue_t *queue, rcore_parameter_t parameter, uint64_t of, float value,
                                        rcore_curve_t curve, uint64_t until, uint64_t when) RCORE_RT;

// ---- Transactions: [producer]

/// Begins a transaction: the commands posted through this queue from now on take effect all
/// together or not at all. A transaction cannot contain plans. RCORE_BAD_ARGUMENT: a transaction is
/// open.
rcore_status_t rcore_transaction_begin(rcore_queue_t *queue) RCORE_RT;
/// Publishes the transaction in one step: untimed commands take effect on one frame, so a chord
/// starts together. RCORE_FULL: one of the commands could not be posted. Then none of them takes
/// effect, and the voices that they started may be started again, except one-shots, which were
/// released. RCORE_BAD_ARGUMENT: no transaction is open.
rcore_status_t rcore_transaction_commit(rcore_queue_t *queue) RCORE_RT;
/// Discards the open transaction, if there is one: none of its commands takes effect, and the
/// voices that they started are in the same state as after RCORE_FULL from
/// `rcore_transaction_commit`.
void rcore_transaction_cancel(rcore_queue_t *queue) RCORE_RT;

// ---- Plans

/// Replaces the plan. [control] and [producer] With RCORE_OK, the core owns the plan; otherwise the
/// caller still owns it.
///
/// RCORE_NO_SLOT: the plan exceeds the core's sizes. RCORE_CONFLICT: compared with a plan that the
/// core still holds, an insert's context is on another bus or has another effect or channel count,
/// a limiter is on another route slot or at another output, a bus is under another gate while a bus
/// that feeds it does not move with it, or the connections of both plans together form a cycle.
/// First post a plan that avoids the conflict, and this one once that plan is in use.
/// RCORE_BAD_ARGUMENT: the plan is NULL or already posted, a transaction is open, `when` is a beat,
/// or the latency of a path exceeds RCORE_MAX_LATENCY. RCORE_NO_MEMORY: memory, such as that of
/// delay lines, could not be allocated.
///
/// The core initialises a bus slot that the previous plan did not have: unity gain, pan in the
/// centre, neither muted nor soloed, or the state that `rcore_plan_set_initial_bus_state` set; its
/// gate is not yet read. It initialises a send likewise, at level 1 or the level that
/// `rcore_plan_set_initial_send_level` set. It also initialises a slot that returns while its last
/// use still fades out; commands for that slot before the end of the fade apply to the old use.
///
/// A plan that only adds to the previous one takes effect between two samples. A plan that changes
/// or removes something audible crossfades with the old one for the core's `crossfade_frames`.
/// Before that, new paths with latency run inaudibly until their delay lines are filled (preroll).
/// A plan that becomes due during the crossfade waits for its end. It takes effect at once if it
/// only adds to the current plan, has the same inputs, reuses no bus slot that still fades out, and
/// no other plan waits. Of the plans that wait, only the newest takes effect. A plan that becomes
/// due after one that was posted later is dropped.
rcore_status_t rcore_post_plan(rcore_queue_t *queue, rcore_plan_t *plan, uint64_t when);

/// Frees the plans that are no longer in use. [control] Returns the number of posted plans that are
/// left. Once it is at most 1, only the newest plan is in use, and the caller may free everything
/// that only older plans refer to.
uint32_t rcore_collect_plans(rcore_t *core);

#ifdef __cplusplus
}
#endif
#endif
