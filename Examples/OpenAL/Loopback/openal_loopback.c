#define AL_ALEXT_PROTOTYPES
#include "openal_loopback.h"

#include "openal_context.h"

#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>

struct openal_loopback {
    uint32_t channels;
    /// Guards the members below, and is held while OpenAL renders.
    pthread_mutex_t lock;
    /// NULL once closed.
    ALCdevice *device;
    ALCcontext *context;
    bool is_paused;
    /// Whether the pause set the current context to NULL.
    bool was_current;
    uint64_t frames;
};

const char *openal_status_text(openal_status_t status) {
    switch (status) {
    case OPENAL_OK:
        return "no error";
    case OPENAL_NO_LOOPBACK:
        return "this OpenAL has no loopback device (ALC_SOFT_loopback); use OpenAL Soft 1.14 or newer";
    case OPENAL_NO_DEVICE:
        return "OpenAL cannot open its loopback device";
    case OPENAL_UNSUPPORTED_FORMAT:
        return "OpenAL cannot render this format; valid: 1, 2, 4, 6 or 8 channels at 8,000 Hz or more";
    case OPENAL_CONTEXT_FAILED:
        return "OpenAL cannot create the context or make it current";
    case OPENAL_DEVICE_FAILED:
        return "the OpenAL device failed";
    case OPENAL_NOT_CURRENT:
        return "the OpenAL context is not current; resume it first";
    case OPENAL_CLOSED:
        return "the OpenAL context has been closed";
    case OPENAL_SOURCE_FAILED:
        return "OpenAL refused a source or its samples";
    case OPENAL_OUT_OF_MEMORY:
        return "out of memory";
    }
    return "unknown status";
}

/// Returns OpenAL's constant for a channel count; 0 if there is none.
static ALCint layout_of(uint32_t channels) {
    switch (channels) {
    case 1:
        return ALC_MONO_SOFT;
    case 2:
        return ALC_STEREO_SOFT;
    case 4:
        return ALC_QUAD_SOFT;
    case 6:
        return ALC_5POINT1_SOFT;
    case 8:
        return ALC_7POINT1_SOFT;
    default:
        return 0;
    }
}

static openal_status_t open_device(openal_loopback_t *loopback, uint32_t sample_rate, bool hrtf) {
    if (!alcIsExtensionPresent(NULL, "ALC_SOFT_loopback")) {
        return OPENAL_NO_LOOPBACK;
    }
    loopback->device = alcLoopbackOpenDeviceSOFT(NULL);
    if (loopback->device == NULL) {
        return OPENAL_NO_DEVICE;
    }
    const ALCint layout = layout_of(loopback->channels);
    if (layout == 0 || sample_rate > INT_MAX ||
        !alcIsRenderFormatSupportedSOFT(loopback->device, (ALCsizei)sample_rate, layout, ALC_FLOAT_SOFT)) {
        return OPENAL_UNSUPPORTED_FORMAT;
    }
    const ALCint attributes[] = {
        ALC_FORMAT_CHANNELS_SOFT,
        layout,
        ALC_FORMAT_TYPE_SOFT,
        ALC_FLOAT_SOFT,
        ALC_FREQUENCY,
        (ALCint)sample_rate,
        ALC_HRTF_SOFT,
        hrtf ? ALC_TRUE : ALC_FALSE,
        ALC_OUTPUT_LIMITER_SOFT,
        ALC_FALSE, // the session mixes in float
        0,
    };
    loopback->context = alcCreateContext(loopback->device, attributes);
    return loopback->context != NULL && alcMakeContextCurrent(loopback->context) ? OPENAL_OK : OPENAL_CONTEXT_FAILED;
}

openal_loopback_t *openal_loopback_open(uint32_t channels, uint32_t sample_rate, bool hrtf, openal_status_t *status) {
    openal_loopback_t *loopback = calloc(1, sizeof *loopback);
    if (loopback == NULL || pthread_mutex_init(&loopback->lock, NULL) != 0) {
        free(loopback);
        *status = OPENAL_OUT_OF_MEMORY;
        return NULL;
    }
    loopback->channels = channels;
    *status = open_device(loopback, sample_rate, hrtf);
    if (*status != OPENAL_OK) {
        openal_loopback_destroy(loopback);
        return NULL;
    }
    return loopback;
}

