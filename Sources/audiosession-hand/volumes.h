/// The volumes of a node, in its parameter Props.
#ifndef HAND_VOLUMES_H
#define HAND_VOLUMES_H

#include "pipewire_headers.h"

#include <stdbool.h>

typedef struct volumes {
    uint32_t count;
    /// What the user sets, and a session manager stores.
    float channel[SPA_AUDIO_MAX_CHANNELS];
    /// What is applied. Without softVolumes of another program, the same.
    float soft[SPA_AUDIO_MAX_CHANNELS];
} volumes_t;

/// Reads a parameter. Returns false, and changes nothing, if it has no channelVolumes.
bool volumes_read(const struct spa_pod *param, volumes_t *volumes);
/// Sets `soft` to the volumes of the channels times a factor.
void volumes_scale(const volumes_t *volumes, float factor, float soft[SPA_AUDIO_MAX_CHANNELS]);
/// Builds a parameter that sets one property.
const struct spa_pod *volumes_build(struct spa_pod_builder *builder, uint32_t property, const float *values,
                                    uint32_t count);

#endif
