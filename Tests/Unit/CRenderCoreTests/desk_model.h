/// A mixer's graph as plain values, and a slow, plain model of what it puts out: whole signals in double precision, written from the
/// headers alone. The core is compared with it.
#ifndef DESK_MODEL_H
#define DESK_MODEL_H

#include "render_core.h"

enum { desk_channels = 4, desk_most_buses = 12, desk_most_sends = 16, desk_most_routes = 3, desk_most_voices = 16 };

/// A channel map of up to four by four: `gains[output * inputs + input]`; not given: channel to channel.
struct desk_map {
    bool given;
    float gains[desk_channels * desk_channels];
};

/// An insert that puts out `gain` times what came `latency` frames ago.
struct desk_insert {
    bool given;
    uint32_t context; ///< number of its context: the same one keeps what it holds over plans
    uint32_t latency;
    float gain;
};

struct desk_bus {
    uint32_t slot;
    uint32_t channels;
    uint32_t parent; ///< index of a bus before it, or RCORE_NONE
    struct desk_map map;
    struct desk_insert insert;
    rcore_pan_law_t law;
    float pan;
    float gain;
    bool gated;
    bool muted;
    bool soloed;
    bool safe;
    bool live;
};

struct desk_send {
    uint32_t slot;
    uint32_t source; ///< indices of buses
    uint32_t target;
    bool pre_fader;
    struct desk_map map;
    float level;
};

struct desk_route {
    uint32_t slot;
    uint32_t channels;
};

struct desk_connection {
    uint32_t bus; ///< indices
    uint32_t route;
    struct desk_map map;
};

/// Plays `planes` once, from frame `start` on.
struct desk_voice {
    uint32_t bus; ///< index
    uint32_t channels;
    struct desk_map map;
    rcore_pan_law_t law;
    float pan;
    float gain;
    uint32_t start;
    uint32_t nframes;
    const float *planes[desk_channels];
};

struct desk {
    uint32_t bus_count, send_count, route_count, connection_count, voice_count;
    struct desk_bus buses[desk_most_buses];
    struct desk_send sends[desk_most_sends];
    struct desk_route routes[desk_most_routes];
    struct desk_connection connections[desk_most_buses * desk_most_routes];
    struct desk_voice voices[desk_most_voices];
};

/// Whether what is played into `from` gets to `to`, by parents and sends; a bus gets to itself.
bool desk_leads(const struct desk *desk, uint32_t from, uint32_t to);
/// The session bus, or the bus that leads to routes, that a bus is under.
uint32_t desk_top(const struct desk *desk, uint32_t bus);

/// How much of a bus is heard by mutes and solos, as `rcore_post_bus_solo` says.
struct desk_heard {
    bool sum;    ///< what leaves it
    bool direct; ///< what is played there directly
};
struct desk_heard desk_heard(const struct desk *desk, uint32_t bus);

/// By how many frames what is played into the bus comes out later: at the last route, where there are several.
uint32_t desk_latency(const struct desk *desk, uint32_t bus);

/// The routes' outputs: `nframes` of channel c of route r at `out[(r * desk_channels + c) * nframes]`. With `magnitudes`, of all samples and
/// gains without their signs: the scale that rounding is relative to.
void desk_model_render(const struct desk *desk, uint32_t nframes, bool magnitudes, double *out);

#endif
