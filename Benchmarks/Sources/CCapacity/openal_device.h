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

/// Opens a stereo float device for `sources` sources, and makes its context current. On failure
/// records the reason and returns false.
bool openal_device_open(struct openal_device *device, uint32_t sources);
/// Closes the device. All sources and buffers of its context must have been deleted.
void openal_device_close(struct openal_device *device);

/// Returns whether no call has failed since the last call of this function. On failure records the
/// reason, with `doing` as the operation.
bool openal_succeeded(const char *doing);
/// Records a reason for `capacity_openal_failure`. Returns false.
bool openal_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
