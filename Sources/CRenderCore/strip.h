/// A bus's strip: its gains, and the ways out of it.
#ifndef RCORE_STRIP_H
#define RCORE_STRIP_H

#include "core.h"

/// What a bus does to what left its insert, over the next frames.
struct strip {
    const rcore_bus_description_t *bus;
    const struct bus_state *state;
    struct scaling before; ///< the fader: mute and solo
    struct scaling behind; ///< with gain and gate
    bool silent;           ///< nothing leaves it
};

/// How a way out scales: by sides where a pan applies.
struct way {
    struct scaling sides[2]; ///< of the target's first two channels
    struct scaling rest;
    bool spreads; ///< one channel goes to both
};

/// Reads a bus's gains. The next call takes the place of it. [render]
struct strip strip_make(rcore_t *core, const rcore_bus_description_t *bus, uint32_t nframes) RCORE_RT;
/// Reads what scales one way out: the fader, a send's level, the pan, and a weight per frame (NULL: none). The next call takes its place.
struct way way_make(rcore_t *core, const struct strip *strip, const struct edge *edge, const float *weights,
                    uint32_t nframes) RCORE_RT;
/// Adds a bus's channels to those of the edge's target among `targets`.
void way_mix(rcore_t *core, const struct strip *strip, const struct way *way, const struct edge *edge,
             float *const *planes, float *targets, uint32_t nframes) RCORE_RT;
/// Has the bus's meter measure what leaves it; silence for no strip.
void strip_meter(rcore_t *core, rcore_meter_t *meter, const struct strip *strip, float *const *planes,
                 uint32_t nframes) RCORE_RT;
/// Whether anything of it is on its way.
static inline bool strip_moves(const struct bus_state *state) RCORE_RT {
    return (state->gain.remaining | state->pan.remaining | state->audible.remaining | state->played.remaining) != 0;
}
/// Goes on by `nframes`.
static inline void strip_advance(struct bus_state *state, uint32_t nframes) RCORE_RT {
    if (strip_moves(state)) {
        ramp_advance(&state->gain, nframes);
        ramp_advance(&state->pan, nframes);
        ramp_advance(&state->audible, nframes);
        ramp_advance(&state->played, nframes);
    }
}

#endif
