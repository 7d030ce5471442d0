#include "kernel.h"

// The widest instructions of the machine, chosen when the program starts.
#if defined(__x86_64__) && defined(__clang__)
#define WIDEST __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define WIDEST
#endif

enum { line = 16 }; // floats in a cache line

WIDEST void bare_mix(float *restrict left, float *restrict right, const struct bare_voice *voice, uint32_t nframes) {
    const float *restrict samples = voice->samples;
    for (uint32_t i = 0; i < nframes; i += line) {
        __builtin_prefetch(voice->prefetch + i);
    }
    if (voice->left_step == 0.0f && voice->right_step == 0.0f) {
        for (uint32_t i = 0; i < nframes; i++) {
            left[i] += samples[i] * voice->left;
            right[i] += samples[i] * voice->right;
        }
    } else {
        for (uint32_t i = 0; i < nframes; i++) {
            left[i] += samples[i] * (voice->left + voice->left_step * (float)(int32_t)i);
            right[i] += samples[i] * (voice->right + voice->right_step * (float)(int32_t)i);
        }
    }
}
