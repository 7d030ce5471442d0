/// A mixer graph as plain values, and a slow, simple reference model of its output. The model
/// renders whole signals in double precision and is written from the headers alone. Tests compare
/// the core with it.
#ifndef MIXER_MODEL_H
#define MIXER_MODEL_H

#include "render_core.h"

enum {
    mixer_channels = 4,
    mixer_most_buses = 12,
    mixer_most_sends = 16,
    mixer_most_routes = 3,
    mixer_most_voices = 16
};

/// A channel map of up to four by four channels: `gains[output * inputs + input]`. If not given,
/// channels map one to one.
struct mixer_map {
    bool given;
    float gains[mixer_channels * mixer_channels];
};

/// An insert that outputs `gain` times its input from `latency` frames ago.
struct mixer_insert {
    bool given;
    /// Number of the insert's context. A plan with the same context keeps the insert's state.
    uint32_t context;
    uint32_t latency;
    float gain;
};

struct mixer_bus {
    uint32_t slot;
    uint32_t channels;
    /// Index of a bus before this one, or RCORE_NONE.
    uint32_t parent;
    struct mixer_map map;
    struct mixer_insert insert;
    rcore_pan_law_t law;
    float pan;
    float gain;
    bool gated;
    bool muted;
    bool soloed;
    bool safe;
    bool compensation_exempt;
};

struct mixer_send {
    uint32_t slot;
    /// Indices of the buses.
    uint32_t source;
    uint32_t target;
    bool pre_fader;
    struct mixer_map map;
    float level;
};

struct mixer_route {
    uint32_t slot;
    uint32_t channels;
};

struct mixer_connection {
    /// Indices of the bus and the route.
    uint32_t bus;
    uint32_t route;
    struct mixer_map map;
};

/// A voice that plays `planes` once, starting at frame `start`.
struct mixer_voice {
    /// Index of the bus.
    uint32_t bus;
    uint32_t channels;
    struct mixer_map map;
    rcore_pan_law_t law;
    float pan;
    float gain;
    uint32_t start;
    uint32_t nframes;
    const float *planes[mixer_channels];
};

struct mixer {
    uint32_t bus_count, send_count, route_count, connection_count, voice_count;
    struct mixer_bus buses[mixer_most_buses];
    struct mixer_send sends[mixer_most_sends];
    struct mixer_route routes[mixer_most_routes];
    struct mixer_connection connections[mixer_most_buses * mixer_most_routes];
    struct mixer_voice voices[mixer_most_voices];
};

/// Returns whether a signal played into bus `from` reaches bus `to` through parents and sends. A
/// bus reaches itself.
bool mixer_feeds(const struct mixer *mixer, uint32_t from, uint32_t to);
/// Returns the topmost bus above a bus: the session bus, or the bus that is connected to routes.
uint32_t mixer_top(const struct mixer *mixer, uint32_t bus);

/// Which signals of a bus mutes and solos leave audible, as `rcore_post_bus_solo` specifies.
struct mixer_heard {
    /// The output of the bus.
    bool sum;
    /// The voices that play directly on the bus.
    bool direct;
};
struct mixer_heard mixer_heard(const struct mixer *mixer, uint32_t bus);

/// Returns the total latency, in frames, of a signal played into the bus. With several routes, the
/// largest one counts.
uint32_t mixer_latency(const struct mixer *mixer, uint32_t bus);

/// Renders the outputs of the routes: `nframes` frames of channel c of route r at
/// `out[(r * mixer_channels + c) * nframes]`. With `magnitudes`, uses the absolute values of all
/// samples and gains: the scale to which rounding errors are relative.
void mixer_model_render(const struct mixer *mixer, uint32_t nframes, bool magnitudes, double *out);

#endif
