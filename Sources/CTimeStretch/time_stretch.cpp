#include "time_stretch.h"

#include <exception>
#include <soundtouch/SoundTouch.h>

static_assert(sizeof(soundtouch::SAMPLETYPE) == sizeof(float), "SoundTouch is built for 32-bit floats");
static_assert(TSTRETCH_MAX_CHANNELS <= SOUNDTOUCH_MAX_CHANNELS, "more channels than SoundTouch has");

struct tstretch {
    soundtouch::SoundTouch engine;
};

// Swift and C cannot catch exceptions, so none leaves these functions.

tstretch_t *tstretch_create(uint32_t channels, uint32_t sample_rate, double tempo) {
    if (channels < 1 || channels > TSTRETCH_MAX_CHANNELS || sample_rate < 1 || !(tempo >= 0.1 && tempo <= 10)) {
        return nullptr;
    }
    tstretch_t *stretch = nullptr;
    try {
        stretch = new tstretch;
        stretch->engine.setChannels(channels);
        stretch->engine.setSampleRate(sample_rate);
        stretch->engine.setTempo(tempo);
        return stretch;
    } catch (const std::exception &) {
        delete stretch;
        return nullptr;
    }
}

void tstretch_destroy(tstretch_t *stretch) { delete stretch; }

bool tstretch_put(tstretch_t *stretch, const float *frames, uint32_t nframes) {
    try {
        stretch->engine.putSamples(frames, nframes);
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

bool tstretch_end(tstretch_t *stretch) {
    try {
        stretch->engine.flush();
        return true;
    } catch (const std::exception &) {
        return false;
    }
}

uint32_t tstretch_take(tstretch_t *stretch, float *frames, uint32_t nframes) {
    return stretch->engine.receiveSamples(frames, nframes);
}
