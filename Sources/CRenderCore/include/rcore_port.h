/// Command ports: how a thread tells the core what to do.
///
/// Each thread that triggers sound opens a port of its own, once; posting through it is wait-free, allocates nothing, and never waits for
/// another thread. Any port may command any voice.
///
/// `when` is RCORE_NOW or an absolute frame of `rcore_time`: the command takes effect on exactly that frame. One that is past, or falls in
/// a pause of its session, takes effect at once or at resumption, and counts as late. Commands of one port for one time keep their order; those
/// of several ports have none. Ramp lengths are in frames; 0 means that the change takes effect between two samples, as a click.
///
/// Each post returns RCORE_OK, RCORE_BAD_ARGUMENT (also for a voice whose start was not posted), RCORE_STALE or RCORE_FULL, and nothing
/// but RCORE_OK posts anything. Full: the port's ring has no room, or as many of its commands wait for their time as it holds.
#ifndef RCORE_PORT_H
#define RCORE_PORT_H

#include "rcore_base.h"
#include "rcore_plan.h"
#include "rcore_voice.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_port rcore_port_t;

/// Opens a command port. [control] NULL with RCORE_FULL when all of the core's `max_ports` are open; `status` may be NULL. Costs no
/// allocation: ports are part of the core and go with it.
rcore_port_t *rcore_port_open(rcore_t *core, rcore_status_t *status);
/// Gives a port back; NULL does nothing. [control], and nobody posts through it. What was posted still takes effect; an open group is dropped.
void rcore_port_close(rcore_port_t *port);

// ---- Voices: [producer]

/// Starts a voice that was acquired and not started. RCORE_STALE for any other.
///
/// When as many play as the core has places (`max_playing`), the place of another is taken: of the lowest priority, the one that began
/// first; it fades out in `steal_frames` and ends as RCORE_END_STOLEN. If all others have a higher priority, the new one
/// ends at once as RCORE_END_REFUSED.
rcore_status_t rcore_post_start(rcore_port_t *port, rcore_voice_t voice, const rcore_voice_params_t *params,
                                uint64_t when) RCORE_RT;
