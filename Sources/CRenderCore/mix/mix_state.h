/// State of the stages that mix buses and write routes.
#ifndef RCORE_MIX_STATE_H
#define RCORE_MIX_STATE_H

#include "graph/plan.h"
#include "mix/bus_state.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>

/// Envelopes in `envelopes`: the pre-fader gain of a bus; of a connection, the weights
/// of a crossfade, the gain, and the gains of both sides while a pan moves.
enum { ENVELOPE_PRE_FADER, ENVELOPE_WEIGHT, ENVELOPE_CONNECTION, ENVELOPE_LEFT, ENVELOPE_RIGHT, CONNECTION_ENVELOPES };

/// One step of mixing: a bus slot of the active plans. The steps are in mixing order.
struct mix_op {
    alignas(64) struct bus_state *state;
    /// The slot's bus in the current plan, or NULL.
    const struct plan_bus *current;
    /// The slot's bus in the outgoing plan, or NULL.
    const struct plan_bus *previous;
    /// Samples of the first channel.
    float *samples;
    /// Connections in the current plan.
    const struct connection *connections;
    uint32_t connection_count;
    uint32_t slot;
    /// Has a gate in the current plan.
    bool gated;
    /// Has a pan law in the current plan.
    bool panned;
    /// Without a signal or a running ramp, the bus needs no processing.
    bool idle;
    /// `idle`, and with a signal and steady gains, the bus only needs mixing into its connections.
    /// Requires that a single plan is active.
    bool passthrough;
    /// Has a gate in the current plan, and an insert is on it or on a bus that feeds it.
    bool scanned;
};
static_assert(sizeof(struct mix_op) == 64, "a cache line");

struct mix_state {
    struct bus_state *buses;
    struct send_state *sends;
    /// The bus slots of the schedule, in the same order.
    struct mix_op *ops;
    /// [(slot * max_channels + channel) * stride]
    float *bus_samples;
    /// [channel * stride]: the sum of a bus, for the insert or the direct input of the outgoing
    /// plan.
    float *crossfade_samples;
    /// [(slot * max_channels + channel) * stride]
    float *route_samples;
    /// The same: routes that only the outgoing plan has, and the copies that its limiters process.
    float *outgoing_samples;
    /// By bus slot: a signal was added to the bus in this block. Until then, the contents of its
    /// samples are undefined (bus_open).
    bool *bus_has_signal;
    /// A bit for each step of `ops`: its bus has a signal, is not idle, or a ramp may be running.
    /// The cycle reads nothing else of buses that have nothing to do.
    uint64_t *due;
    /// By route slot; like `bus_has_signal`.
    bool *route_has_signal;
    /// Whether the direct input of a bus needed processing when the cycle last checked (bus_mix.c).
    bool any_direct_input;
    /// [block_frames]
    float *envelope;
    /// [block_frames] each: of the bus and the connection that are being mixed (strip.c).
    float *envelopes[CONNECTION_ENVELOPES];
    /// [slot * max_channels + channel]: float bits. [any]
    _Atomic(uint32_t) *route_peaks;
};

#endif
