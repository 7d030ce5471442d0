/// Varispeed: plays a memory or stream source at a speed other than 1.
#ifndef RCORE_VARISPEED_H
#define RCORE_VARISPEED_H

#include "voices/voice_state.h"

/// Returns whether the voice's next frames must be interpolated: its speed is not constantly 1, or
/// its position is between two source frames. [render]
static inline bool varispeed_applies(const struct voice *voice) RCORE_RT {
    return voice->speed.remaining > 0 || voice->speed.target != 1.0f || voice->phase != 0;
}

/// Like `source_segment`: interpolates the next frames of every channel into the core's source
/// samples.
uint32_t varispeed_segment(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT;
/// Like `source_advance`: advances by the source frames that this segment consumed.
void varispeed_advance(struct voice *voice) RCORE_RT;

#endif
