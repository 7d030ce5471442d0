#include "mixer_effect.h"

#include <stdlib.h>
#include <string.h>

void mixer_effect_open(struct mixer_effect *effect, uint32_t channels, uint32_t latency, float gain) {
    *effect = (struct mixer_effect){.latency = latency, .channels = channels, .gain = gain, .given = true};
    for (uint32_t channel = 0; channel < mixer_effect_channels; channel++) {
        effect->ring[channel] = calloc(latency + 1, sizeof(float));
        if (effect->ring[channel] == NULL) {
            abort();
        }
    }
}

void mixer_effect_close(struct mixer_effect *effect) {
    for (uint32_t channel = 0; channel < mixer_effect_channels; channel++) {
        free(effect->ring[channel]);
    }
}

void mixer_effect_clear(struct mixer_effect *effect) {
    for (uint32_t channel = 0; channel < mixer_effect_channels; channel++) {
        memset(effect->ring[channel], 0, sizeof(float) * (effect->latency + 1));
    }
}

static void render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT {
    struct mixer_effect *effect = context;
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

rcore_insert_t mixer_effect_insert(struct mixer_effect *effect) {
    return (rcore_insert_t){.render = render, .context = effect, .latency_frames = effect->latency};
}
