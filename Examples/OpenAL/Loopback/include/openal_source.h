/// A looping sound of a game. The functions apply to the current context, as all of OpenAL's do,
/// except where they say otherwise.
#ifndef OPENAL_SOURCE_H
#define OPENAL_SOURCE_H

#include "openal_loopback.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Creates a source that plays `nframes` frames of `samples` again and again, and starts it. A mono
/// source has a position; the two channels of a stereo source are played as they are. Returns
/// OPENAL_NOT_CURRENT while the context of `loopback` is paused.
openal_status_t openal_source_play(openal_loopback_t *loopback, const float *samples, uint32_t channels,
                                   uint32_t nframes, uint32_t sample_rate, uint32_t *source);
/// Moves a source; the listener is at (0, 0, 0) and looks along -z. Returns OPENAL_NOT_CURRENT
/// while the context is paused.
openal_status_t openal_source_move(openal_loopback_t *loopback, uint32_t source, float x, float y, float z);
/// Returns the next frame of a source that OpenAL will render, also while the context is paused.
openal_status_t openal_source_offset(openal_loopback_t *loopback, uint32_t source, uint32_t *frame);

#ifdef __cplusplus
}
#endif

#endif
