/// A bus's channel strip: its gains and its outgoing connections.
#ifndef RCORE_STRIP_H
#define RCORE_STRIP_H

#include "graph/plan.h"
#include "mix/bus_state.h"
#include "mix/mix.h"
#include "mix/ramp.h"
#include "rcore_meter.h"

/// How a bus scales the output of its insert over the next frames.
struct strip {
    const rcore_bus_description_t *bus;
    const struct bus_state *state;
    /// Mute and solo.
    struct scaling pre_fader;
    /// Mute, solo, gain and gate.
    struct scaling post_fader;
    /// No signal leaves the bus.
    bool silent;
};

/// The gains of one connection, separate for left and right where a pan applies.
struct connection_gains {
    /// Gains of the target's first two channels.
    struct scaling stereo[2];
    /// Gains of its other channels.
    struct scaling others;
    /// The bus has one channel, which the pan spreads over these two.
    bool spreads;
};

/// Returns a bus's strip with its gains. It is valid until the next call. [render]
struct strip strip_make(rcore_t *core, const rcore_bus_description_t *bus, uint32_t nframes) RCORE_RT;
/// Returns the gains of one connection: fader, send level, pan, and a weight per frame (NULL:
/// none). They are valid until the next call.
struct connection_gains connection_gains_make(rcore_t *core, const struct strip *strip,
                                              const struct connection *connection, const float *weights,
                                              uint32_t nframes) RCORE_RT;
/// Adds a bus's channels to those of the connection's target in `targets`.
void connection_mix(rcore_t *core, const struct strip *strip, const struct connection_gains *gains,
                    const struct connection *connection, float *const *planes, float *targets,
                    uint32_t nframes) RCORE_RT;
/// Writes the signal that leaves the bus to its meter; silence if `strip` is NULL.
void strip_meter(rcore_t *core, rcore_meter_t *meter, const struct strip *strip, float *const *planes,
                 uint32_t nframes) RCORE_RT;
/// Returns whether any ramp of the bus is running, apart from those of its gate.
static inline bool strip_moves(const struct bus_state *state) RCORE_RT {
    return (state->gain.remaining | state->pan.remaining | state->audible.remaining | state->direct.remaining) != 0;
}
/// Advances these ramps by `nframes`.
static inline void strip_advance(struct bus_state *state, uint32_t nframes) RCORE_RT {
    if (strip_moves(state)) {
        ramp_advance(&state->gain, nframes);
        ramp_advance(&state->pan, nframes);
        ramp_advance(&state->audible, nframes);
        ramp_advance(&state->direct, nframes);
    }
}

#endif
