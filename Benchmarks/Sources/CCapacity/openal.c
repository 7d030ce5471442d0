// For strcasestr, which C17 alone does not declare.
#define _GNU_SOURCE
#include "layout.h"
#include "openal_device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct capacity_openal {
    capacity_scene_t scene;
    struct openal_device device;
    ALuint *buffers;
    ALuint *sources;
    bool made_buffers, made_sources;
    uint64_t cycle;
    float *interleaved;
    float *output[2];
    float gains[2][pans];
};

// ---- Sources ------------------------------------------------------------------------------------

// Places a source in front of the listener, on a circle of radius 1: only the direction matters.
static void set_position(ALuint source, uint32_t voice) {
    const float pan = layout_pan(voice);
    alSourcei(source, AL_SOURCE_RELATIVE, AL_TRUE);
    alSource3f(source, AL_POSITION, pan, 0.0f, -sqrtf(1.0f - pan * pan));
}

static bool choose_cubic(ALuint source) {
    const ALint count = alIsExtensionPresent("AL_SOFT_source_resampler") ? alGetInteger(AL_NUM_RESAMPLERS_SOFT) : 0;
    for (ALint i = 0; i < count; i++) {
        const char *name = alGetStringiSOFT(AL_RESAMPLER_NAME_SOFT, i);
        if (name != NULL && strcasestr(name, "cubic") != NULL) {
            alSourcei(source, AL_SOURCE_RESAMPLER_SOFT, i);
            return true;
        }
    }
    return openal_fail("this OpenAL has no cubic resampler to choose");
}

static bool make_buffers(struct capacity_openal *openal, const capacity_samples_t *samples) {
    const capacity_scene_t scene = openal->scene;
    const uint32_t channels = scene.channels;
    const size_t bytes = (size_t)scene.source_frames * channels * sizeof(float);
    float *frames = malloc(bytes);
    openal->buffers = calloc(scene.sources, sizeof *openal->buffers);
    if (frames == NULL || openal->buffers == NULL) {
        free(frames);
        return openal_fail("out of memory");
    }
    alGenBuffers((ALsizei)scene.sources, openal->buffers);
    openal->made_buffers = openal_succeeded("making buffers");
    for (uint32_t source = 0; openal->made_buffers && source < scene.sources; source++) {
        for (uint32_t channel = 0; channel < channels; channel++) {
            const float *plane = layout_plane(samples, source, channel);
            for (size_t i = 0; i < scene.source_frames; i++) {
                frames[i * channels + channel] = plane[i];
            }
        }
        alBufferData(openal->buffers[source], channels == 2 ? AL_FORMAT_STEREO_FLOAT32 : AL_FORMAT_MONO_FLOAT32, frames,
                     (ALsizei)bytes, openal_rate);
    }
    free(frames);
    return openal->made_buffers && openal_succeeded("filling buffers");
}

static bool make_sources(struct capacity_openal *openal) {
    const capacity_scene_t scene = openal->scene;
    openal->sources = calloc(scene.voices, sizeof *openal->sources);
    if (openal->sources == NULL) {
        return openal_fail("out of memory");
    }
    alGenSources((ALsizei)scene.voices, openal->sources);
    openal->made_sources = openal_succeeded("making sources");
    for (uint32_t i = 0; openal->made_sources && i < scene.voices; i++) {
        const ALuint source = openal->sources[i];
        alSourcei(source, AL_BUFFER, (ALint)openal->buffers[i % scene.sources]);
        alSourcei(source, AL_LOOPING, AL_TRUE);
        alSourcef(source, AL_PITCH, layout_speed(scene, i));
        if (scene.channels == 2) {
            alSourcei(source, AL_DIRECT_CHANNELS_SOFT, AL_TRUE);
        } else {
            set_position(source, i);
        }
        if (scene.pitched && !choose_cubic(source)) {
            return false;
        }
    }
    if (!openal->made_sources || !openal_succeeded("setting sources up")) {
        return false;
    }
    alSourcePlayv((ALsizei)scene.voices, openal->sources);
    return openal_succeeded("playing all sources");
}

// ---- Pan law ------------------------------------------------------------------------------------

