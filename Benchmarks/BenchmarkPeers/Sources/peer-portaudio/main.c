/// PortAudio on its JACK host API: a callback that copies a sound once a flag is set.
#include "peer_protocol.h"

#include <pa_jack.h>
#include <portaudio.h>
#include <stdio.h>
#include <string.h>

enum { CHANNELS = 2 };

static PaStream *stream;
static bool is_initialized;

static int render(const void *input, void *output, unsigned long nframes, const PaStreamCallbackTimeInfo *time,
                  PaStreamCallbackFlags flags, void *task) {
    (void)time, (void)flags;
    if (*(const peer_task_t *)task != PEER_THROUGH) {
        peer_fill(output, (uint32_t)nframes, CHANNELS);
    } else if (input != NULL) {
        memcpy(output, input, nframes * CHANNELS * sizeof(float));
    }
    return paContinue;
}

static void report_finish(void *argument) {
    (void)argument;
    peer_notice("the stream has finished");
}

static void close_stream(void) {
    if (stream != NULL) {
        Pa_CloseStream(stream);
    }
    stream = NULL;
    if (is_initialized) {
        Pa_Terminate();
    }
    is_initialized = false;
}

static bool refuse(const char *call, PaError error) {
    const PaHostErrorInfo *host = Pa_GetLastHostErrorInfo();
    const char *more =
        error == paUnanticipatedHostError && host != NULL && host->errorText != NULL ? host->errorText : "";
    peer_fail("%s: %s %s", call, Pa_GetErrorText(error), more);
    close_stream();
    return false;
}

static PaStreamParameters parameters(PaDeviceIndex device, bool plays) {
    const PaDeviceInfo *info = Pa_GetDeviceInfo(device);
    return (PaStreamParameters){
        .device = device,
        .channelCount = CHANNELS,
        .sampleFormat = paFloat32,
        .suggestedLatency = plays ? info->defaultLowOutputLatency : info->defaultLowInputLatency,
    };
}

static bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    static peer_task_t task;
    task = options->task;
    PaJack_SetClientName(options->name);
    PaError error = Pa_Initialize();
    if (error != paNoError) {
        return refuse("Pa_Initialize", error);
    }
    is_initialized = true;
    PaHostApiIndex index = Pa_HostApiTypeIdToHostApiIndex(paJACK);
    if (index < 0) {
        return refuse("Pa_HostApiTypeIdToHostApiIndex(paJACK)", index);
    }
    const PaHostApiInfo *api = Pa_GetHostApiInfo(index);
    if (api->defaultOutputDevice == paNoDevice || (task == PEER_THROUGH && api->defaultInputDevice == paNoDevice)) {
        return refuse("the JACK host API has no default device", paDeviceUnavailable);
    }
    PaStreamParameters output = parameters(api->defaultOutputDevice, true), input;
    if (task == PEER_THROUGH) {
        input = parameters(api->defaultInputDevice, false);
    }
    error = Pa_OpenStream(&stream, task == PEER_THROUGH ? &input : NULL, &output, options->rate,
                          paFramesPerBufferUnspecified, paNoFlag, render, &task);
    if (error != paNoError) {
        return refuse("Pa_OpenStream", error);
    }
    Pa_SetStreamFinishedCallback(stream, report_finish);
    error = Pa_StartStream(stream);
    if (error != paNoError) {
        return refuse("Pa_StartStream", error);
    }
    const PaVersionInfo *version = Pa_GetVersionInfo();
    char library[64];
    snprintf(library, sizeof library, "PortAudio %d.%d.%d", version->versionMajor, version->versionMinor,
             version->versionSubMinor);
    peer_describe(opened, library, "JACK");
    opened->rate = (uint32_t)Pa_GetStreamInfo(stream)->sampleRate;
    return true;
}

static bool is_running(void) { return stream != NULL && Pa_IsStreamActive(stream) == 1; }

int main(int argc, char **argv) {
    return peer_run(argc, argv, &(peer_t){.open = open_stream, .is_running = is_running, .close = close_stream});
}
