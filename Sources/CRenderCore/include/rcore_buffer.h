/// Samples in memory: immutable, shared by any number of voices.
#ifndef RCORE_BUFFER_H
#define RCORE_BUFFER_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_buffer rcore_buffer_t;

/// Copies `nframes` planar frames (`planes[c]`, 1…RCORE_MAX_CHANNELS channels, 1…2^40 frames) into aligned memory of its own. [control]
/// NaN and infinite samples become 0 and are counted. NULL with a status when an argument is out of range or memory is short;
/// `status` may be NULL. The caller owns it, with one reference.
rcore_buffer_t *rcore_buffer_create(uint32_t channels, uint64_t nframes, const float *const *planes,
                                    rcore_status_t *status);
/// The same from interleaved frames. [control]
rcore_buffer_t *rcore_buffer_create_interleaved(uint32_t channels, uint64_t nframes, const float *frames,
                                                rcore_status_t *status);
/// Takes one more reference. [control] Voices take none: keep one until no voice uses it.
rcore_buffer_t *rcore_buffer_retain(rcore_buffer_t *buffer);
/// Gives one reference back; the last one frees the samples. NULL does nothing. [control]
void rcore_buffer_release(rcore_buffer_t *buffer);

/// Voices that were told to play it and have not ended. [any] Once it is 0, and nobody starts another, no cycle looks at it: this is how the
/// samples of one-shots, whose handles are gone, come back.
uint32_t rcore_buffer_users(const rcore_buffer_t *buffer) RCORE_RT;
/// Shape, and what was silenced. [any]
uint32_t rcore_buffer_channels(const rcore_buffer_t *buffer);
uint64_t rcore_buffer_nframes(const rcore_buffer_t *buffer);
uint64_t rcore_buffer_nonfinite_count(const rcore_buffer_t *buffer);

#ifdef __cplusplus
}
#endif
#endif
