/// OpenAL's loopback device and its context.
#ifndef CAPACITY_OPENAL_DEVICE_H
#define CAPACITY_OPENAL_DEVICE_H

#define AL_ALEXT_PROTOTYPES
#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>

#include <stdbool.h>
#include <stdint.h>

struct openal_device {
    ALCdevice *device;
    ALCcontext *context;
};

enum { openal_rate = 48000 };

/// Opens a stereo float device for so many sources, and makes its context the current one. False, and why, when it cannot.
bool openal_device_open(struct openal_device *device, uint32_t sources);
/// Closes it; all sources and buffers of its context must be gone.
void openal_device_close(struct openal_device *device);

/// Whether no call has failed since the last one of this; else says so with these words.
bool openal_succeeded(const char *doing);
/// Keeps why something failed, for `capacity_openal_failure`; returns false.
bool openal_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