// The output of a source that is 1 throughout is its gain.
static bool measure_gains(struct capacity_openal *openal) {
    enum { nframes = 256 };
    float ones[nframes], out[2 * nframes];
    struct openal_device device;
    ALuint buffer = 0, source = 0;
    if (!openal_device_open(&device, 1)) {
        return false;
    }
    for (unsigned i = 0; i < nframes; i++) {
        ones[i] = 1.0f;
    }
    alGenBuffers(1, &buffer);
    alBufferData(buffer, AL_FORMAT_MONO_FLOAT32, ones, sizeof ones, openal_rate);
    alGenSources(1, &source);
    alSourcei(source, AL_BUFFER, (ALint)buffer);
    alSourcei(source, AL_LOOPING, AL_TRUE);
    alSourcePlay(source);
    for (uint32_t i = 0; i < pans; i++) {
        set_position(source, i);
        alcRenderSamplesSOFT(device.device, out, nframes); // the gain still moves
        alcRenderSamplesSOFT(device.device, out, nframes);
        openal->gains[0][i] = out[2 * nframes - 2];
        openal->gains[1][i] = out[2 * nframes - 1];
    }
    const bool measured = openal_succeeded("measuring pan gains");
    alDeleteSources(1, &source);
    alDeleteBuffers(1, &buffer);
    openal_device_close(&device);
    return measured;
}

// ---- The scene ----------------------------------------------------------------------------------

static bool make(struct capacity_openal *openal, const capacity_samples_t *samples) {
    const uint32_t nframes = openal->scene.frames;
    openal->interleaved = layout_output(2 * nframes);
    openal->output[0] = layout_output(nframes);
    openal->output[1] = layout_output(nframes);
    if (openal->interleaved == NULL || openal->output[0] == NULL || openal->output[1] == NULL) {
        return openal_fail("out of memory");
    }
    return measure_gains(openal) && openal_device_open(&openal->device, openal->scene.voices) &&
           make_buffers(openal, samples) && make_sources(openal);
}

capacity_openal_t *capacity_openal_create(capacity_scene_t scene, const capacity_samples_t *samples) {
    struct capacity_openal *openal = layout_in_range(scene) ? calloc(1, sizeof *openal) : NULL;
    if (openal == NULL) {
        (void)openal_fail("the scene is out of range");
        return NULL;
    }
    openal->scene = scene;
    if (!make(openal, samples)) {
        capacity_openal_destroy(openal);
        return NULL;
    }
    return openal;
}

void capacity_openal_destroy(capacity_openal_t *openal) {
    if (openal == NULL) {
        return;
    }
    if (openal->made_sources) {
        alDeleteSources((ALsizei)openal->scene.voices, openal->sources);
    }
    if (openal->made_buffers) {
        alDeleteBuffers((ALsizei)openal->scene.sources, openal->buffers);
    }
    if (openal->device.device != NULL) {
        openal_device_close(&openal->device);
    }
    free(openal->sources);
    free(openal->buffers);
    free(openal->interleaved);
    free(openal->output[0]);
    free(openal->output[1]);
    free(openal);
}

static void move_gains(struct capacity_openal *openal) {
    const float gain = layout_commanded_gain(openal->cycle);
    alDeferUpdatesSOFT();
    for (uint32_t i = 0; i < openal->scene.voices; i++) {
        alSourcef(openal->sources[i], AL_GAIN, gain);
    }
    alProcessUpdatesSOFT();
}

uint64_t capacity_openal_cycle(capacity_openal_t *openal) {
    if (openal->scene.motion != CAPACITY_FLAT) {
        move_gains(openal);
    }
    const uint64_t begun = layout_now();
    alcRenderSamplesSOFT(openal->device.device, openal->interleaved, (ALCsizei)openal->scene.frames);
    const uint64_t taken = layout_now() - begun;
    openal->cycle++;
    return taken;
}

// ---- Output -------------------------------------------------------------------------------------

bool capacity_openal_sound(const capacity_openal_t *openal) {
    for (uint32_t i = 0; i < openal->scene.voices; i++) {
        ALint state = AL_STOPPED;
        alGetSourcei(openal->sources[i], AL_SOURCE_STATE, &state);
        if (state != AL_PLAYING) {
            return openal_fail("source %u of %u is not playing", i, openal->scene.voices);
        }
    }
    return openal_succeeded("querying the sources' state");
}

const float *capacity_openal_output(capacity_openal_t *openal, uint32_t channel) {
    for (uint32_t i = 0; i < openal->scene.frames; i++) {
        openal->output[channel][i] = openal->interleaved[2 * i + channel];
    }
    return openal->output[channel];
}

const float *capacity_openal_gains(const capacity_openal_t *openal, uint32_t channel) { return openal->gains[channel]; }
