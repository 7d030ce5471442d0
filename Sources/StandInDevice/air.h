/// What comes from a device's air.
#ifndef STAND_IN_AIR_H
#define STAND_IN_AIR_H

#include "stand_in_device.h"

#include <rcore_base.h>

/// A sound that goes on for ever.
typedef struct air {
    stand_in_sound_t sound;
    double tone_step;  ///< turns a frame
    float *samples;    ///< of the file, interleaved
    uint64_t nframes;  ///< of the file
    uint32_t channels; ///< of the file
    uint64_t place;    ///< frames since the plug
} air_t;

/// Makes ready what `options` ask for at a sample rate. [control] False, with a sentence in `error`, when that cannot be.
bool air_open(air_t *air, const stand_in_options_t *options, uint32_t sample_rate, char *error,
              unsigned long error_size);
/// Frees what it holds. [control]
void air_close(air_t *air);

/// Fills the ports' buffers and goes on by `nframes`. [render]
void air_render(air_t *air, float *const *outputs, uint32_t noutputs, uint32_t nframes) RCORE_RT;

#endif
