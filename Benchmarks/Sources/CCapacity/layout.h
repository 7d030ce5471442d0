/// How a scene is laid out over its voices, the same for all subjects; and the clock.
#ifndef CAPACITY_LAYOUT_H
#define CAPACITY_LAYOUT_H

#include "capacity.h"

enum {
    pans = 32, ///< distinct pans, taken by the voices in turn
    lead = 16, ///< frames before a plane's first: the end of its loop
    ramp_frames = 1 << 24,
    max_voices = 1 << 20, ///< of the bound; the core ends at 65536
    max_frames = 8192,
    max_channels = 64,
};

struct capacity_samples {
    capacity_scene_t scene;
    float *planes;
    size_t stride; ///< between planes; a plane goes on past its end, for a pitched period's frames
    struct rcore_buffer **buffers;
};

/// Nanoseconds, of a clock that only moves forward.
uint64_t layout_now(void);
/// Whether a scene can be made at all; whether samples for it can, which may have more channels than a scene's sources.
bool layout_in_range(capacity_scene_t scene);
bool layout_samples_in_range(capacity_scene_t scene);
/// Between left (-1) and right (1), where a voice begins. Ramping, it moves to the opposite in `ramp_frames`.
float layout_pan(uint32_t voice);
/// Source frames a frame.
float layout_speed(capacity_scene_t scene, uint32_t voice);
/// Gain of a commanded voice at the end of a cycle.
float layout_commanded_gain(uint64_t cycle);
/// Gains to left and right at a frame, by equal power (mono) or channel to channel (stereo).
void layout_gains(capacity_scene_t scene, uint32_t voice, uint64_t frame, float gains[2]);
/// Zeroed samples at the beginning of a cache line, as drivers hand them out; NULL when memory is short. Freed by `free`.
float *layout_output(uint32_t nframes);
/// Frame 0 of a voice's channel.
const float *layout_plane(const capacity_samples_t *samples, uint32_t voice, uint32_t channel);

#endif
