// Plain C loops that the compiler vectorises.
//
// The value of a ramp at frame i is counted back from its end, target - step * (last - i), as in
// ramp.h. So the result has the same bits wherever a period is divided.
#include "mix/mix.h"

#include "core/multiversion.h"

MULTIVERSION static void constant_one(float *restrict target, const float *restrict source, float gain,
                                      uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * gain;
    }
}

MULTIVERSION static void constant_two(float *restrict first, float *restrict second, const float *restrict source,
                                      float first_gain, float second_gain, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        first[i] += source[i] * first_gain;
        second[i] += source[i] * second_gain;
    }
}

MULTIVERSION static void ramp_one(float *restrict target, const float *restrict source, float end, float step,
                                  float last, float gain, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * (end - step * (last - (float)(int32_t)i)) * gain;
    }
}

MULTIVERSION static void ramp_two(float *restrict first, float *restrict second, const float *restrict source,
                                  float end, float step, float last, float first_gain, float second_gain,
                                  uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float value = source[i] * (end - step * (last - (float)(int32_t)i));
        first[i] += value * first_gain;
        second[i] += value * second_gain;
    }
}

MULTIVERSION static void envelope_one(float *restrict target, const float *restrict source,
                                      const float *restrict envelope, float gain, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * (envelope[i] * gain);
    }
}

void mix_one(float *restrict target, const float *restrict source, const struct scaling *scaling, float path,
             uint32_t nframes) RCORE_RT {
    const float gain = scaling->gain * path;
    if (gain == 0.0f) {
        return;
    }
    if (scaling->envelope != NULL) {
        envelope_one(target, source, scaling->envelope, gain, nframes);
    } else if (scaling->ramp.remaining > 0) {
        const struct ramp *ramp = &scaling->ramp;
        ramp_one(target, source, ramp->target, ramp->step, (float)ramp->remaining - 1.0f, gain, nframes);
    } else {
        constant_one(target, source, gain, nframes);
    }
}

MULTIVERSION void mix_channels(float *restrict targets, const float *restrict sources, size_t stride, uint32_t channels,
                               float gain, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < channels; channel++) {
        float *restrict target = targets + channel * stride;
        const float *restrict source = sources + channel * stride;
        for (uint32_t i = 0; i < nframes; i++) {
            target[i] += source[i] * gain;
        }
    }
}

// Adds 0.0f to each product: one that underflows to -0.0 becomes +0.0, exactly as when mix_channels
// adds it to a cleared target.
MULTIVERSION void mix_channels_first(float *restrict targets, const float *restrict sources, size_t stride,
                                     uint32_t channels, float gain, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < channels; channel++) {
        float *restrict target = targets + channel * stride;
        const float *restrict source = sources + channel * stride;
        for (uint32_t i = 0; i < nframes; i++) {
            target[i] = 0.0f + source[i] * gain;
        }
    }
}

void mix_two(float *restrict first, float *restrict second, const float *restrict source, const struct scaling *scaling,
             const float paths[2], uint32_t nframes) RCORE_RT {
    const float gains[2] = {scaling->gain * paths[0], scaling->gain * paths[1]};
    if (scaling->envelope != NULL || gains[0] == 0.0f || gains[1] == 0.0f) {
        mix_one(first, source, scaling, paths[0], nframes);
        mix_one(second, source, scaling, paths[1], nframes);
    } else if (scaling->ramp.remaining > 0) {
        const struct ramp *ramp = &scaling->ramp;
        ramp_two(first, second, source, ramp->target, ramp->step, (float)ramp->remaining - 1.0f, gains[0], gains[1],
                 nframes);
    } else {
        constant_two(first, second, source, gains[0], gains[1], nframes);
    }
}

// ---- Moving paths -------------------------------------------------------------------------------

MULTIVERSION static void moving_one(float *restrict target, const float *restrict source, struct path gain,
                                    struct path path, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float frame = (float)(int32_t)i;
        target[i] +=
            source[i] * (gain.end - gain.step * (gain.last - frame)) * (path.end - path.step * (path.last - frame));
    }
}

MULTIVERSION static void moving_two(float *restrict first, float *restrict second, const float *restrict source,
                                    struct path gain, struct path left, struct path right, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        const float frame = (float)(int32_t)i;
        const float value = source[i] * (gain.end - gain.step * (gain.last - frame));
        first[i] += value * (left.end - left.step * (left.last - frame));
        second[i] += value * (right.end - right.step * (right.last - frame));
    }
}

MULTIVERSION static void moving_envelope(float *restrict target, const float *restrict source,
                                         const float *restrict envelope, float gain, struct path path,
                                         uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * (envelope[i] * gain * (path.end - path.step * (path.last - (float)(int32_t)i)));
    }
}

// Converts a scaling without an envelope to a path. A constant gain becomes a path with step 0.
static struct path gain_path(const struct scaling *scaling) RCORE_RT {
    const struct ramp *ramp = &scaling->ramp;
    return ramp->remaining == 0
               ? (struct path){scaling->gain, 0.0f, 0.0f}
               : (struct path){ramp->target * scaling->gain, ramp->step * scaling->gain, (float)ramp->remaining - 1.0f};
}

void mix_one_moving(float *restrict target, const float *restrict source, const struct scaling *scaling,
                    const struct path *path, uint32_t nframes) RCORE_RT {
    if (scaling->envelope != NULL) {
        moving_envelope(target, source, scaling->envelope, scaling->gain, *path, nframes);
    } else {
        moving_one(target, source, gain_path(scaling), *path, nframes);
    }
}

void mix_two_moving(float *restrict first, float *restrict second, const float *restrict source,
                    const struct scaling *scaling, const struct path paths[2], uint32_t nframes) RCORE_RT {
    if (scaling->envelope != NULL) {
        moving_envelope(first, source, scaling->envelope, scaling->gain, paths[0], nframes);
        moving_envelope(second, source, scaling->envelope, scaling->gain, paths[1], nframes);
    } else {
        moving_two(first, second, source, gain_path(scaling), paths[0], paths[1], nframes);
    }
}