openal_status_t openal_loopback_close(openal_loopback_t *loopback) {
    openal_status_t status = OPENAL_OK;
    pthread_mutex_lock(&loopback->lock);
    if (loopback->context != NULL) {
        if (alcGetCurrentContext() == loopback->context && !alcMakeContextCurrent(NULL)) {
            status = OPENAL_CONTEXT_FAILED;
        }
        alcDestroyContext(loopback->context);
    }
    if (loopback->device != NULL && !alcCloseDevice(loopback->device)) {
        status = OPENAL_DEVICE_FAILED;
    }
    loopback->context = NULL;
    loopback->device = NULL;
    loopback->is_paused = true;
    pthread_mutex_unlock(&loopback->lock);
    return status;
}

void openal_loopback_destroy(openal_loopback_t *loopback) {
    if (loopback != NULL) {
        openal_loopback_close(loopback);
        pthread_mutex_destroy(&loopback->lock);
        free(loopback);
    }
}

openal_status_t openal_loopback_render(openal_loopback_t *loopback, float *frames, uint32_t nframes,
                                       uint32_t *rendered) {
    openal_status_t status = OPENAL_OK;
    *rendered = 0;
    pthread_mutex_lock(&loopback->lock);
    // OpenAL renders a context whether it is current or not: pausing also needs this.
    if (!loopback->is_paused && nframes > 0) {
        alcGetError(loopback->device); // clears earlier errors
        alcRenderSamplesSOFT(loopback->device, frames, (ALCsizei)nframes);
        if (alcGetError(loopback->device) == ALC_NO_ERROR) {
            *rendered = nframes;
            loopback->frames += nframes;
        } else {
            status = OPENAL_DEVICE_FAILED;
        }
    }
    pthread_mutex_unlock(&loopback->lock);
    return status;
}

openal_status_t openal_loopback_pause(openal_loopback_t *loopback) {
    openal_status_t status = OPENAL_OK;
    pthread_mutex_lock(&loopback->lock);
    if (!loopback->is_paused) {
        loopback->was_current = alcGetCurrentContext() == loopback->context;
        if (loopback->was_current && !alcMakeContextCurrent(NULL)) {
            status = OPENAL_CONTEXT_FAILED;
        }
        loopback->is_paused = true;
    }
    pthread_mutex_unlock(&loopback->lock);
    return status;
}

openal_status_t openal_loopback_resume(openal_loopback_t *loopback) {
    openal_status_t status = OPENAL_OK;
    pthread_mutex_lock(&loopback->lock);
    if (loopback->context == NULL) {
        status = OPENAL_CLOSED;
    } else if (loopback->is_paused) {
        const bool restores = loopback->was_current && alcGetCurrentContext() == NULL;
        if (restores && !alcMakeContextCurrent(loopback->context)) {
            status = OPENAL_CONTEXT_FAILED;
        } else {
            loopback->is_paused = false;
        }
    }
    pthread_mutex_unlock(&loopback->lock);
    return status;
}

bool openal_loopback_is_paused(openal_loopback_t *loopback) {
    pthread_mutex_lock(&loopback->lock);
    const bool is_paused = loopback->is_paused;
    pthread_mutex_unlock(&loopback->lock);
    return is_paused;
}

bool openal_loopback_is_current(openal_loopback_t *loopback) {
    ALCcontext *const context = openal_loopback_context(loopback);
    return context != NULL && alcGetCurrentContext() == context;
}

uint64_t openal_loopback_frames(openal_loopback_t *loopback) {
    pthread_mutex_lock(&loopback->lock);
    const uint64_t frames = loopback->frames;
    pthread_mutex_unlock(&loopback->lock);
    return frames;
}

struct ALCcontext_struct *openal_loopback_context(openal_loopback_t *loopback) {
    pthread_mutex_lock(&loopback->lock);
    ALCcontext *const context = loopback->context;
    pthread_mutex_unlock(&loopback->lock);
    return context;
}
