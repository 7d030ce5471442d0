// The lower bound for a mixer with as many buses, and their expected output.
#include "kernel.h"
#include "mixer.h"

#include <math.h>
#include <string.h>

// Returns a bus's planes. Those of the parallel buses come first, as the slots in mixer.c do.
static float *const *sums_of(const struct capacity_mixer *mixer, uint32_t slot) {
    return mixer->sums.channel + (size_t)slot * mixer->layout.channels;
}

static void clear(const struct capacity_mixer *mixer, uint32_t slot) {
    for (uint32_t channel = 0; channel < mixer->layout.channels; channel++) {
        memset(sums_of(mixer, slot)[channel], 0, mixer->layout.frames * sizeof(float));
    }
}

static void add(const struct capacity_mixer *mixer, uint32_t from, uint32_t to) {
    for (uint32_t channel = 0; channel < mixer->layout.channels; channel++) {
        bare_add(sums_of(mixer, to)[channel], sums_of(mixer, from)[channel], mixer->layout.frames);
    }
}

static void play(const struct capacity_mixer *mixer, uint32_t bus) {
    const uint64_t frame = mixer->time % mixer->samples->scene.source_frames;
    for (uint32_t channel = 0; channel < mixer->layout.channels; channel++) {
        const float *samples = layout_plane(mixer->samples, bus, channel) + frame;
        const struct bare_source source = {.samples = samples, .prefetch = samples, .gains = {1.0f}};
        bare_flat_one(sums_of(mixer, bus)[channel], &source, mixer->layout.frames);
    }
}

uint64_t capacity_mixer_bound(capacity_mixer_t *mixer) {
    const capacity_mixer_layout_t layout = mixer->layout;
    const uint32_t master = layout.buses, back = master + 1;
    const bool nested = layout.feature == CAPACITY_NESTED;
    const bool sends = layout.feature == CAPACITY_SEND_PRE || layout.feature == CAPACITY_SEND_POST;
    const uint64_t begun = layout_now();
    for (uint32_t slot = 0; slot < (nested ? 2 : 1) * layout.buses + 2; slot++) {
        clear(mixer, slot);
    }
    for (uint32_t bus = 0; bus < layout.buses; bus++) {
        play(mixer, bus);
    }
    for (uint32_t bus = 0; bus < layout.buses; bus++) {
        add(mixer, bus, nested ? back + 1 + bus : master);
        if (sends) {
            add(mixer, bus, back);
        }
    }
    for (uint32_t bus = 0; nested && bus < layout.buses; bus++) {
        add(mixer, back + 1 + bus, master);
    }
    add(mixer, back, master);
    for (uint32_t channel = 0; channel < layout.channels; channel++) {
        memcpy(mixer->mixed.channel[channel], sums_of(mixer, master)[channel], layout.frames * sizeof(float));
    }
    return layout_now() - begun;
}

// ---- Expected output ----------------------------------------------------------------------------

static double factor(capacity_mixer_layout_t layout, uint32_t channel) {
    switch (layout.feature) {
    case CAPACITY_SEND_PRE:
    case CAPACITY_SEND_POST:
        return 2.0; // direct and send
    case CAPACITY_PANNED:
        return channel == 0 ? 0.5 : 1.0;
    case CAPACITY_MUTED:
        return 0.0;
    default:
        return 1.0;
    }
}

// Returns the frames after which a bus's sound comes out. The insert only reports latency; it does
// not delay.
static uint64_t delay_of(const struct capacity_mixer *mixer, uint32_t bus) {
    const bool waits = mixer->layout.feature == CAPACITY_LATE && bus > 0;
    return (waits ? mixer->layout.latency_frames : 0) +
           (mixer->limiter != NULL ? rcore_limiter_latency(mixer->limiter) : 0);
}

static double expected_sample(const struct capacity_mixer *mixer, uint32_t channel, uint64_t frame) {
    const uint64_t length = mixer->samples->scene.source_frames;
    double sum = 0.0;
    for (uint32_t bus = 0; bus < mixer->layout.buses; bus++) {
        const uint64_t index = (frame + length - delay_of(mixer, bus) % length) % length;
        sum += (double)layout_plane(mixer->samples, bus, channel)[index];
    }
    return sum * (double)mixer_sum * factor(mixer->layout, channel) / mixer->layout.buses;
}

double capacity_mixer_difference(const capacity_mixer_t *mixer) {
    const rcore_counters_t counters = rcore_read_counters(mixer->core);
    if (counters.playing_voices != mixer->layout.buses || counters.nonfinite_samples != 0 || mixer->time == 0) {
        return INFINITY;
    }
    const bool everywhere = mixer->layout.feature == CAPACITY_ROUTES,
               limits = mixer->layout.feature == CAPACITY_LIMITING;
    double difference = 0.0, greatest = 0.0;
    for (uint32_t output = 0; output < mixer->outputs.count; output++) {
        const uint32_t channel = output % mixer->layout.channels;
        const bool fed = output == channel || everywhere;
        for (uint32_t i = 0; i < mixer->layout.frames; i++) {
            const double sample = (double)mixer->outputs.channel[output][i];
            const double wanted = fed ? expected_sample(mixer, channel, mixer->time - mixer->layout.frames + i) : 0.0;
            greatest = fmax(greatest, fabs(wanted));
            difference = fmax(difference, limits ? fabs(sample) - (double)mixer_ceiling : fabs(sample - wanted));
        }
    }
    const bool silent = mixer->layout.feature == CAPACITY_MUTED;
    return silent ? difference : greatest > 0.0 ? difference / greatest : INFINITY;
}
