/// What a mixer costs: buses in parallel under a master bus, each fed by one voice, and one thing more that each of them has or does.
#ifndef CAPACITY_MIXER_H
#define CAPACITY_MIXER_H

#include "capacity_graph.h"

/// What there is beside the plain mixer: voice → bus → master → route.
typedef enum capacity_feature {
    CAPACITY_PLAIN = 0,
    CAPACITY_ROOM,        ///< the core has room for 4,096 sends and 4,096 curves
    CAPACITY_NESTED,      ///< one more bus between each and the master
    CAPACITY_SEND_PRE,    ///< each sends to one more bus, which leads to the master
    CAPACITY_SEND_POST,   ///< the same behind the fader
    CAPACITY_CENTRED,     ///< each has a pan, in the middle
    CAPACITY_PANNED,      ///< each is half to the right
    CAPACITY_PAN_MOVING,  ///< each moves there, all the time
    CAPACITY_GAIN_MOVING, ///< each one's gain is on its way, all the time
    CAPACITY_CURVE,       ///< the same, along a curve
    CAPACITY_INSERT,      ///< each has an insert that does nothing
    CAPACITY_INSERT_ONE,  ///< the first alone has one
    CAPACITY_LATE,        ///< that one says that it delays: all others wait for it
    CAPACITY_METER,       ///< each has a meter of peak and RMS
    CAPACITY_TRUE_PEAK,   ///< which measures between the samples too
    CAPACITY_TAPPED,   ///< of peak and RMS, with a tap that is read between the cycles, as who measures loudness does
    CAPACITY_MUTED,    ///< each is muted
    CAPACITY_LIMITER,  ///< the route has a limiter, and nothing is above its ceiling
    CAPACITY_LIMITING, ///< and most is
    CAPACITY_ROUTES,   ///< the master leads to all routes, not to the first alone
} capacity_feature_t;

enum { CAPACITY_MIXER_ROUTES = 8 };

/// 48 kHz, gains of one, samples in a loop of 1,024 frames that stay in the cache.
typedef struct capacity_desk {
    uint32_t buses;          ///< 1…511 beside the master
    uint32_t frames;         ///< of a period, 1…256
    uint32_t channels;       ///< 1…64 of each source, bus and route; 2 at least where there are pans
    uint32_t latency_frames; ///< of the one that is late; below 1,024 or a multiple of it
    capacity_feature_t feature;
} capacity_desk_t;

typedef struct capacity_mixer capacity_mixer_t;

/// NULL: out of range, or memory is short.
capacity_mixer_t *capacity_mixer_create(capacity_desk_t desk);
void capacity_mixer_destroy(capacity_mixer_t *mixer);
/// Renders a period; returns the nanoseconds of `rcore_process`.
uint64_t capacity_mixer_cycle(capacity_mixer_t *mixer);
/// What no mixer with these buses and sends can leave out, of the period that is next: each bus is cleared; voices, buses and sends are added to where they lead,
/// the master is copied to the output. Of other features nothing. Nanoseconds.
uint64_t capacity_mixer_bound(capacity_mixer_t *mixer);
/// The greatest difference between what came out last and what should have, over the greatest sample; infinite unless every voice plays. Of one that limits: what
/// is above the ceiling.
double capacity_mixer_difference(const capacity_mixer_t *mixer);

#endif
