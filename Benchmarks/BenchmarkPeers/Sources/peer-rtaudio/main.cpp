/// RtAudio on its JACK API: a callback that copies a sound once a flag is set.
#include "peer_protocol.h"

#include <rtaudio/RtAudio.h>
#include <cstring>
#include <memory>
#include <string>

namespace {

constexpr unsigned channels = 2;
std::unique_ptr<RtAudio> audio;

int render(void *output, void *input, unsigned nframes, double, RtAudioStreamStatus, void *task) {
    auto samples = static_cast<float *>(output);
    if (*static_cast<peer_task_t *>(task) != PEER_THROUGH)
        peer_fill(samples, nframes, channels);
    else
        std::memcpy(samples, input, nframes * channels * sizeof *samples);
    return 0;
}

void tell_error(RtAudioError::Type, const std::string &text) { peer_notice(text.c_str()); }

void close_stream() {
    if (audio && audio->isStreamOpen())
        audio->closeStream();
    audio.reset();
}

void start(const peer_options_t &options, unsigned &period) {
    static peer_task_t task;
    task = options.task;
    audio = std::make_unique<RtAudio>(RtAudio::UNIX_JACK);
    RtAudio::StreamParameters output, input;
    output.deviceId = audio->getDefaultOutputDevice();
    input.deviceId = audio->getDefaultInputDevice();
    output.nChannels = input.nChannels = channels;
    RtAudio::StreamOptions stream;
    stream.streamName = options.name;
    audio->openStream(&output, task == PEER_THROUGH ? &input : nullptr, RTAUDIO_FLOAT32, options.rate, &period, render,
                      &task, &stream, tell_error);
    audio->startStream();
}

bool open_stream(const peer_options_t *options, peer_opened_t *opened) {
    try {
        unsigned period = options->period;
        start(*options, period);
        peer_describe(opened, ("RtAudio " + RtAudio::getVersion()).c_str(), "JACK");
        opened->rate = audio->getStreamSampleRate();
        opened->period = period;
        return true;
    } catch (const std::exception &error) {
        peer_fail("%s", error.what());
        audio.reset();
        return false;
    }
}

bool is_running() { return audio && audio->isStreamRunning(); }

} // namespace

int main(int argc, char **argv) {
    const peer_t peer = {open_stream, nullptr, is_running, close_stream};
    return peer_run(argc, argv, &peer);
}
