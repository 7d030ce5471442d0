/// Internals of a plan, for the render cycle.
#ifndef RCORE_PLAN_INTERNAL_H
#define RCORE_PLAN_INTERNAL_H

#include "graph/delay.h"
#include "mix/ramp.h"
#include "rcore_plan.h"

/// A bus of a plan. Parents precede their children in `buses`. The fields that every cycle reads
/// come first.
struct plan_bus {
    /// Index in `buses`, or RCORE_NONE.
    uint32_t parent;
    /// Index of its first connection in `route_connections`, where its connections are consecutive.
    uint32_t first_route_connection;
    uint32_t route_connection_count;
    /// Index of its first send in `sends`, where its sends are consecutive.
    uint32_t first_send;
    uint32_t send_count;
    /// The initial gain, pan, mute and solo apply where the slot is initialised.
    float initial_gain;
    float initial_pan;
    bool initial_muted;
    bool initial_soloed;
    // Set when the plan is compiled:
    /// Index of its first connection in `connections`: first the one to its parent, then its sends,
    /// then those to routes.
    uint32_t first_connection;
    /// Delays the bus's direct input, the voices that play on it; NULL: no delay.
    struct delay *direct_line;
    /// Delays the output of its insert; NULL: none of its connections is delayed.
    struct delay *delay_line;
    /// All outgoing connections map channel to channel while the pan is centred, and none is
    /// delayed.
    bool unity;
    /// The bus can have signal without any input: it has an insert or a delay.
    bool has_tail;
    /// For a root: it or a bus under it has an insert.
    bool root_has_insert;
    /// Delay of the direct input, in frames.
    uint32_t direct_delay;
    /// Delay of the connection to its parent, in frames.
    uint32_t parent_delay;
    /// Latency from a voice that plays on the bus to the end of the bus's path, in frames.
    uint32_t latency;

    /// Index of the bus whose gate applies to it; without a gate, of its topmost ancestor.
    uint32_t root;
    rcore_bus_description_t description;
};

struct plan_route {
    rcore_route_description_t description;
};

struct plan_route_connection {
    /// Index in `buses`.
    uint32_t bus;
    /// Index in `routes`.
    uint32_t route;
    const rcore_matrix_t *matrix;
    uint32_t delay;
};

struct plan_send {
    rcore_send_description_t description;
    /// Level at which its slot is initialised.
    float initial_level;
    /// Indices in `buses`.
    uint32_t source;
    uint32_t target;
    uint32_t delay;
};

/// One connection of a bus. The fields that every cycle reads come first.
struct connection {
    /// Samples of the target's first channel, in the core that the plan is posted to.
    float *samples;
    /// Whether the target has a signal (mix_state.h).
    bool *has_signal;
    /// A send's level; NULL for other connections.
    const struct ramp *level;
    /// Number of channels that both the bus and the target have.
    uint32_t shared;
    /// Channels of the target.
    uint32_t channels;
    bool pre_fader;
    enum connection_kind { CONNECTION_PARENT, CONNECTION_SEND, CONNECTION_ROUTE } kind;
    /// Slot of a bus, or of a route.
    uint32_t target;
    uint32_t delay;
    const rcore_matrix_t *matrix;
    /// A send's description; else NULL.
    const rcore_send_description_t *send;
    /// The description of the route; NULL for connections to buses.
    const rcore_route_description_t *route;
};

struct rcore_plan {
    /// Assigned when the plan is posted, from 1.
    uint64_t serial;
    /// [control] The next older posted plan.
    struct rcore_plan *next;
    struct plan_bus *buses;
    struct plan_route *routes;
    struct plan_route_connection *route_connections;
    struct plan_send *sends;
    rcore_input_description_t *inputs;
    /// Set when the plan is compiled.
    struct connection *connections;
    uint32_t bus_count;
    uint32_t route_count;
    uint32_t route_connection_count;
    uint32_t send_count;
    uint32_t input_count;
    /// The greatest latency of its buses, without limiters.
    uint32_t latency;
};

/// Returns the index of a bus, or RCORE_NONE.
uint32_t plan_find_bus(const rcore_plan_t *plan, uint32_t slot);
/// Compiles a plan: computes latencies and connections, and creates delay lines or shares those of
/// the newest posted plan. [control] Returns RCORE_BAD_ARGUMENT, RCORE_CONFLICT and RCORE_NO_MEMORY
/// as `rcore_post_plan`.
rcore_status_t plan_compile(const rcore_t *core, rcore_plan_t *plan);
/// Undoes `plan_compile`. [control]
void plan_reset(rcore_plan_t *plan);

// ---- Connections of a bus -----------------------------------------------------------------------

static inline uint32_t connection_count(const struct plan_bus *bus) RCORE_RT {
    return (bus->parent != RCORE_NONE ? 1u : 0u) + bus->send_count + bus->route_connection_count;
}
/// Returns the connection with index `number`, below `connection_count`.
static inline const struct connection *connection_at(const rcore_plan_t *plan, const struct plan_bus *bus,
                                                     uint32_t number) RCORE_RT {
    return &plan->connections[bus->first_connection + number];
}
/// Fills `connections` with all connections of a plan for a core, and sets `first_connection` and
/// `unity` of each bus. The caller has allocated the array. [control]
void connections_fill(const rcore_t *core, rcore_plan_t *plan);
/// Returns whether a bus of another plan has the same connection, so that the connection needs no
/// crossfade.
bool connection_matches(const struct connection *connection, const struct plan_bus *bus, const rcore_plan_t *other,
                        const struct plan_bus *counterpart) RCORE_RT;
/// Returns whether both buses process their sum in the same way: same channel count, insert and pan
/// law, both with or both without a gate.
bool same_processing(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT;
/// Returns whether the direct input of both buses has the same delay, by the same delay line.
static inline bool direct_input_matches(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    return bus->direct_line == counterpart->direct_line && bus->direct_delay == counterpart->direct_delay;
}
/// Returns whether both buses have the same insert, or none, and the same channel count.
bool same_insert(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT;

/// Returns the route of `plan` with the slot, channels and outputs of `route`; NULL: none.
const rcore_route_description_t *plan_same_route(const rcore_plan_t *plan,
                                                 const rcore_route_description_t *route) RCORE_RT;

#endif
