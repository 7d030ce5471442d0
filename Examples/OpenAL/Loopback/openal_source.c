#define AL_ALEXT_PROTOTYPES
#include "openal_source.h"

#include "openal_context.h"

#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <limits.h>

openal_status_t openal_source_play(openal_loopback_t *loopback, const float *samples, uint32_t channels,
                                   uint32_t nframes, uint32_t sample_rate, uint32_t *source) {
    if (!openal_loopback_is_current(loopback)) {
        return OPENAL_NOT_CURRENT;
    }
    const uint64_t bytes = (uint64_t)nframes * channels * sizeof(float);
    if (channels < 1 || channels > 2 || bytes > INT_MAX || sample_rate > INT_MAX) {
        return OPENAL_SOURCE_FAILED;
    }
    ALuint buffer = 0;
    *source = 0;
    alGetError(); // clears earlier errors
    alGenBuffers(1, &buffer);
    alBufferData(buffer, channels == 1 ? AL_FORMAT_MONO_FLOAT32 : AL_FORMAT_STEREO_FLOAT32, samples, (ALsizei)bytes,
                 (ALsizei)sample_rate);
    alGenSources(1, source);
    alSourcei(*source, AL_BUFFER, (ALint)buffer);
    alSourcei(*source, AL_LOOPING, AL_TRUE);
    alSourcei(*source, AL_DIRECT_CHANNELS_SOFT, channels == 2 ? AL_TRUE : AL_FALSE);
    alSourcePlay(*source);
    if (alGetError() == AL_NO_ERROR) {
        return OPENAL_OK; // the device deletes both when it is closed
    }
    alDeleteSources(1, source);
    alDeleteBuffers(1, &buffer);
    return OPENAL_SOURCE_FAILED;
}

openal_status_t openal_source_move(openal_loopback_t *loopback, uint32_t source, float x, float y, float z) {
    if (!openal_loopback_is_current(loopback)) {
        return OPENAL_NOT_CURRENT;
    }
    alGetError();
    alSource3f(source, AL_POSITION, x, y, z);
    return alGetError() == AL_NO_ERROR ? OPENAL_OK : OPENAL_SOURCE_FAILED;
}

openal_status_t openal_source_offset(openal_loopback_t *loopback, uint32_t source, uint32_t *frame) {
    ALCcontext *const context = openal_loopback_context(loopback);
    if (context == NULL) {
        return OPENAL_CLOSED;
    }
    // The context of a thread takes precedence over that of the process, which may be NULL.
    ALCcontext *const previous = alcGetThreadContext();
    if (!alcSetThreadContext(context)) {
        return OPENAL_CONTEXT_FAILED;
    }
    ALint offset = 0;
    alGetError();
    alGetSourcei(source, AL_SAMPLE_OFFSET, &offset);
    const ALenum error = alGetError();
    alcSetThreadContext(previous);
    *frame = (uint32_t)offset;
    return error == AL_NO_ERROR ? OPENAL_OK : OPENAL_SOURCE_FAILED;
}
