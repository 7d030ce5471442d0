/// What the capacity benchmark times: a render core full of voices, and the same samples through a bare loop.
///
/// A scene holds `voices` mono sources of its own length, each mixed into a stereo bus with a pan of its own. The bound does only what no
/// mixer can leave out: two multiplications and two additions per voice and frame, over equally many samples that lie the same way.
#ifndef CAPACITY_H
#define CAPACITY_H

#include <stdbool.h>
#include <stdint.h>

typedef struct capacity_scene capacity_scene_t;

typedef struct capacity_config {
    uint32_t voices;        ///< 1…32768
    uint32_t frames;        ///< of a period, 1…8192
    uint32_t sources;       ///< distinct sample planes, 1…voices; voices share them in turn
    uint32_t source_frames; ///< length of each, a multiple of `frames`; played in a loop
    bool ramping;           ///< every voice's gain is on its way throughout
} capacity_config_t;

/// Makes a scene with everything playing; NULL when memory is short or the configuration is out of range.
capacity_scene_t *capacity_scene_create(capacity_config_t config);
/// Frees a scene; NULL does nothing.
void capacity_scene_destroy(capacity_scene_t *scene);

/// Renders one period by the core and returns its nanoseconds. Included: everything `rcore_process` does.
uint64_t capacity_time_core(capacity_scene_t *scene);
/// Mixes one period by the bare loop and returns its nanoseconds.
uint64_t capacity_time_bound(capacity_scene_t *scene);
/// Largest difference between what the two put out last; both must have done the same work. Meaningful for flat gains.
float capacity_difference(const capacity_scene_t *scene);

#endif
