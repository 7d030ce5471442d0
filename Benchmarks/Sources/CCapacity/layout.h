/// The layout of a scene's voices, the same for all subjects; and the clock.
#ifndef CAPACITY_LAYOUT_H
#define CAPACITY_LAYOUT_H

#include "capacity.h"

enum {
    /// The number of different pans. The voices use them in turn.
    pans = 32,
    /// The frames before a plane's first one: the end of its loop.
    guard_frames = 16,
    ramp_frames = 1 << 24,
    /// The limit of the bound; the core's limit is 65536.
    max_voices = 1 << 20,
    max_frames = 8192,
    max_channels = 64,
};

struct capacity_samples {
    capacity_scene_t scene;
    float *planes;
    /// The distance between planes. A plane continues past its end, for the frames of a pitched
    /// period.
    size_t stride;
    struct rcore_buffer **buffers;
};

/// Returns the nanoseconds of a monotonic clock.
uint64_t layout_now(void);
/// Return whether a scene is in range, and whether samples for it are: these may have more channels
/// than a scene's sources.
bool layout_in_range(capacity_scene_t scene);
bool layout_samples_in_range(capacity_scene_t scene);
/// Returns the pan at which a voice begins, between left (-1) and right (1). When ramping, it moves
/// to the opposite in `ramp_frames`.
float layout_pan(uint32_t voice);
/// Returns the source frames per output frame.
float layout_speed(capacity_scene_t scene, uint32_t voice);
/// Returns the gain of a commanded voice at the end of a cycle.
float layout_commanded_gain(uint64_t cycle);
/// Computes the gains to left and right at a frame, by equal power (mono) or channel to channel
/// (stereo).
void layout_gains(capacity_scene_t scene, uint32_t voice, uint64_t frame, float gains[2]);
/// Allocates zeroed samples, aligned to a cache line, as drivers provide them. Returns NULL if
/// memory cannot be allocated. Free them with `free`.
float *layout_output(uint32_t nframes);
/// Returns frame 0 of a voice's channel.
const float *layout_plane(const capacity_samples_t *samples, uint32_t voice, uint32_t channel);

#endif
