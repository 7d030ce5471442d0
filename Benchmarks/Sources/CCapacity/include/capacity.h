/// What the capacity benchmark times: one scene, played by the render core, by a bare loop, and by OpenAL Soft.
///
/// A scene is `voices` looping sources, each with a pan of its own, into a stereo output. All three subjects play the same samples at the
/// same places; each counts its own cycles. A scene's subjects belong to one thread. Makers return NULL when memory is short or the
/// scene is out of range; ends take NULL and do nothing.
#ifndef CAPACITY_H
#define CAPACITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// What the voices' gains do.
typedef enum capacity_motion {
    CAPACITY_FLAT = 0,      ///< they stand still
    CAPACITY_RAMPING = 1,   ///< gain and pan of every voice are on their way throughout
    CAPACITY_COMMANDED = 2, ///< every voice is given a new gain before every cycle, and reaches it at the cycle's end
} capacity_motion_t;

/// One scene.
typedef struct capacity_scene {
    uint32_t voices;        ///< 1…2^20, all playing; the core plays 65536 at most
    uint32_t idle_voices;   ///< acquired beside them, never started; the core alone
    uint32_t frames;        ///< of a period, 1…8192
    uint32_t sources;       ///< distinct sources, 1…voices; voices share them in turn
    uint32_t source_frames; ///< length of each, a multiple of `frames`; played in a loop
    uint32_t channels;      ///< of a source: 1 is panned, 2 go to the output channel by channel
    capacity_motion_t motion;
    bool pitched; ///< voices at 32 speeds between 0.7 and 1.4, none of them 1
} capacity_scene_t;

// ---- Samples ------------------------------------------------------------------------------------------------------------------

/// Noise, the same every time: as the bare loop reads it, and in the core's buffers.
typedef struct capacity_samples capacity_samples_t;
capacity_samples_t *capacity_samples_create(capacity_scene_t scene);
/// Ends the samples; after those who play them.
void capacity_samples_destroy(capacity_samples_t *samples);

// ---- The render core ----------------------------------------------------------------------------------------------------------

typedef struct capacity_core capacity_core_t;
/// Makes a core with every voice of the scene playing. It may leave out `voices` or `idle_voices` that the samples were not made for.
capacity_core_t *capacity_core_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_core_destroy(capacity_core_t *core);
/// Renders a period; returns the nanoseconds that `rcore_process` took, commands that were posted before included.
uint64_t capacity_core_cycle(capacity_core_t *core);
/// Whether every voice plays, and none was late, stolen or starved.
bool capacity_core_sound(const capacity_core_t *core);
/// What the last cycle put out on channel 0 or 1.
const float *capacity_core_output(const capacity_core_t *core, uint32_t channel);
/// Bytes that a core for so many voices takes, its sample data apart, all else as the core's defaults have it.
size_t capacity_core_bytes(uint32_t voices);

// ---- The bound ----------------------------------------------------------------------------------------------------------------

/// Only what no mixer can leave out: a multiplication and an addition per voice, frame and way to the output (and four points of a
/// spline when pitched), with the next voices' samples asked for ahead of time.
typedef struct capacity_bound capacity_bound_t;
capacity_bound_t *capacity_bound_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_bound_destroy(capacity_bound_t *bound);
/// Mixes a period; returns its nanoseconds.
uint64_t capacity_bound_cycle(capacity_bound_t *bound);
const float *capacity_bound_output(const capacity_bound_t *bound, uint32_t channel);
/// What the last cycle would have put out if the 32 pans in turn had these gains: the mix that OpenAL owes. Flat and not pitched only.
const float *capacity_bound_expect(capacity_bound_t *bound, const float *const gains[2], uint32_t channel);

// ---- OpenAL Soft --------------------------------------------------------------------------------------------------------------

/// OpenAL Soft's loopback device: 32-bit float stereo, no HRTF, no effects, no limiter, static buffers; cubic when pitched.
typedef struct capacity_openal capacity_openal_t;
/// NULL also when it cannot play all of the scene; then `capacity_openal_failure` says why.
capacity_openal_t *capacity_openal_create(capacity_scene_t scene, const capacity_samples_t *samples);
void capacity_openal_destroy(capacity_openal_t *openal);
/// Why the last one could not be made. Static storage.
const char *capacity_openal_failure(void);
/// Its version, once one was made. Static storage.
const char *capacity_openal_version(void);
/// Renders a period; returns the nanoseconds of `alcRenderSamplesSOFT`. Ramping or commanded: every source was given a new gain before,
/// which is not counted; that its changes take effect is.
uint64_t capacity_openal_cycle(capacity_openal_t *openal);
/// Whether every source plays.
bool capacity_openal_sound(const capacity_openal_t *openal);
const float *capacity_openal_output(capacity_openal_t *openal, uint32_t channel);
/// Gains that it gives the 32 pans on channel 0 or 1, measured with a source that is 1 throughout.
const float *capacity_openal_gains(const capacity_openal_t *openal, uint32_t channel);

#endif
