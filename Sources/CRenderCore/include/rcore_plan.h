/// The plan: the buses, sends, routes and inputs of the mixer graph, and how they are connected.
/// Immutable once it is posted to the core.
///
/// A slot number identifies each bus, send, route and input. The core keeps the state of a slot
/// (ramps in progress, gate) from plan to plan, so a new plan that keeps a slot does not change its
/// sound. A bus is routed either to one other bus, its parent, or to any number of routes; through
/// a channel map in either case. A send routes part of a bus to another bus. Inputs are recorded to
/// captures and played by voices.
///
/// A bus processes its signal in this order: the sum of the voices that play on it, its child buses
/// and the sends to it · its insert · mute and solo · pre-fader sends · gain, pan and gate ·
/// post-fader sends, its meter, and its parent or routes.
///
/// Delay compensation. An insert that delays its signal declares its latency. Where paths join, at
/// a bus or a route, the core delays those with less latency, so that all of them arrive together.
/// It delays the voices that play on a bus directly as well. It neither delays a
/// `compensation_exempt` bus to align it with others, nor others to align them with that bus. At a
/// route, it does not align session buses: no session is delayed because of another one's inserts.
#ifndef RCORE_PLAN_H
#define RCORE_PLAN_H

#include "rcore_base.h"
#include "rcore_capture.h"
#include "rcore_fifo.h"
#include "rcore_limiter.h"
#include "rcore_matrix.h"
#include "rcore_meter.h"
#include "rcore_pan.h"
#include "session_gate.h"
#include "session_keys.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_plan rcore_plan_t;

