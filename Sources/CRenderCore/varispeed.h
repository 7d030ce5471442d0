/// Varispeed: a memory or stream source played faster or slower than it was made.
#ifndef RCORE_VARISPEED_H
#define RCORE_VARISPEED_H

#include "core.h"

/// Whether the voice's next frames lie between its source's, or further apart. [render]
static inline bool varispeed_applies(const struct voice *voice) RCORE_RT {
    return voice->speed.remaining > 0 || voice->speed.target != 1.0f || voice->phase != 0;
}

/// As source_piece: interpolates the next frames of every channel into the core's source samples.
uint32_t varispeed_piece(rcore_t *core, struct voice *voice, uint32_t nframes) RCORE_RT;
/// As source_advance, by what that piece took.
void varispeed_advance(struct voice *voice) RCORE_RT;

#endif
