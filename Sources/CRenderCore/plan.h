/// Inside of a plan, for the cycle.
#ifndef RCORE_PLAN_INTERNAL_H
#define RCORE_PLAN_INTERNAL_H

#include "delay.h"
#include "ramp.h"
#include "rcore_plan.h"

/// Parents stand before their children. First what each cycle asks for.
struct plan_bus {
    uint32_t parent;           // index in `buses`, or RCORE_NONE
    uint32_t first_connection; // index of its first in `connections`, where they lie one after the other
    uint32_t connection_count;
    uint32_t first_send; // likewise in `sends`
    uint32_t send_count;
    float first_gain; // where its slot begins afresh
    float first_pan;
    bool first_muted;
    bool first_soloed;
    // Since it was sealed:
    uint32_t first_edge;   // index of its first in `edges`: its parent's, its sends', its connections'
    struct delay *played;  // NULL: what is played into it is not delayed
    struct delay *history; // what left its insert; NULL: nothing that leads from it is delayed
    bool straight;         // all ways out lead channel to channel where its pan is in the middle, and nothing is late
    bool lasts;            // sounds on when nobody plays into it: an insert, or something delayed
    uint32_t played_delay; // of what is played into it directly
    uint32_t parent_delay; // of what leads to its parent
    uint32_t latency;      // of what is played into it, up to where it leaves the graph

    uint32_t root; // the bus whose gate holds for it; without one, where its parents end
    rcore_bus_description_t description;
};

struct plan_route {
    rcore_route_description_t description;
};

struct plan_connection {
    uint32_t bus;   // index in `buses`
    uint32_t route; // index in `routes`
    const rcore_matrix_t *matrix;
    uint32_t delay;
};

struct plan_send {
    rcore_send_description_t description;
    float first_level; // where its slot begins afresh
    uint32_t source;   // index in `buses`
    uint32_t target;
    uint32_t delay;
};

/// One way out of a bus. First what each cycle asks for.
struct edge {
    float *samples;           // of the target's first channel, in the core that the plan is posted to
    bool *fed;                // of the target
    const struct ramp *level; // of a send; NULL: of others
    uint32_t shared;          // channels that both have
    uint32_t channels;        // the target's
    bool pre_fader;
    enum edge_kind { EDGE_PARENT, EDGE_SEND, EDGE_ROUTE } kind;
    uint32_t target; // slot of a bus, or of a route
    uint32_t delay;
    const rcore_matrix_t *matrix;
    const rcore_send_description_t *send;   // of a send
    const rcore_route_description_t *route; // of a route
};

struct rcore_plan {
    uint64_t serial;         // given when posted, from 1
    struct rcore_plan *next; // [control] older posted plans
    struct plan_bus *buses;
    struct plan_route *routes;
    struct plan_connection *connections;
    struct plan_send *sends;
    rcore_input_description_t *inputs;
    struct edge *edges; // since it was sealed
    uint32_t bus_count;
    uint32_t route_count;
    uint32_t connection_count;
    uint32_t send_count;
    uint32_t input_count;
    uint32_t latency; // greatest of its buses', limiters apart
};

/// Index of a bus, or RCORE_NONE.
uint32_t plan_find_bus(const rcore_plan_t *plan, uint32_t slot);
/// Finds latencies, and makes what delays, or takes it over from plans that the core still holds. [control] RCORE_BAD_ARGUMENT, RCORE_CONFLICT and
/// RCORE_NO_MEMORY as `rcore_post_plan`.
rcore_status_t plan_seal(const rcore_t *core, rcore_plan_t *plan);
/// Undoes that.
void plan_unseal(rcore_plan_t *plan);

// ---- Where a bus leads ----------------------------------------------------------------------------------------------------------

static inline uint32_t edge_count(const struct plan_bus *bus) RCORE_RT {
    return (bus->parent != RCORE_NONE ? 1u : 0u) + bus->send_count + bus->connection_count;
}
/// The way of that number, below `edge_count`.
static inline const struct edge *edge_at(const rcore_plan_t *plan, const struct plan_bus *bus,
                                         uint32_t number) RCORE_RT {
    return &plan->edges[bus->first_edge + number];
}
/// Writes down all ways of a plan for a core, in the room that there is for them. [control]
void edges_fill(const rcore_t *core, rcore_plan_t *plan);
/// Whether a bus of another plan has it as well: nothing that goes this way sounds otherwise.
bool edge_stays(const struct edge *edge, const struct plan_bus *bus, const rcore_plan_t *other,
                const struct plan_bus *counterpart) RCORE_RT;
/// Whether it does the same with what it adds up: the same channels, insert, gate and law.
bool bus_stays(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT;
/// Whether what is played into it arrives as late, by the same line.
static inline bool played_stays(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT {
    return bus->played == counterpart->played && bus->played_delay == counterpart->played_delay;
}
/// Whether what it adds up goes through the same insert, or none.
bool insert_stays(const struct plan_bus *bus, const struct plan_bus *counterpart) RCORE_RT;

#endif
