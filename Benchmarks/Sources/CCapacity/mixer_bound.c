// What as many buses cannot do without, and what should come out of them.
#include "kernel.h"
#include "mixer.h"

#include <math.h>
#include <string.h>

// Planes of a bus: theirs come first, as slots do in mixer.c.
static float *const *sums_of(const struct capacity_mixer *mixer, uint32_t slot) {
    return mixer->sums.channel + (size_t)slot * mixer->desk.channels;
}

static void clear(const struct capacity_mixer *mixer, uint32_t slot) {
    for (uint32_t channel = 0; channel < mixer->desk.channels; channel++) {
        memset(sums_of(mixer, slot)[channel], 0, mixer->desk.frames * sizeof(float));
    }
}

static void add(const struct capacity_mixer *mixer, uint32_t from, uint32_t to) {
    for (uint32_t channel = 0; channel < mixer->desk.channels; channel++) {
        bare_add(sums_of(mixer, to)[channel], sums_of(mixer, from)[channel], mixer->desk.frames);
    }
}

static void play(const struct capacity_mixer *mixer, uint32_t bus) {
    const uint64_t frame = mixer->time % mixer->samples->scene.source_frames;
    for (uint32_t channel = 0; channel < mixer->desk.channels; channel++) {
        const float *samples = layout_plane(mixer->samples, bus, channel) + frame;
        const struct bare_source source = {.samples = samples, .prefetch = samples, .gains = {1.0f}};
        bare_flat_one(sums_of(mixer, bus)[channel], &source, mixer->desk.frames);
    }
}

uint64_t capacity_mixer_bound(capacity_mixer_t *mixer) {
    const capacity_desk_t desk = mixer->desk;
    const uint32_t master = desk.buses, back = master + 1;
    const bool nested = desk.feature == CAPACITY_NESTED;
    const bool sends = desk.feature == CAPACITY_SEND_PRE || desk.feature == CAPACITY_SEND_POST;
    const uint64_t begun = layout_now();
    for (uint32_t slot = 0; slot < (nested ? 2 : 1) * desk.buses + 2; slot++) {
        clear(mixer, slot);
    }
    for (uint32_t bus = 0; bus < desk.buses; bus++) {
        play(mixer, bus);
    }
    for (uint32_t bus = 0; bus < desk.buses; bus++) {
        add(mixer, bus, nested ? back + 1 + bus : master);
        if (sends) {
            add(mixer, bus, back);
        }
    }
    for (uint32_t bus = 0; nested && bus < desk.buses; bus++) {
        add(mixer, back + 1 + bus, master);
    }
    add(mixer, back, master);
    for (uint32_t channel = 0; channel < desk.channels; channel++) {
        memcpy(mixer->mixed.channel[channel], sums_of(mixer, master)[channel], desk.frames * sizeof(float));
    }
    return layout_now() - begun;
}

// ---- What should come out ---------------------------------------------------------------------------------------------------------

static double factor(capacity_desk_t desk, uint32_t channel) {
    switch (desk.feature) {
    case CAPACITY_SEND_PRE:
    case CAPACITY_SEND_POST:
        return 2.0; // both ways
    case CAPACITY_PANNED:
        return channel == 0 ? 0.5 : 1.0;
    case CAPACITY_MUTED:
        return 0.0;
    default:
        return 1.0;
    }
}

// Frames after which what a bus plays comes out: its insert says that it delays, and does not.
static uint64_t delay_of(const struct capacity_mixer *mixer, uint32_t bus) {
    const bool waits = mixer->desk.feature == CAPACITY_LATE && bus > 0;
    return (waits ? mixer->desk.latency_frames : 0) +
           (mixer->limiter != NULL ? rcore_limiter_latency(mixer->limiter) : 0);
}

static double due(const struct capacity_mixer *mixer, uint32_t channel, uint64_t frame) {
    const uint64_t length = mixer->samples->scene.source_frames;
    double sum = 0.0;
    for (uint32_t bus = 0; bus < mixer->desk.buses; bus++) {
        const uint64_t place = (frame + length - delay_of(mixer, bus) % length) % length;
        sum += (double)layout_plane(mixer->samples, bus, channel)[place];
    }
    return sum * (double)mixer_sum * factor(mixer->desk, channel) / mixer->desk.buses;
}

double capacity_mixer_difference(const capacity_mixer_t *mixer) {
    const rcore_counters_t counters = rcore_read_counters(mixer->core);
    if (counters.playing_voices != mixer->desk.buses || counters.nonfinite_samples != 0 || mixer->time == 0) {
        return INFINITY;
    }
    const bool everywhere = mixer->desk.feature == CAPACITY_ROUTES, limits = mixer->desk.feature == CAPACITY_LIMITING;
    double difference = 0.0, greatest = 0.0;
    for (uint32_t output = 0; output < mixer->outputs.count; output++) {
        const uint32_t channel = output % mixer->desk.channels;
        const bool fed = output == channel || everywhere;
        for (uint32_t i = 0; i < mixer->desk.frames; i++) {
            const double sample = (double)mixer->outputs.channel[output][i];
            const double wanted = fed ? due(mixer, channel, mixer->time - mixer->desk.frames + i) : 0.0;
            greatest = fmax(greatest, fabs(wanted));
            difference = fmax(difference, limits ? fabs(sample) - (double)mixer_ceiling : fabs(sample - wanted));
        }
    }
    const bool silent = mixer->desk.feature == CAPACITY_MUTED;
    return silent ? difference : greatest > 0.0 ? difference / greatest : INFINITY;
}
