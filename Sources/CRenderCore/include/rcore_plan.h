/// The plan: which buses exist, where they lead, what the outputs are. Immutable once handed to the core.
///
/// Buses, sends and routes are named by slots. A slot's state (gain on its way, gate) lives in the core and outlasts plans, so a new plan
/// that keeps a slot changes nothing of what it sounds like. A bus leads either to one other bus, its parent, or to any
/// number of routes; through a channel map in either case. Sends lead some of it to other buses. Inputs lead to captures, and voices listen to them.
///
/// What a bus does, in this order: it adds up what is played into it, its children and the sends to it · its insert · mute and solo · sends before the
/// fader · gain, pan and gate · sends behind the fader, meter, and where it leads.
///
/// Latency. An insert that delays says by how much. Where paths meet again, at a bus or a route, those that are shorter are delayed, so that all arrive
/// together; what is played into a bus directly is delayed as well. `live` buses are left out: they are not delayed for others, nor others for them; and at
/// routes those with a gate, so that no session is delayed for another's effects.
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

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_plan rcore_plan_t;

/// Changes the next `nframes` frames of a bus's sum in `planes`, one for each of `channels`, where they are: an effect of an app's own. [render] It
/// keeps the contract of the cycle: no lock, allocation or system call. Called once a slice, in silence too; not while the session stands still.
typedef void (*rcore_effect_t)(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

/// An insert point. What it points to is kept by the caller until the plan is retired; one context stays with one bus slot.
/// Where its bus joins a plan afresh while an older one is still held, it goes on with the state it has.
typedef struct rcore_insert {
    rcore_effect_t render;   ///< NULL: none
    void *context;           ///< handed to `render`; not NULL, and once per plan
    uint32_t latency_frames; ///< by which `render` delays what goes through it; 0…RCORE_MAX_LATENCY
} rcore_insert_t;

/// Longest latency of an insert, and of all that one path goes through, in frames.
#define RCORE_MAX_LATENCY 65536u

/// One bus. With a gate it is a session bus: the verdict holds for it and all buses that lead to it.
typedef struct rcore_bus_description {
    uint32_t slot;                ///< 0…max_buses-1, once per plan
    uint32_t channels;            ///< 1…the core's max_channels
    uint32_t parent;              ///< slot of a bus added before, or RCORE_NONE
    const sgate_page_t *gate;     ///< the session's gate, or NULL; kept by the caller until the plan is retired
    const rcore_matrix_t *matrix; ///< this bus's channels in, the parent's out; NULL: channel to channel. Kept likewise
    rcore_meter_t
        *meter; ///< measures what leaves it, gain and gate applied; of the same channel count, or NULL. Kept likewise
    rcore_insert_t insert; ///< changes its sum; zero: none
    rcore_pan_law_t
        pan_law; ///< RCORE_PAN_NONE: it has no pan. A mono bus without a matrix is panned to the first two channels of where it leads;
    ///< anything else is balanced, as voices are (rcore_voice.h)
    bool solo_safe; ///< heard also while others are soloed: the return of an effect
    bool live;      ///< not delayed for others' latencies
} rcore_bus_description_t;

/// Some of a bus, led to another one beside where it leads itself: through matrix and a level of its own (`rcore_post_send_level`), 1 at first.
typedef struct rcore_send_description {
    uint32_t slot;   ///< 0…max_sends-1, once per plan
    uint32_t source; ///< slot of a bus of the plan
    uint32_t target; ///< slot of another one, under the same session's gate
    bool pre_fader;  ///< taken before gain and pan, behind mute and solo; else behind them
    const rcore_matrix_t
        *matrix; ///< the source's channels in, the target's out; NULL: channel to channel. Kept likewise
} rcore_send_description_t;

/// One route: consecutive output channels of the driver.
typedef struct rcore_route_description {
    uint32_t slot;         ///< 0…max_routes-1, once per plan
    uint32_t channels;     ///< 1…the core's max_channels
    uint32_t first_output; ///< index of its first channel among the outputs given to `rcore_process`
    rcore_fifo_t
        *capture; ///< takes what the route puts out, of the same channel count, or NULL; kept until the plan is retired
    rcore_meter_t *meter; ///< measures it, of the same channel count, or NULL; kept likewise
    rcore_limiter_t *
        limiter; ///< keeps it below a ceiling, of the same channel count and for no other route, or NULL; kept likewise
} rcore_route_description_t;

/// One input: consecutive input channels of the driver, with a gain of their own (`rcore_post_input_gain`). Give other channels another
/// slot: a slot that changes its channels while it is heard does so between two samples.
typedef struct rcore_input_description {
    uint32_t slot;     ///< 0…max_inputs-1, once per plan
    uint32_t channels; ///< 1…the core's max_channels
    uint32_t
        first_input; ///< index of its first channel among the inputs given to `rcore_process`; missing ones are silence
    const sgate_page_t *
        gate; ///< of the session that listens: silence until it grants the input, nothing while it is paused; NULL: always granted
    rcore_capture_t *
        capture; ///< takes what came in, of the same channel count, or NULL; kept by the caller until the plan is retired
    uint32_t missing; ///< so many of its last channels are silence: what it listens to has fewer. 0…channels
} rcore_input_description_t;

/// An empty plan. [control] NULL when memory is short. The caller owns it until it is posted.
rcore_plan_t *rcore_plan_create(void);
/// Frees a plan that is not posted, or that is retired; NULL does nothing. [control]
void rcore_plan_destroy(rcore_plan_t *plan);

/// Adds a bus. [control] RCORE_BAD_ARGUMENT: the slot is taken, the parent unknown, a
/// count out of range, the matrix of another shape, the meter of other channels or in use elsewhere in the plan, or the insert without a context or
/// with another bus's.
rcore_status_t rcore_plan_add_bus(rcore_plan_t *plan, const rcore_bus_description_t *bus);
/// Adds a send. [control] RCORE_BAD_ARGUMENT: the slot is taken, a bus unknown, the matrix of another shape, the target under another gate, or
/// what the target leads to leads to the source: a cycle.
/// RCORE_NO_MEMORY.
rcore_status_t rcore_plan_add_send(rcore_plan_t *plan, const rcore_send_description_t *send);
/// Says what a bus, or send, of the plan begins with where its slot begins afresh, instead of unity in the middle; one that is heard already stays as it
/// is. [control] RCORE_BAD_ARGUMENT: unknown slot, a gain or level that is not finite, a pan outside -1…1.
rcore_status_t rcore_plan_begin_bus(rcore_plan_t *plan, uint32_t bus, float gain, float pan, bool muted, bool soloed);
rcore_status_t rcore_plan_begin_send(rcore_plan_t *plan, uint32_t send, float level);
/// Adds a route. [control] RCORE_BAD_ARGUMENT: the slot is taken, or a count is out of range, the capture's
/// or meter's channels differ, or the meter is in use elsewhere in the plan.
rcore_status_t rcore_plan_add_route(rcore_plan_t *plan, const rcore_route_description_t *route);
/// Adds an input. [control] RCORE_BAD_ARGUMENT: the slot is taken, a count is out of range, more channels are missing than there are, or the
/// capture's channels differ or it serves another input.
rcore_status_t rcore_plan_add_input(rcore_plan_t *plan, const rcore_input_description_t *input);
/// Leads a bus without a parent to a route; `matrix` (bus channels in, route channels out) is kept by the caller until the plan is
/// retired; NULL leads channel to channel. [control] RCORE_BAD_ARGUMENT: unknown slot, the bus has a parent or leads there already, or counts differ.
rcore_status_t rcore_plan_connect(rcore_plan_t *plan, uint32_t bus, uint32_t route, const rcore_matrix_t *matrix);

/// By how many frames what is played into the bus is later where the bus leads, inserts and compensation up to there included. [control] Of a plan
/// that was posted; 0 for unknown slots. Routes' limiters come on top (`rcore_limiter_latency`).
uint32_t rcore_plan_latency(const rcore_plan_t *plan, uint32_t bus);

#ifdef __cplusplus
}
#endif
#endif
