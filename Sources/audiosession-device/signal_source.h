/// The signal that comes from a device's terminals.
#ifndef VIRTUAL_DEVICE_SIGNAL_SOURCE_H
#define VIRTUAL_DEVICE_SIGNAL_SOURCE_H

#include "virtual_device.h"

#include <rcore_base.h>

/// An endless signal of the kind that `sound` selects.
typedef struct source {
    virtual_device_sound_t sound;
    /// Periods of the tone per frame.
    double tone_step;
    /// Samples of the file, interleaved.
    float *samples;
    /// Frames of the file.
    uint64_t nframes;
    /// Channels of the file.
    uint32_t channels;
    /// Frames since the device was plugged in.
    uint64_t position;
} signal_source_t;

/// Prepares the signal that `options` select, at a sample rate. [control] Returns false on failure,
/// with a sentence in `error`.
bool signal_source_open(signal_source_t *source, const virtual_device_options_t *options, uint32_t sample_rate,
                        char *error, unsigned long error_size);
/// Frees the signal's memory. [control]
void signal_source_close(signal_source_t *source);

/// Fills the ports' buffers and advances by `nframes`. [render]
void signal_source_render(signal_source_t *source, float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT;

#endif
