#include "desk_effect.h"

#include <stdlib.h>
#include <string.h>

void desk_effect_open(struct desk_effect *effect, uint32_t channels, uint32_t latency, float gain) {
    *effect = (struct desk_effect){.latency = latency, .channels = channels, .gain = gain, .given = true};
    for (uint32_t channel = 0; channel < desk_effect_channels; channel++) {
        effect->ring[channel] = calloc(latency + 1, sizeof(float));
        if (effect->ring[channel] == NULL) {
            abort();
        }
    }
}

void desk_effect_close(struct desk_effect *effect) {
    for (uint32_t channel = 0; channel < desk_effect_channels; channel++) {
        free(effect->ring[channel]);
    }
}

void desk_effect_clear(struct desk_effect *effect) {
    for (uint32_t channel = 0; channel < desk_effect_channels; channel++) {
        memset(effect->ring[channel], 0, sizeof(float) * (effect->latency + 1));
    }
}

static void render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct desk_effect *effect = context;
    effect->calls += 1;
    effect->bad_calls += effect->gone || channels != effect->channels ? 1 : 0;
    effect->rendered += nframes;
    const uint32_t places = effect->latency > 0 ? effect->latency : 1;
    for (uint32_t channel = 0; channel < channels && channel < effect->channels; channel++) {
        for (uint32_t i = 0; i < nframes; i++) {
            float *kept = &effect->ring[channel][(effect->place + i) % places];
            const float now = planes[channel][i];
            planes[channel][i] = effect->gain * (effect->latency > 0 ? *kept : now);
            *kept = now;
        }
    }
    effect->place = (effect->place + nframes) % places;
}

rcore_insert_t desk_effect_insert(struct desk_effect *effect) {
    return (rcore_insert_t){.render = render, .context = effect, .latency_frames = effect->latency};
}
