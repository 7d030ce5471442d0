#include "air.h"

#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A power of two, so that a ramp's steps are exact.
enum { RAMP_FRAMES = 1 << 20, MOST_SAMPLES = 1 << 28 };

static bool load(air_t *air, const char *path, uint32_t sample_rate, char *error, unsigned long error_size) {
    SF_INFO format = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &format);
    if (!file) {
        snprintf(error, error_size, "The file '%s' cannot be played: %s.", path, sf_strerror(NULL));
        return false;
    }
    bool fits = format.frames > 0 && format.frames <= MOST_SAMPLES / format.channels;
    if ((uint32_t)format.samplerate != sample_rate)
        snprintf(error, error_size, "The file '%s' has %d frames a second, and the server %u; convert it first.", path,
                 format.samplerate, sample_rate);
    else if (!fits)
        snprintf(error, error_size, "The file '%s' has no frames, or too many of them.", path);
    else if (!(air->samples = malloc((size_t)(format.frames * format.channels) * sizeof(float))))
        snprintf(error, error_size, "There is not enough memory for the file '%s'.", path);
    else {
        air->channels = (uint32_t)format.channels;
        air->nframes = (uint64_t)sf_readf_float(file, air->samples, format.frames);
        if (air->nframes == 0)
            snprintf(error, error_size, "The file '%s' cannot be read: %s.", path, sf_strerror(file));
    }
    sf_close(file);
    return air->nframes > 0;
}

bool air_open(air_t *air, const stand_in_options_t *options, uint32_t sample_rate, char *error,
              unsigned long error_size) {
    *air = (air_t){.sound = options->sound};
    if (air->sound == STAND_IN_TONE) {
        air->tone_step = options->tone_hz / sample_rate;
        if (air->tone_step > 0 && air->tone_step < 0.5)
            return true;
        snprintf(error, error_size, "A tone of %g Hz is not between 0 and half of the server's %u frames a second.",
                 options->tone_hz, sample_rate);
        return false;
    }
    return air->sound != STAND_IN_FILE || load(air, options->source_path, sample_rate, error, error_size);
}

void air_close(air_t *air) { free(air->samples); }

static const double two_pi = 6.283185307179586;

static void render_ramp(const air_t *air, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++)
        output[i] = (float)((air->place + i) % RAMP_FRAMES + 1) / (float)RAMP_FRAMES;
}

static void render_tone(const air_t *air, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        double turns = (double)(air->place + i) * air->tone_step;
        output[i] = 0.5F * sinf((float)((turns - floor(turns)) * two_pi));
    }
}

static void render_file(const air_t *air, uint32_t channel, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++)
        output[i] = air->samples[(air->place + i) % air->nframes * air->channels + channel];
}

void air_render(air_t *air, float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < noutputs; channel++) {
        float *output = outputs[channel];
        if (air->sound == STAND_IN_RAMP)
            render_ramp(air, output, nframes);
        else if (air->sound == STAND_IN_TONE)
            render_tone(air, output, nframes);
        else if (air->sound == STAND_IN_FILE && channel < air->channels)
            render_file(air, channel, output, nframes);
        else
            memset(output, 0, nframes * sizeof(float));
    }
    air->place += nframes;
}
