#define _GNU_SOURCE
#include "volumes.h"

#include <math.h>

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
            read.count = spa_pod_copy_array(&prop->value, SPA_TYPE_Float, read.channel, SPA_AUDIO_MAX_CHANNELS);
        } else if (prop->key == SPA_PROP_softVolumes) {
            soft_count = spa_pod_copy_array(&prop->value, SPA_TYPE_Float, read.soft, SPA_AUDIO_MAX_CHANNELS);
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
