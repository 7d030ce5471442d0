/// An echo: what it is given comes back later, again and again, each time softer and duller. Only the echoes come out, as of a return.
#ifndef ECHO_H
#define ECHO_H

#include "rcore_base.h"

typedef struct echo echo_t;

/// Makes an echo of `channels`, each `delay_frames` (1 or more) apart, of which each has `feedback` (0…0.95) of the one before. NULL: no memory.
echo_t *echo_create(uint32_t channels, uint32_t delay_frames, float feedback);
/// Frees it, once no thread renders it any more; NULL does nothing.
void echo_destroy(echo_t *echo);
/// Replaces `nframes` frames in `planes`, one for each of `channels`, by their echoes. `context` is the `echo_t`. On the render thread: RCORE_RT has
/// the compiler refuse whatever could wait or allocate in here.
void echo_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

#endif