/// An effect of the app: processes the next `nframes` frames of a bus's sum in place. [render]
/// `planes` has one plane for each of `channels`. The function follows the rules of the cycle: no
/// lock, allocation or system call. The core calls it once per block, also in silence, but not
/// while the session is suspended.
typedef void (*rcore_effect_t)(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

/// An insert of a bus. The caller keeps what it points to until the plan is retired. A context
/// belongs to one bus slot. If a new plan has the insert while the core still holds an older plan
/// with it, the insert continues with its current state.
typedef struct rcore_insert {
    /// The effect; NULL: none.
    rcore_effect_t render;
    /// Passed to `render`. Not NULL, and the context of only one bus per plan.
    void *context;
    /// Latency that `render` adds to its signal, 0…RCORE_MAX_LATENCY.
    uint32_t latency_frames;
} rcore_insert_t;

/// Highest latency of an insert, and of a whole path, in frames.
#define RCORE_MAX_LATENCY 65536u

/// One bus. A bus with a gate is a session bus: the grant applies to it and to all buses that are
/// routed to it.
typedef struct rcore_bus_description {
    /// 0…max_buses-1, once per plan.
    uint32_t slot;
    /// 1…the core's max_channels.
    uint32_t channels;
    /// Slot of a bus that was added before, or RCORE_NONE.
    uint32_t parent;
    /// Gate of the session, or NULL. The caller keeps it until the plan is retired.
    const sgate_page_t *gate;
    /// The page in which the gate's keys are stated audible, or NULL: the session is then neither
    /// lowered by keys nor a key for others. The caller keeps it until the plan is retired.
    sgate_keys_t *keys;
    /// Map from this bus's channels to the parent's; NULL: channel to channel, or no parent. The
    /// caller keeps it until the plan is retired.
    const rcore_matrix_t *matrix;
    /// Measures the output of the bus, after gain and gate. Has the bus's channel count, or is
    /// NULL. The caller keeps it until the plan is retired.
    rcore_meter_t *meter;
    /// Processes the sum of the bus. Zero: none.
    rcore_insert_t insert;
    /// RCORE_PAN_NONE: the bus has no pan. A mono bus without a matrix is panned to the first two
    /// channels of its targets; any other bus is balanced, as voices are (rcore_voice.h).
    rcore_pan_law_t pan_law;
    /// Stays audible while other buses are soloed: for the return of an effect.
    bool solo_safe;
    /// Excluded from delay compensation.
    bool compensation_exempt;
} rcore_bus_description_t;

/// A send: routes part of a bus to another bus, in addition to the bus's parent or routes. It has
/// its own matrix and level (`rcore_post_send_level`), which is initially 1.
typedef struct rcore_send_description {
    /// 0…max_sends-1, once per plan.
    uint32_t slot;
    /// Slot of a bus of the plan.
    uint32_t source;
    /// Slot of another bus, under the same session's gate.
    uint32_t target;
    /// Pre-fader: taken before gain and pan, after mute and solo. Otherwise post-fader: after all
    /// of them.
    bool pre_fader;
    /// Map from the source's channels to the target's; NULL: channel to channel. The caller keeps
    /// it until the plan is retired.
    const rcore_matrix_t *matrix;
} rcore_send_description_t;

/// One route: consecutive output channels of the driver.
typedef struct rcore_route_description {
    /// 0…max_routes-1, once per plan.
    uint32_t slot;
    /// 1…the core's max_channels.
    uint32_t channels;
    /// Index of the route's first channel among the outputs passed to `rcore_process`.
    uint32_t first_output;
    /// Records the output of the route. Has the route's channel count, or is NULL. The caller keeps
    /// it until the plan is retired.
    rcore_fifo_t *capture;
    /// Measures the output of the route. Has the route's channel count, or is NULL. The caller
    /// keeps it until the plan is retired.
    rcore_meter_t *meter;
    /// Keeps the route below a ceiling. Has the route's channel count and is on no other route, or
    /// is NULL. The caller keeps it until the plan is retired.
    rcore_limiter_t *limiter;
} rcore_route_description_t;

/// One input: consecutive input channels of the driver, with a gain (`rcore_post_input_gain`). To
/// play other channels, use a new slot: if the channels of a slot change while a voice plays it,
/// the signal changes between two samples, without a crossfade.
typedef struct rcore_input_description {
    /// 0…max_inputs-1, once per plan.
    uint32_t slot;
    /// 1…the core's max_channels.
    uint32_t channels;
    /// Index of the input's first channel among the inputs passed to `rcore_process`. Missing
    /// channels are silence.
    uint32_t first_input;
    /// Gate of the session that uses the input. The input is silent until the gate grants it, and
    /// captures nothing while the session is paused, once it has faded out. NULL: always granted.
    const sgate_page_t *gate;
    /// Records the input. Has the input's channel count, or is NULL. The caller keeps it until the
    /// plan is retired.
    rcore_capture_t *capture;
    /// Number of channels, 0…channels, that the device lacks: the last ones, which are silence.
    uint32_t missing;
    /// Whether a channel whose signal breaks off between two periods fades out from its last
    /// sample, over the length of a crossfade: the source is a program that can end at any time. A
    /// signal breaks off if it becomes 0 and its last two samples are close to one another; an
    /// impulse is left alone.
    bool fades_out;
} rcore_input_description_t;

/// Creates an empty plan. [control] Returns NULL if memory cannot be allocated. The caller owns the
/// plan until it is posted.
rcore_plan_t *rcore_plan_create(void);
/// Frees a plan that was not posted; NULL does nothing. [control] The core frees posted plans
/// (`rcore_collect_plans`).
void rcore_plan_destroy(rcore_plan_t *plan);

/// Adds a bus. [control] RCORE_BAD_ARGUMENT: the slot is in use, the plan has 1024 buses, the
/// parent or the pan law is unknown, a count is out of range, the matrix has another shape or the
/// bus has no parent to map to, the meter has another channel count or is in use elsewhere in the
/// plan, or the insert has no context, the context of another bus, too high a latency, or a context
/// or latency without an effect. RCORE_NO_MEMORY.
rcore_status_t rcore_plan_add_bus(rcore_plan_t *plan, const rcore_bus_description_t *bus);
/// Adds a send. [control] RCORE_BAD_ARGUMENT: the slot is in use, the plan has 1024 sends, a bus is
/// unknown, the matrix has another shape, the target is under another gate, or the send would close
/// a cycle: the target's signal already reaches the source, through parents or sends.
/// RCORE_NO_MEMORY.
rcore_status_t rcore_plan_add_send(rcore_plan_t *plan, const rcore_send_description_t *send);
/// Sets the state in which a bus of the plan starts when its slot is initialised. [control] Without
/// this call: unity gain, pan in the centre, neither muted nor soloed. A bus that is already
/// audible keeps its state. RCORE_BAD_ARGUMENT: unknown slot, a gain that is not finite, a pan
/// outside -1…1.
rcore_status_t rcore_plan_set_initial_bus_state(rcore_plan_t *plan, uint32_t bus, float gain, float pan, bool muted,
                                                bool soloed);
/// Sets the level at which a send of the plan starts when its slot is initialised. [control]
/// Without this call: 1. A send that is already audible keeps its level. RCORE_BAD_ARGUMENT:
/// unknown slot, a level that is not finite.
rcore_status_t rcore_plan_set_initial_send_level(rcore_plan_t *plan, uint32_t send, float level);
/// Adds a route. [control] RCORE_BAD_ARGUMENT: the slot is in use, a count is out of range, the
/// capture, meter or limiter has another channel count, or the meter or limiter is in use elsewhere
/// in the plan. RCORE_NO_MEMORY.
rcore_status_t rcore_plan_add_route(rcore_plan_t *plan, const rcore_route_description_t *route);
/// Adds an input. [control] RCORE_BAD_ARGUMENT: the slot is in use, a count is out of range, more
/// channels are missing than the input has, or the capture has another channel count or belongs to
/// another input. RCORE_NO_MEMORY.
rcore_status_t rcore_plan_add_input(rcore_plan_t *plan, const rcore_input_description_t *input);
/// Routes a bus without a parent to a route. [control] `matrix` maps the bus's channels to the
/// route's; NULL: channel to channel. The caller keeps it until the plan is retired.
/// RCORE_BAD_ARGUMENT: unknown slot, the bus has a parent or is already routed there, or the matrix
/// has another shape. RCORE_NO_MEMORY.
rcore_status_t rcore_plan_connect(rcore_plan_t *plan, uint32_t bus, uint32_t route, const rcore_matrix_t *matrix);

/// Returns the latency in frames from a voice that plays on the bus to the end of the bus's path,
/// inserts and delay compensation included. [control] For a plan that was posted; 0 for unknown
/// slots. Limiters of routes add to it (`rcore_limiter_latency`).
uint32_t rcore_plan_latency(const rcore_plan_t *plan, uint32_t bus);

#ifdef __cplusplus
}
#endif
#endif
