#define _GNU_SOURCE
/// SDL: on its JACK driver if the build has one, otherwise through ALSA's plugin for JACK, which it
/// reports. `--way queue`: SDL_QueueAudio; otherwise a callback that copies a sound once a flag is
/// set.
#include "peer_protocol.h"

#include <SDL2/SDL.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHANNELS = 2 };

static SDL_AudioDeviceID output, input;
static bool queues;
static peer_task_t task;

// Passes samples from the capture callback to the playback callback, which SDL runs on two threads:
// a ring between one writer and one reader.
enum { CAPACITY = 1 << 15 };

static float ring[CAPACITY];
static atomic_uint written, taken;

/// Writes samples. Samples without room are lost.
static void through_write(const float *samples, uint32_t count) {
    unsigned begin = atomic_load_explicit(&written, memory_order_relaxed);
    unsigned room = CAPACITY - (begin - atomic_load_explicit(&taken, memory_order_acquire));
    unsigned end = begin + (count < room ? count : room);
    for (unsigned i = begin; i != end; i++) {
        ring[i % CAPACITY] = *samples++;
    }
    atomic_store_explicit(&written, end, memory_order_release);
}

/// Reads all waiting samples, followed by silence.
static void through_read(float *samples, uint32_t count) {
    unsigned begin = atomic_load_explicit(&taken, memory_order_relaxed);
    unsigned there = atomic_load_explicit(&written, memory_order_acquire) - begin;
    for (uint32_t i = 0; i < count; i++) {
        samples[i] = i < there ? ring[(begin + i) % CAPACITY] : 0;
    }
    atomic_store_explicit(&taken, begin + (there < count ? there : count), memory_order_release);
}

static void render(void *argument, Uint8 *bytes, int length) {
    (void)argument;
    uint32_t nframes = (uint32_t)length / (CHANNELS * sizeof(float));
    if (task == PEER_THROUGH) {
        through_read((float *)(void *)bytes, nframes * CHANNELS);
    } else {
        peer_fill((float *)(void *)bytes, nframes, CHANNELS);
    }
}

static void capture(void *argument, Uint8 *bytes, int length) {
    (void)argument;
    through_write((const float *)(const void *)bytes, (uint32_t)length / sizeof(float));
}

static void close_stream(void) {
    if (input) {
        SDL_CloseAudioDevice(input);
    }
    if (output) {
        SDL_CloseAudioDevice(output);
    }
    input = output = 0;
    SDL_QuitSubSystem(SDL_INIT_AUDIO);
}

static bool refuse(const char *call) {
    peer_fail("%s: %s", call, SDL_GetError());
    close_stream();
    return false;
}

/// Returns the name of the driver, or NULL if it cannot connect to a server.
static const char *choose_driver(void) {
    setenv("SDL_AUDIODRIVER", "jack", 1);
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) == 0) {
        return "JACK";
    }
    peer_notice(SDL_GetError());
    setenv("SDL_AUDIODRIVER", "alsa", 1);
    return SDL_InitSubSystem(SDL_INIT_AUDIO) == 0 ? "ALSA's plugin for JACK" : NULL;
}

static bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    task = options->task;
    queues = strcmp(options->way, "queue") == 0;
    const char *backend = choose_driver();
    if (backend == NULL) {
        return refuse("SDL_InitSubSystem");
    }
    SDL_AudioSpec wanted = {.freq = (int)options->rate,
                            .format = AUDIO_F32SYS,
                            .channels = CHANNELS,
                            .samples = (Uint16)options->period,
                            .callback = queues ? NULL : render};
    SDL_AudioSpec obtained;
    output = SDL_OpenAudioDevice(NULL, 0, &wanted, &obtained, SDL_AUDIO_ALLOW_SAMPLES_CHANGE);
    if (!output) {
        return refuse("SDL_OpenAudioDevice");
    }
    if (task == PEER_THROUGH) {
        wanted.callback = capture;
        input = SDL_OpenAudioDevice(NULL, 1, &wanted, &obtained, SDL_AUDIO_ALLOW_SAMPLES_CHANGE);
        if (!input) {
            return refuse("SDL_OpenAudioDevice for capture");
        }
        SDL_PauseAudioDevice(input, 0);
    }
    SDL_PauseAudioDevice(output, 0);
    SDL_version version;
    SDL_GetVersion(&version);
    char library[64];
    snprintf(library, sizeof library, "SDL %d.%d.%d", version.major, version.minor, version.patch);
    peer_describe(opened, library, backend);
    opened->rate = (uint32_t)obtained.freq;
    opened->period = obtained.samples;
    return true;
}

static void play(void) {
    if (!queues) {
        peer_trigger();
        return;
    }
    float samples[PEER_SOUND_FRAMES * CHANNELS];
    for (int i = 0; i < PEER_SOUND_FRAMES * CHANNELS; i++) {
        samples[i] = PEER_SOUND_LEVEL;
    }
    SDL_QueueAudio(output, samples, sizeof samples);
}

static bool is_running(void) { return SDL_GetAudioDeviceStatus(output) == SDL_AUDIO_PLAYING; }

int main(int argc, char **argv) {
    return peer_run(argc, argv,
                    &(peer_t){.open = open_stream, .play = play, .is_running = is_running, .close = close_stream});
}
