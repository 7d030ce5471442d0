// The inner loops. Plain C that the compiler turns into vectors.
#include "core.h"

void mix_constant(float *restrict target, const float *restrict source, float gain, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * gain;
    }
}

void mix_envelope(float *restrict target, const float *restrict source, const float *restrict envelope, float gain,
                  uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        target[i] += source[i] * (envelope[i] * gain);
    }
}