/// Fades to silence in `ramp_frames`, then ends.
rcore_status_t rcore_post_stop(rcore_port_t *port, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) RCORE_RT;
/// Stops every voice that plays into a bus slot (RCORE_NONE: every voice), and those that wait for their time to start there: all sound off.
rcore_status_t rcore_post_stop_all(rcore_port_t *port, uint32_t bus, uint32_t ramp_frames, uint64_t when) RCORE_RT;
/// Fades to silence in `ramp_frames`, then stands still; the next frame played is the one after the last rendered, fade included.
rcore_status_t rcore_post_pause(rcore_port_t *port, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) RCORE_RT;
rcore_status_t rcore_post_resume(rcore_port_t *port, rcore_voice_t voice, uint32_t ramp_frames, uint64_t when) RCORE_RT;
/// Goes to another frame of a memory source; old place and new cross-fade (linear) for `ramp_frames` of the source. Its loop count stands.
/// A seek that comes in the fade of another takes effect at its end; of several, the last.
/// RCORE_BAD_ARGUMENT also for other sources; a frame beyond its length is its end.
rcore_status_t rcore_post_seek(rcore_port_t *port, rcore_voice_t voice, uint64_t frame, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT;
/// Lets a loop go: after the present pass, what follows `loop_end` is played to the end.
rcore_status_t rcore_post_leave_loop(rcore_port_t *port, rcore_voice_t voice, uint64_t when) RCORE_RT;
/// Linear ramp from wherever the gain is; finite.
rcore_status_t rcore_post_gain(rcore_port_t *port, rcore_voice_t voice, float gain, uint32_t ramp_frames,
                               uint64_t when) RCORE_RT;
/// Moves between left (-1) and right (1), evenly in `pan`, the gains by the voice's law. RCORE_BAD_ARGUMENT also without a law.
rcore_status_t rcore_post_pan(rcore_port_t *port, rcore_voice_t voice, float pan, uint32_t ramp_frames,
                              uint64_t when) RCORE_RT;
/// Varispeed: pitch and tempo together, by 4-point interpolation; 1/16…16, the ramp linear in speed. At exactly 1 the samples are the
/// source's own bits, once the position is on a frame. RCORE_BAD_ARGUMENT also for sources other than memory and stream.
rcore_status_t rcore_post_speed(rcore_port_t *port, rcore_voice_t voice, float speed, uint32_t ramp_frames,
                                uint64_t when) RCORE_RT;

// ---- Buses and inputs: [producer]

rcore_status_t rcore_post_bus_gain(rcore_port_t *port, uint32_t bus, float gain, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Moves a bus between left (-1) and right (1), evenly in `pan`, the gains by its law; without one nothing is heard of it.
rcore_status_t rcore_post_bus_pan(rcore_port_t *port, uint32_t bus, float pan, uint32_t ramp_frames,
                                  uint64_t when) RCORE_RT;
/// Mutes a bus, behind its insert and before all sends; its gain stays what it is.
rcore_status_t rcore_post_bus_mute(rcore_port_t *port, uint32_t bus, bool muted, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Solos a bus in place: while any bus under one gate (or under one bus that leads to routes) is soloed, those are heard that are, all that leads to them,
/// and solo-safe ones; what these lead to, parent by parent, lets them through, without what is played there directly. The others are as muted, sends too: the return
/// of an effect is solo-safe, or silent. A bus that is muted stays so.
rcore_status_t rcore_post_bus_solo(rcore_port_t *port, uint32_t bus, bool soloed, uint32_t ramp_frames,
                                   uint64_t when) RCORE_RT;
/// Of a send: linear, finite.
rcore_status_t rcore_post_send_level(rcore_port_t *port, uint32_t send, float level, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT;
rcore_status_t rcore_post_input_gain(rcore_port_t *port, uint32_t input, float gain, uint32_t ramp_frames,
                                     uint64_t when) RCORE_RT;

// ---- Curves: [producer]

/// What a curve moves.
typedef enum rcore_parameter {
    RCORE_PARAMETER_VOICE_GAIN = 0,
    RCORE_PARAMETER_VOICE_PAN = 1,
    RCORE_PARAMETER_VOICE_SPEED = 2,
    RCORE_PARAMETER_BUS_GAIN = 3,
    RCORE_PARAMETER_BUS_PAN = 4,
    RCORE_PARAMETER_SEND_LEVEL = 5,
    RCORE_PARAMETER_INPUT_GAIN = 6,
} rcore_parameter_t;

/// How it gets from `from` to `to`, x = 0…1 of the way.
typedef enum rcore_curve {
    RCORE_CURVE_LINEAR = 0,
    /// from × (to / from)^x: even in decibels or cents. Where one of them is 0, -100 dB of the other stands for it until the last frame.
    /// From one sign to the other, and of a pan, it is linear.
    RCORE_CURVE_EXPONENTIAL = 1,
    RCORE_CURVE_S = 2, ///< from + (to - from) × (3x² - 2x³): flat at both ends
} rcore_curve_t;

/// Moves a parameter of a voice (`of`: its handle), a bus, send or input (`of`: its slot) along a curve to `value` in `nframes`: as the
/// `rcore_post_…` of that parameter, with a shape. From wherever the parameter is at `when`; the last of `nframes` is the value, to the bit.
/// It stands still with what it moves: a bus whose session pauses, a voice that is paused. Another command for the same parameter ends it where it is.
///
/// A curve that is not linear is a polygon of at least 128 straight lines: within 5e-5 of the way (S), 0.01 dB (exponential, 60 dB).
/// Where that would make lines shorter than 8 frames, in curves of less than 1024, there are fewer: n of them are within 0.75 / n² of the way (S), and
/// d² / (69 n²) dB (exponential, of d dB). Their ends lie on multiples of 8…256 in the core's time and cut the slices: that is what a curve costs.
/// RCORE_FULL also when `max_curves` that are not linear wait or run; one that is over, replaced, or finds nothing to move gives its
/// place back by the next cycle.
rcore_status_t rcore_post_curve(rcore_port_t *port, rcore_parameter_t parameter, uint64_t of, float value,
                                rcore_curve_t curve, uint32_t nframes, uint64_t when) RCORE_RT;

// ---- Groups: [producer]

/// Begins a group: what is posted through this port from now on takes effect all together or not at all. Plans do not go into groups.
/// RCORE_BAD_ARGUMENT: a group is open.
rcore_status_t rcore_group_begin(rcore_port_t *port) RCORE_RT;
/// Publishes the group at once: untimed commands take effect on one frame, a chord starts together. RCORE_FULL: one of them found no room;
/// then none takes effect; voices started in it may be started again, but one-shots have given themselves back. RCORE_BAD_ARGUMENT: no group is open.
rcore_status_t rcore_group_commit(rcore_port_t *port) RCORE_RT;
/// Drops the open group, if there is one: nothing of it takes effect.
void rcore_group_cancel(rcore_port_t *port) RCORE_RT;

// ---- Plans

/// Replaces the plan. [control] and [producer] With RCORE_OK the core owns it; otherwise it stays the caller's. RCORE_NO_SLOT: it names
/// a slot beyond the core's sizes. RCORE_CONFLICT: a plan that the core still holds has an insert's context on another bus, a limiter
/// at another output, a bus under another gate to which something leads that does not
/// move with it, or leads one bus to another that leads to it here: post one without, and this one once
/// that is in use.
/// RCORE_BAD_ARGUMENT also for a path whose latency exceeds RCORE_MAX_LATENCY. RCORE_NO_MEMORY: for what delays.
///
/// A bus slot that the plan before did not have begins afresh: unity gain, pan in the middle, neither muted nor soloed, or what `rcore_plan_begin_bus` said; gate not yet read. So does a send, at level 1. A slot that comes back while its
/// last use still fades does so too, and what is told of it before that fade is over is of what fades. Where the new plan only adds, it takes
/// effect between two samples; where it changes or takes away what is heard, old and new cross-fade for the core's `swap_frames` (first, what is new
/// and delays runs unheard until it holds what it needs), and a
/// plan that becomes due meanwhile waits for the end of that, unless it too only adds. A plan that becomes due after one posted later is dropped.
rcore_status_t rcore_post_plan(rcore_port_t *port, rcore_plan_t *plan, uint64_t when);

/// Frees the plans that were replaced. [control] Returns how many posted plans the core still holds or will hold; once it is at
/// most 1, only the newest is in use and what older ones alone referred to may be freed.
uint32_t rcore_collect_plans(rcore_t *core);

#ifdef __cplusplus
}
#endif
#endif
