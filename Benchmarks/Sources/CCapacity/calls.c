// The timed calls. For clock_gettime and mallinfo2, which C17 alone does not declare.
#define _GNU_SOURCE
#define AL_ALEXT_PROTOTYPES
#include "capacity.h"

#include <AL/alext.h>
#include <dlfcn.h>
#include <malloc.h>
#include <time.h>

uint64_t capacity_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

capacity_process_function capacity_load_process(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library == NULL ? NULL : (capacity_process_function)dlsym(library, "rcore_process");
}

uint64_t capacity_process(capacity_process_function process, rcore_t *core, float *const *outputs, uint32_t noutputs,
                          uint32_t nframes) {
    const uint64_t begun = capacity_now();
    process(core, NULL, 0, outputs, noutputs, nframes);
    return capacity_now() - begun;
}

uint64_t capacity_render(ALCdevice *device, float *interleaved, uint32_t nframes) {
    const uint64_t begun = capacity_now();
    alcRenderSamplesSOFT(device, interleaved, (ALCsizei)nframes);
    return capacity_now() - begun;
}

bool capacity_post(const capacity_gains_t *gains) {
    uint32_t voice = gains->first;
    for (uint32_t i = 0; i < gains->count; i++) {
        if (rcore_post_gain(gains->queue, gains->voices[voice], gains->gain, gains->ramp_frames, gains->when) !=
            RCORE_OK) {
            return false;
        }
        voice = voice + 1 < gains->nvoices ? voice + 1 : 0;
    }
    return true;
}

size_t capacity_allocated_bytes(void) {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}
