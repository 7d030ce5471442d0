/// The plan: which buses exist, where they lead, what the outputs are. Immutable once handed to the core.
///
/// Buses and routes are named by slots. A slot's state (gain on its way, gate) lives in the core and outlasts plans, so a new plan
/// that keeps a slot changes nothing of what it sounds like. A bus leads either to one other bus, its parent, or to any
/// number of routes; through a channel map in either case. Inputs lead to captures, and voices listen to them.
#ifndef RCORE_PLAN_H
#define RCORE_PLAN_H

#include "rcore_base.h"
#include "rcore_capture.h"
#include "rcore_fifo.h"
#include "rcore_matrix.h"
#include "session_gate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_plan rcore_plan_t;

/// One bus. With a gate it is a session bus: the verdict holds for it and all buses that lead to it.
typedef struct rcore_bus_description {
    uint32_t slot;                ///< 0…max_buses-1, once per plan
    uint32_t channels;            ///< 1…the core's max_channels
    uint32_t parent;              ///< slot of a bus added before, or RCORE_NONE
    const sgate_page_t *gate;     ///< the session's gate, or NULL; kept by the caller until the plan is retired
    const rcore_matrix_t *matrix; ///< this bus's channels in, the parent's out; NULL: channel to channel. Kept likewise
} rcore_bus_description_t;

/// One route: consecutive output channels of the driver.
typedef struct rcore_route_description {
    uint32_t slot;         ///< 0…max_routes-1, once per plan
    uint32_t channels;     ///< 1…the core's max_channels
    uint32_t first_output; ///< index of its first channel among the outputs given to `rcore_process`
    rcore_fifo_t
        *capture; ///< takes what the route puts out, of the same channel count, or NULL; kept until the plan is retired
} rcore_route_description_t;

/// One input: consecutive input channels of the driver, with a gain of their own (`rcore_post_input_gain`).
typedef struct rcore_input_description {
    uint32_t slot;     ///< 0…max_inputs-1, once per plan
    uint32_t channels; ///< 1…the core's max_channels
    uint32_t
        first_input; ///< index of its first channel among the inputs given to `rcore_process`; missing ones are silence
    const sgate_page_t *
        gate; ///< of the session that listens: silence until it grants the input, nothing while it is paused; NULL: always granted
    rcore_capture_t *
        capture; ///< takes what came in, of the same channel count, or NULL; kept by the caller until the plan is retired
} rcore_input_description_t;

/// An empty plan. [control] NULL when memory is short. The caller owns it until it is posted.
rcore_plan_t *rcore_plan_create(void);
/// Frees a plan that is not posted, or that is retired; NULL does nothing. [control]
void rcore_plan_destroy(rcore_plan_t *plan);

/// Adds a bus. [control] RCORE_BAD_ARGUMENT: the slot is taken, the parent unknown, a
/// count out of range, or the matrix of another shape.
rcore_status_t rcore_plan_add_bus(rcore_plan_t *plan, const rcore_bus_description_t *bus);
/// Adds a route. [control] RCORE_BAD_ARGUMENT: the slot is taken, or a count is out of range, or the capture's channels differ.
rcore_status_t rcore_plan_add_route(rcore_plan_t *plan, const rcore_route_description_t *route);
/// Adds an input. [control] RCORE_BAD_ARGUMENT: the slot is taken, a count is out of range, or the capture's channels differ or
/// it serves another input.
rcore_status_t rcore_plan_add_input(rcore_plan_t *plan, const rcore_input_description_t *input);
/// Leads a bus without a parent to a route; `matrix` (bus channels in, route channels out) is kept by the caller until the plan is
/// retired; NULL leads channel to channel. [control] RCORE_BAD_ARGUMENT: unknown slot, the bus has a parent, or counts differ.
rcore_status_t rcore_plan_connect(rcore_plan_t *plan, uint32_t bus, uint32_t route, const rcore_matrix_t *matrix);

#ifdef __cplusplus
}
#endif
#endif
