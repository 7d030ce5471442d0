/// What the capacity benchmark measures in C: single calls of the render core and of OpenAL, and
/// the bare loops, rings and cache lines with which they are compared.
#ifndef CAPACITY_H
#define CAPACITY_H

#include "render_core.h"

#include <AL/alc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Returns the nanoseconds of a monotonic clock.
uint64_t capacity_now(void);
/// `rcore_process`, of the core that the benchmark links or of another build of it.
typedef __typeof__(rcore_process) *capacity_process_function;
/// Returns `rcore_process` of the shared library at `path`, which is never unloaded; NULL if that
/// has none. It works on all cores if both builds are of the same sources, which determine their
/// layout.
capacity_process_function capacity_load_process(const char *path);
/// Renders a period. Returns the nanoseconds of `process`, including commands posted before.
uint64_t capacity_process(capacity_process_function process, rcore_t *core, float *const *outputs, uint32_t noutputs,
                          uint32_t nframes);
/// Renders a period. Returns the nanoseconds of `alcRenderSamplesSOFT`.
uint64_t capacity_render(ALCdevice *device, float *interleaved, uint32_t nframes);
/// Returns the allocated memory of this process in bytes, as far as its first threads allocated it.
size_t capacity_allocated_bytes(void);

// ---- The bound: additions and nothing else ------------------------------------------------------

/// One signal that is added to another: less than a cache line, since mixers of many voices read
/// many of these.
typedef struct capacity_addition {
    const float *samples;
    float *target;
    /// The gains of the first frame, and their steps per frame: to the target and, panned, to the
    /// plane after it.
    float gains[2], steps[2];
    /// When pitched, in 1/2^32 of a frame: the distance between points, and the position of the
    /// first one after `samples`.
    uint64_t speed;
    uint32_t phase;
} capacity_addition_t;

/// While an addition runs, the samples of the one that is so much later are prefetched.
enum { capacity_ahead = 8 };

/// Additions of one kind.
typedef struct capacity_pass {
    /// `count`, and after them `capacity_ahead` more that only have samples: the next to come.
    capacity_addition_t *additions;
    uint32_t count;
    /// The number of planes of source and target; 1 if panned.
    uint32_t channels;
    /// The distance between the planes of a source, in frames.
    size_t stride;
    /// Whether a mono source goes to two channels; otherwise channel to channel.
    bool panned;
    bool ramping;
    /// Reads with a 4-point spline.
    bool pitched;
    /// At unity gain: without a multiplication.
    bool unity;
} capacity_pass_t;

/// A mixer that consists of additions.
typedef struct capacity_bound {
    uint32_t nframes;
    /// The sums, which a period clears first, and the distance between planes.
    float *sums;
    uint32_t nsums;
    size_t stride;
    /// Voices into sums, then sums into sums.
    capacity_pass_t voices, connections;
    /// Sums to copy at last, where to, and their number.
    const float *mixed;
    float *outputs;
    uint32_t noutputs;
    /// When pitched: room for a period.
    float *interpolated;
} capacity_bound_t;

/// Mixes a period. Returns the nanoseconds.
uint64_t capacity_mix(const capacity_bound_t *bound);

// ---- Commands, and two cores --------------------------------------------------------------------

/// Gains for voices in turn.
typedef struct capacity_gains {
    rcore_queue_t *queue;
    const rcore_voice_t *voices;
    uint32_t nvoices;
    /// The index of the first voice, and the number of gains.
    uint32_t first, count;
    float gain;
    uint32_t ramp_frames;
    uint64_t when;
} capacity_gains_t;

/// Posts the gains. Returns false if the queue is full.
bool capacity_post(const capacity_gains_t *gains);

/// The calling thread and a partner thread, on one core each, until the pair is destroyed.
typedef struct capacity_pair capacity_pair_t;

/// How an item travels between two cores.
typedef enum capacity_way {
    /// Through two of the render core's rings.
    CAPACITY_RINGS = 0,
    /// Through two bare rings: two counts and an array each.
    CAPACITY_BARE_RINGS = 1,
    /// In one cache line each way, with its number: the lower bound for any ring.
    CAPACITY_LINES = 2,
} capacity_way_t;

/// Returns NULL if this process may not use two cores or if memory cannot be allocated.
capacity_pair_t *capacity_pair_create(void);
/// Ends the partner. The calling thread may use its previous cores again. NULL does nothing.
void capacity_pair_destroy(capacity_pair_t *pair);
/// Sends an item of a command's size to the partner, which sends it back, `rounds` times. Returns
/// the total nanoseconds; 0 if an item came back changed.
uint64_t capacity_pair_exchange(capacity_pair_t *pair, capacity_way_t way, uint32_t rounds);
/// Lets the partner post the gains, and waits until it has. Returns false if the queue is full.
bool capacity_pair_post(capacity_pair_t *pair, const capacity_gains_t *gains);
/// Puts `count` items into a bare ring, on this core or (`apart`) by the partner. Returns the
/// nanoseconds to read each of them here and to store its value. 0: `count` is more than 2^16, or a
/// stored value is wrong.
uint64_t capacity_pair_drain(capacity_pair_t *pair, uint32_t count, bool apart);

#endif
