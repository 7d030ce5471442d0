#define _GNU_SOURCE
#include "volumes.h"

#include <math.h>
#include <string.h>

/// Copies an array of floats. The program that owns the node has written it: checks the size of its
/// elements, by which spa_pod_copy_array would copy. Returns how many there are, at most as many as
/// there are channels.
static uint32_t copy_floats(const struct spa_pod *value, float floats[SPA_AUDIO_MAX_CHANNELS]) {
    if (!spa_pod_is_array(value) || SPA_POD_ARRAY_VALUE_TYPE(value) != SPA_TYPE_Float ||
        SPA_POD_ARRAY_VALUE_SIZE(value) != sizeof(float)) {
        return 0;
    }
    const uint32_t count = SPA_MIN(SPA_POD_ARRAY_N_VALUES(value), (uint32_t)SPA_AUDIO_MAX_CHANNELS);
    memcpy(floats, SPA_POD_ARRAY_VALUES(value), count * sizeof(float));
    return count;
}

bool volumes_read(const struct spa_pod *param, volumes_t *volumes) {
    volumes_t read = {.count = 0};
    uint32_t soft_count = 0;
    if (param == NULL || !spa_pod_is_object_type(param, SPA_TYPE_OBJECT_Props)) {
        return false;
    }
    const struct spa_pod_object *object = (const struct spa_pod_object *)param;
    const struct spa_pod_prop *prop;
    SPA_POD_OBJECT_FOREACH(object, prop) {
        if (prop->key == SPA_PROP_channelVolumes) {
            read.count = copy_floats(&prop->value, read.channel);
        } else if (prop->key == SPA_PROP_softVolumes) {
            soft_count = copy_floats(&prop->value, read.soft);
        }
    }
    if (read.count == 0) {
        return false;
    }
    for (uint32_t i = soft_count; i < read.count; i++) {
        read.soft[i] = read.channel[i];
    }
    *volumes = read;
    return true;
}

void volumes_scale(const volumes_t *volumes, float factor, float soft[SPA_AUDIO_MAX_CHANNELS]) {
    for (uint32_t i = 0; i < volumes->count; i++) {
        const float value = volumes->channel[i] * factor;
        soft[i] = isfinite(value) && value >= 0 ? value : 0;
    }
}

const struct spa_pod *volumes_build(struct spa_pod_builder *builder, uint32_t property, const float *values,
                                    uint32_t count) {
    struct spa_pod_frame frame;
    spa_pod_builder_push_object(builder, &frame, SPA_TYPE_OBJECT_Props, SPA_PARAM_Props);
    spa_pod_builder_prop(builder, property, 0);
    spa_pod_builder_array(builder, sizeof(float), SPA_TYPE_Float, count, values);
    return spa_pod_builder_pop(builder, &frame);
}
