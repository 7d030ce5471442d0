#define _GNU_SOURCE
/// OpenAL Soft on its JACK backend: a mixer that plays a source on request.
#include "peer_protocol.h"

#include <AL/al.h>
#include <AL/alc.h>
#include <AL/alext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ALC_CONNECTED
#define ALC_CONNECTED 0x313
#endif

static ALCdevice *device;
static ALCcontext *context;
static ALuint source, buffer;

static void close_stream(void) {
    alcMakeContextCurrent(NULL);
    if (context != NULL) {
        alcDestroyContext(context);
    }
    if (device != NULL) {
        alcCloseDevice(device);
    }
    context = NULL;
    device = NULL;
}

static bool refuse(const char *what) {
    peer_fail("%s", what);
    close_stream();
    return false;
}

/// Loads the buffer. The count must come out unchanged: both channels as they are, repeatedly. The
/// sound is like a game's: one channel, in the centre.
static bool load(const peer_options_t *options) {
    bool counts = options->task == PEER_COUNT;
    size_t nsamples = counts ? 2 * PEER_COUNT_LENGTH : PEER_SOUND_FRAMES;
    float *samples = malloc(nsamples * sizeof *samples);
    if (samples == NULL) {
        return false;
    }
    for (size_t i = 0; i < nsamples; i++) {
        samples[i] = counts ? peer_count_sample((uint32_t)(i / 2)) : PEER_SOUND_LEVEL;
    }
    alGenBuffers(1, &buffer);
    alBufferData(buffer, counts ? AL_FORMAT_STEREO_FLOAT32 : AL_FORMAT_MONO_FLOAT32, samples,
                 (ALsizei)(nsamples * sizeof *samples), (ALsizei)options->rate);
    free(samples);
    alGenSources(1, &source);
    alSourcei(source, AL_BUFFER, (ALint)buffer);
    alSourcei(source, AL_LOOPING, counts);
    if (counts) {
        alSourcei(source, AL_DIRECT_CHANNELS_SOFT, AL_TRUE);
    }
    if (counts) {
        alSourcePlay(source);
    }
    return alGetError() == AL_NO_ERROR;
}

static bool open_through(ALCuint rate) {
    ALCdevice *capture = alcCaptureOpenDevice(NULL, rate, AL_FORMAT_STEREO_FLOAT32, (ALCsizei)rate);
    if (capture == NULL) {
        return refuse("alcCaptureOpenDevice finds no device: its JACK backend only plays");
    }
    alcCaptureCloseDevice(capture);
    return refuse("a capture device was found; this program does not use it");
}

static bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    setenv("ALSOFT_DRIVERS", "jack", 1);
    if (options->task == PEER_THROUGH) {
        return open_through(options->rate);
    }
    device = alcOpenDevice(NULL);
    if (device == NULL) {
        return refuse("alcOpenDevice finds no device with ALSOFT_DRIVERS=jack");
    }
    context = alcCreateContext(device, (const ALCint[]){ALC_FREQUENCY, (ALCint)options->rate, 0});
    if (context == NULL || !alcMakeContextCurrent(context)) {
        return refuse("cannot create a context");
    }
    if (!load(options)) {
        return refuse("cannot load the sound");
    }
    ALCint rate = 0;
    alcGetIntegerv(device, ALC_FREQUENCY, 1, &rate);
    // "1.1 ALSOFT 1.19.1": the versions of the standard and of the library.
    const char *version = strrchr(alGetString(AL_VERSION), ' ');
    char library[64];
    snprintf(library, sizeof library, "OpenAL Soft%s", version != NULL ? version : "");
    peer_describe(opened, library, "JACK");
    opened->rate = (uint32_t)rate;
    return true;
}

static void play(void) { alSourcePlay(source); }

static bool is_running(void) {
    ALCint connected = 0;
    if (device != NULL) {
        alcGetIntegerv(device, ALC_CONNECTED, 1, &connected);
    }
    return connected;
}

int main(int argc, char **argv) {
    return peer_run(argc, argv,
                    &(peer_t){.open = open_stream, .play = play, .is_running = is_running, .close = close_stream});
}
