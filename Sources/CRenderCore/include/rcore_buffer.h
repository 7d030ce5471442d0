/// Samples in memory: immutable, and shared by any number of voices.
#ifndef RCORE_BUFFER_H
#define RCORE_BUFFER_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_buffer rcore_buffer_t;

/// Creates a buffer with an aligned copy of `nframes` planar frames. [control] `planes[c]` holds
/// channel c. Channels: 1…RCORE_MAX_CHANNELS; frames: 1…2^40. NaN and infinite samples become 0 and
/// are counted. Returns NULL and sets `status` when an argument is out of range or memory cannot be
/// allocated; `status` may be NULL. The caller owns the buffer, with one reference.
rcore_buffer_t *rcore_buffer_create(uint32_t channels, uint64_t nframes, const float *const *planes,
                                    rcore_status_t *status);
/// Creates a buffer from interleaved frames; otherwise like `rcore_buffer_create`. [control]
rcore_buffer_t *rcore_buffer_create_interleaved(uint32_t channels, uint64_t nframes, const float *frames,
                                                rcore_status_t *status);
/// Adds a reference and returns the buffer. [any] Voices hold no reference: keep one until no
/// voice uses the buffer.
rcore_buffer_t *rcore_buffer_retain(rcore_buffer_t *buffer);
/// Removes a reference. Removing the last one frees the samples. NULL does nothing. [any]
void rcore_buffer_release(rcore_buffer_t *buffer);

/// Returns the number of voices whose start on this buffer was posted and that have not ended; one
/// more for the pages of a streamed buffer. [any] Once it is 0 and no thread starts another voice,
/// no cycle reads the buffer. The handles of one-shots become stale, so for them this count alone
/// shows when the samples may be freed.
uint32_t rcore_buffer_users(const rcore_buffer_t *buffer) RCORE_RT;
/// Returns the number of channels. [any]
uint32_t rcore_buffer_channels(const rcore_buffer_t *buffer);
/// Returns the length in frames. [any]
uint64_t rcore_buffer_nframes(const rcore_buffer_t *buffer);
/// Copies `nframes` frames from frame `first` on into `frames`, interleaved. [any] Returns the
/// number of frames copied: fewer at the end, and 0 beyond it. Of a streamed buffer, only the head
/// is read.
uint32_t rcore_buffer_read_interleaved(const rcore_buffer_t *buffer, uint64_t first, float *frames, uint32_t nframes);
/// Returns the number of NaN and infinite samples that became 0. [any]
uint64_t rcore_buffer_nonfinite_count(const rcore_buffer_t *buffer);

#ifdef __cplusplus
}
#endif
#endif
