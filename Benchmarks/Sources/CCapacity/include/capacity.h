/// The subjects of the capacity benchmark: one scene, played by the render core, by a bare loop,
/// and by OpenAL Soft.
///
/// A scene consists of `voices` looping sources, each with its own pan, into a stereo output. All
/// three subjects play the same samples at the same positions. Each counts its own cycles. A
/// scene's subjects belong to one thread. The create functions return NULL if memory cannot be
/// allocated or the scene is out of range. The destroy functions accept NULL and do nothing.
#ifndef CAPACITY_H
#define CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// How the voices' gains change.
typedef enum capacity_motion {
    /// Constant gains.
    CAPACITY_FLAT = 0,
    /// Gain and pan of every voice ramp all the time.
    CAPACITY_RAMPING = 1,
    /// Every voice gets a new gain before every cycle, and reaches it at the cycle's end.
    CAPACITY_COMMANDED = 2,
} capacity_motion_t;

/// A scene.
typedef struct capacity_scene {
    /// 1…2^20, all playing. The core plays at most 65536.
    uint32_t voices;
    /// Additional voices that are acquired but never started; only in the core.
    uint32_t idle_voices;
    /// Frames of a period, 1…8192.
    uint32_t frames;
    /// The number of different sources, 1…voices. Voices share them in turn.
    uint32_t sources;
    /// The length of each source, a multiple of `frames`; played in a loop.
    uint32_t source_frames;
    /// Channels of a source: 1 is panned, 2 go to the output channel by channel.
    uint32_t channels;
    capacity_motion_t motion;
    /// Voices play at 32 speeds between 0.7 and 1.4, none of them 1.
    bool pitched;
} capacity_scene_t;

// ---- Samples ------------------------------------------------------------------------------------

/// Noise, the same every time, as the bare loop reads it and in the core's buffers.
typedef struct capacity_samples capacity_samples_t;
capacity_samples_t *capacity_samples_create(capacity_scene_t scene);
/// Releases the samples. Destroy their users first.
void capacity_samples_destroy(capacity_samples_t *samples);

// ---- The render core ----------------------------------------------------------------------------

typedef struct capacity_core capacity_core_t;
/// Makes a core with every voice of the scene playing. The scene may have other `voices` and
/// `idle_voices` than the one that the samples were made for.
capacity_core_t *capacity_core_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_core_destroy(capacity_core_t *core);
/// Renders a period. Returns the nanoseconds that `rcore_process` took, including commands posted
/// before.
uint64_t capacity_core_cycle(capacity_core_t *core);
/// Returns whether every voice plays, and none was late, stolen or starved.
bool capacity_core_sound(const capacity_core_t *core);
/// Returns the output of the last cycle on channel 0 or 1.
const float *capacity_core_output(const capacity_core_t *core, uint32_t channel);
/// Returns the memory of a core for `voices` voices in bytes, without sample data, with the core's
/// defaults otherwise.
size_t capacity_core_bytes(uint32_t voices);

// ---- The bound ----------------------------------------------------------------------------------

/// The lower bound for any mixer: one multiplication and one addition per voice, frame and
/// connection to the output (and four points of a spline when pitched), with the next voices'
/// samples prefetched.
typedef struct capacity_bound capacity_bound_t;
capacity_bound_t *capacity_bound_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_bound_destroy(capacity_bound_t *bound);
/// Mixes a period. Returns the nanoseconds.
uint64_t capacity_bound_cycle(capacity_bound_t *bound);
const float *capacity_bound_output(const capacity_bound_t *bound, uint32_t channel);
/// Returns what the last cycle would have put out if the 32 pans in turn had these gains: the
/// expected mix of OpenAL. For flat scenes without pitch only.
const float *capacity_bound_expect(capacity_bound_t *bound, const float *const gains[2], uint32_t channel);

// ---- OpenAL Soft --------------------------------------------------------------------------------

/// OpenAL Soft's loopback device: 32-bit float stereo, without HRTF, effects and limiter, with
/// static buffers; with the cubic resampler when pitched.
typedef struct capacity_openal capacity_openal_t;
/// Also returns NULL if OpenAL cannot play the complete scene; `capacity_openal_failure` then
/// returns the reason.
capacity_openal_t *capacity_openal_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_openal_destroy(capacity_openal_t *openal);
/// Returns why the last creation failed. Static storage.
const char *capacity_openal_failure(void);
/// Returns the version, once a device has been created. Static storage.
const char *capacity_openal_version(void);
/// Renders a period. Returns the nanoseconds of `alcRenderSamplesSOFT`. When ramping or commanded,
/// every source gets a new gain before that. The calls are not timed, but their effect is.
uint64_t capacity_openal_cycle(capacity_openal_t *openal);
/// Returns whether every source plays.
bool capacity_openal_sound(const capacity_openal_t *openal);
const float *capacity_openal_output(capacity_openal_t *openal, uint32_t channel);
/// Returns OpenAL's gains for the 32 pans on channel 0 or 1, measured with a source that is 1
/// throughout.
const float *capacity_openal_gains(const capacity_openal_t *openal, uint32_t channel);

#endif
