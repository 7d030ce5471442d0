#include "signal_source.h"

#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The length of the ramp is a power of two, so that its steps are exact. A file may have at most
/// MOST_SAMPLES samples over all channels.
enum { RAMP_FRAMES = 1 << 20, MOST_SAMPLES = 1 << 28 };

/// Allocates and reads all samples of a file; on failure, describes it in `error`.
static void read_samples(signal_source_t *source, SNDFILE *file, const SF_INFO *format, const char *path, char *error,
                         unsigned long error_size) {
    source->samples = malloc((size_t)(format->frames * format->channels) * sizeof(float));
    if (source->samples == NULL) {
        snprintf(error, error_size, "Not enough memory for the file '%s'.", path);
        return;
    }
    source->channels = (uint32_t)format->channels;
    source->nframes = (uint64_t)sf_readf_float(file, source->samples, format->frames);
    if (source->nframes == 0) {
        snprintf(error, error_size, "The file '%s' cannot be read: %s.", path, sf_strerror(file));
    }
}

/// Loads a whole sound file, which must have the server's sample rate.
static bool load(signal_source_t *source, const char *path, uint32_t sample_rate, char *error,
                 unsigned long error_size) {
    SF_INFO format = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &format);
    if (file == NULL) {
        snprintf(error, error_size, "The file '%s' cannot be played: %s.", path, sf_strerror(NULL));
        return false;
    }
    bool fits = format.frames > 0 && format.frames <= MOST_SAMPLES / format.channels;
    if ((uint32_t)format.samplerate != sample_rate) {
        snprintf(error, error_size, "The file '%s' has a sample rate of %d Hz, but the server has %u Hz; convert it.",
                 path, format.samplerate, sample_rate);
    } else if (!fits) {
        snprintf(error, error_size, "The file '%s' is empty or too long.", path);
    } else {
        read_samples(source, file, &format, path, error, error_size);
    }
    sf_close(file);
    return source->nframes > 0;
}

bool signal_source_open(signal_source_t *source, const virtual_device_options_t *options, uint32_t sample_rate,
                        char *error, unsigned long error_size) {
    *source = (signal_source_t){.sound = options->sound};
    if (source->sound == VIRTUAL_DEVICE_TONE) {
        source->tone_step = options->tone_hz / sample_rate;
        if (source->tone_step > 0 && source->tone_step < 0.5) {
            return true;
        }
        snprintf(error, error_size, "A tone of %g Hz is not between 0 and half of the server's sample rate, %u Hz.",
                 options->tone_hz, sample_rate);
        return false;
    }
    return source->sound != VIRTUAL_DEVICE_FILE || load(source, options->source_path, sample_rate, error, error_size);
}

void signal_source_close(signal_source_t *source) { free(source->samples); }

static const double two_pi = 6.283185307179586;

static void render_ramp(const signal_source_t *source, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        output[i] = (float)((source->position + i) % RAMP_FRAMES + 1) / (float)RAMP_FRAMES;
    }
}

static void render_tone(const signal_source_t *source, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        double turns = (double)(source->position + i) * source->tone_step;
        output[i] = 0.5F * sinf((float)((turns - floor(turns)) * two_pi));
    }
}

static void render_file(const signal_source_t *source, uint32_t channel, float *output, uint32_t nframes) RCORE_RT {
    for (uint32_t i = 0; i < nframes; i++) {
        output[i] = source->samples[(source->position + i) % source->nframes * source->channels + channel];
    }
}

void signal_source_render(signal_source_t *source, float *const *outputs, uint32_t noutputs,
                          uint32_t nframes) RCORE_RT {
    for (uint32_t channel = 0; channel < noutputs; channel++) {
        float *output = outputs[channel];
        if (source->sound == VIRTUAL_DEVICE_RAMP) {
            render_ramp(source, output, nframes);
        } else if (source->sound == VIRTUAL_DEVICE_TONE) {
            render_tone(source, output, nframes);
        } else if (source->sound == VIRTUAL_DEVICE_FILE && channel < source->channels) {
            render_file(source, channel, output, nframes);
        } else {
            memset(output, 0, nframes * sizeof(float));
        }
    }
    source->position += nframes;
}
