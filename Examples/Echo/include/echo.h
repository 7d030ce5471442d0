/// An echo: a feedback delay whose repetitions become softer and duller. It outputs only the
/// echoes, without the dry signal, for use on a return bus.
#ifndef ECHO_H
#define ECHO_H

#include "rcore_base.h"

typedef struct echo echo_t;

/// Creates an echo for `channels`. Repetitions are `delay_frames` (1 or more) apart, and each has
/// `feedback` (0…0.95) times the level of the one before. Returns NULL if memory cannot be
/// allocated.
echo_t *echo_create(uint32_t channels, uint32_t delay_frames, float feedback);
/// Frees an echo that no thread renders any longer; NULL does nothing.
void echo_destroy(echo_t *echo);
/// Replaces `nframes` frames in `planes`, one for each of `channels`, by their echoes. [render]
/// `context` is the `echo_t`. With RCORE_RT, the compiler rejects everything in the function that
/// could block or allocate.
void echo_render(void *context, float *const *planes, uint32_t channels, uint32_t nframes) RCORE_RT;

#endif
