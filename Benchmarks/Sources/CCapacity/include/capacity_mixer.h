/// The cost of a mixer: parallel buses under a master bus, each fed by one voice, with one
/// additional feature for each of them.
#ifndef CAPACITY_MIXER_H
#define CAPACITY_MIXER_H

#include "capacity_graph.h"

/// The feature in addition to the plain mixer: voice → bus → master → route.
typedef enum capacity_feature {
    CAPACITY_PLAIN = 0,
    /// The core has room for 1,024 sends and 4,096 curves.
    CAPACITY_ROOM,
    /// One more bus between each bus and the master.
    CAPACITY_NESTED,
    /// Each sends to one more bus, which is routed to the master.
    CAPACITY_SEND_PRE,
    /// The same, post-fader.
    CAPACITY_SEND_POST,
    /// Each has a pan, at the centre.
    CAPACITY_CENTRED,
    /// Each is panned half to the right.
    CAPACITY_PANNED,
    /// Each pan moves there all the time.
    CAPACITY_PAN_MOVING,
    /// Each gain moves all the time.
    CAPACITY_GAIN_MOVING,
    /// The same, along a curve.
    CAPACITY_CURVE,
    /// Each has an insert that does nothing.
    CAPACITY_INSERT,
    /// Only the first has such an insert.
    CAPACITY_INSERT_ONE,
    /// That insert reports latency: the others get delay compensation.
    CAPACITY_LATE,
    /// Each has a meter of peak and RMS.
    CAPACITY_METER,
    /// The meters measure true peak as well.
    CAPACITY_TRUE_PEAK,
    /// Meters of peak and RMS, with a tap that is read between the cycles, as for loudness
    /// measurement.
    CAPACITY_TAPPED,
    /// Each is muted.
    CAPACITY_MUTED,
    /// The route has a limiter, and no sample exceeds its ceiling.
    CAPACITY_LIMITER,
    /// The same, and most samples exceed its ceiling.
    CAPACITY_LIMITING,
    /// The master is routed to all routes, not only to the first.
    CAPACITY_ROUTES,
} capacity_feature_t;

enum { CAPACITY_MIXER_ROUTES = 8 };

/// 48 kHz, gains of one, samples in a loop of 1,024 frames that stay in the cache.
typedef struct capacity_mixer_layout {
    /// 1…511 in addition to the master.
    uint32_t buses;
    /// Frames of a period, 1…256.
    uint32_t frames;
    /// 1…64, of each source, bus and route; at least 2 with pans.
    uint32_t channels;
    /// The latency that the insert reports; below 1,024 or a multiple of it.
    uint32_t latency_frames;
    capacity_feature_t feature;
} capacity_mixer_layout_t;

typedef struct capacity_mixer capacity_mixer_t;

/// Returns NULL if the layout is out of range or memory cannot be allocated.
capacity_mixer_t *capacity_mixer_create(capacity_mixer_layout_t layout);
void capacity_mixer_destroy(capacity_mixer_t *mixer);
/// Renders a period. Returns the nanoseconds of `rcore_process`.
uint64_t capacity_mixer_cycle(capacity_mixer_t *mixer);
/// Runs the lower bound for a mixer with these buses and sends, for the next period: clears each
/// bus, adds voices, buses and sends to the buses that they feed, and copies the master to the
/// output. Other features add nothing. Returns the nanoseconds.
uint64_t capacity_mixer_bound(capacity_mixer_t *mixer);
/// Returns the greatest difference between the last output and the expected one, relative to the
/// greatest sample; infinite unless every voice plays. For a mixer that limits: the greatest excess
/// above the ceiling.
double capacity_mixer_difference(const capacity_mixer_t *mixer);

#endif
