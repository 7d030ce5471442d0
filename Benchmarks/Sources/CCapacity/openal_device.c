// For mkstemp and setenv, which C17 alone does not declare.
#define _GNU_SOURCE
#include "openal_device.h"

#include "capacity.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char failure[200] = "nothing failed";
static char version[64] = "OpenAL Soft";

const char *capacity_openal_failure(void) { return failure; }
const char *capacity_openal_version(void) { return version; }

bool openal_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(failure, sizeof failure, format, arguments);
    va_end(arguments);
    return false;
}

bool openal_succeeded(const char *doing) {
    const ALenum error = alGetError();
    return error == AL_NO_ERROR || openal_fail("%s failed: %s", doing, alGetString(error));
}

// Disables options of the user's own configuration that would distort the comparison: OpenAL reads
// this file last. Must run before the library's first call.
static void configure_once(void) {
    static const char text[] =
        "[general]\nhrtf = false\nstereo-encoding = panpot\ncf_level = 0\noutput-limiter = false\n"
        "dither = false\n";
    static bool done = false;
    char path[] = "/tmp/capacity-openal-XXXXXX";
    if (done) {
        return;
    }
    done = true;
    const int file = mkstemp(path);
    if (file < 0) {
        return; // the attributes below disable the most important options
    }
    if (write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1)) {
        setenv("ALSOFT_CONF", path, 1);
        (void)alcIsExtensionPresent(NULL, "ALC_SOFT_loopback"); // reads the file
    }
    close(file);
    unlink(path);
}

// "1.1 ALSOFT 1.19.1"
static void keep_version(void) {
    const char *text = alGetString(AL_VERSION);
    const char *number = text != NULL ? strrchr(text, ' ') : NULL;
    (void)snprintf(version, sizeof version, "OpenAL Soft%s", number != NULL ? number : "");
}

bool openal_device_open(struct openal_device *device, uint32_t sources) {
    configure_once();
    const ALCint attributes[] = {
        ALC_FORMAT_CHANNELS_SOFT,
        ALC_STEREO_SOFT,
        ALC_FORMAT_TYPE_SOFT,
        ALC_FLOAT_SOFT,
        ALC_FREQUENCY,
        openal_rate,
        ALC_MONO_SOURCES,
        (ALCint)sources,
        ALC_STEREO_SOURCES,
        (ALCint)sources,
        ALC_MAX_AUXILIARY_SENDS,
        0,
        ALC_HRTF_SOFT,
        ALC_FALSE,
        ALC_OUTPUT_LIMITER_SOFT,
        ALC_FALSE,
        0,
    };
    *device = (struct openal_device){0};
    if (!alcIsExtensionPresent(NULL, "ALC_SOFT_loopback")) {
        return openal_fail("this OpenAL has no loopback device (ALC_SOFT_loopback)");
    }
    device->device = alcLoopbackOpenDeviceSOFT(NULL);
    device->context = device->device != NULL ? alcCreateContext(device->device, attributes) : NULL;
    if (device->context == NULL || !alcMakeContextCurrent(device->context)) {
        openal_device_close(device);
        return openal_fail("cannot open a stereo float loopback device for %u sources", sources);
    }
    keep_version();
    alDistanceModel(AL_NONE);
    alDopplerFactor(0.0f);
    ALCint hrtf = ALC_TRUE;
    alcGetIntegerv(device->device, ALC_HRTF_SOFT, 1, &hrtf);
    if (hrtf != ALC_FALSE || !alIsExtensionPresent("AL_EXT_FLOAT32")) {
        openal_device_close(device);
        return openal_fail("OpenAL forces HRTF or does not support float samples");
    }
    return true;
}

void openal_device_close(struct openal_device *device) {
    alcMakeContextCurrent(NULL);
    if (device->context != NULL) {
        alcDestroyContext(device->context);
    }
    if (device->device != NULL) {
        alcCloseDevice(device->device);
    }
    *device = (struct openal_device){0};
}
