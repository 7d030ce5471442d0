/// A ring of audio frames between one producer and one consumer: streamed sources towards the core, captures away from it.
///
/// Transfers are all-or-nothing in whole frames. A producer that is done says so with `rcore_fifo_finish`; the consumer then
/// knows an empty ring from a late one.
#ifndef RCORE_FIFO_H
#define RCORE_FIFO_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_fifo rcore_fifo_t;

/// Makes a ring of at least `capacity_frames` (1…2^28, rounded up to a power of two), allocated and touched. [control]
/// NULL with a status when an argument is out of range or memory is short; `status` may be NULL. The caller owns it.
rcore_fifo_t *rcore_fifo_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status);
/// Frees a ring; NULL does nothing. [control] Neither side may use it any longer.
void rcore_fifo_destroy(rcore_fifo_t *fifo);

/// Channels, and capacity in frames. [any]
uint32_t rcore_fifo_channels(const rcore_fifo_t *fifo) RCORE_RT;
uint32_t rcore_fifo_capacity(const rcore_fifo_t *fifo) RCORE_RT;

/// Frames that a write may hold now. [producer]
uint32_t rcore_fifo_writable(rcore_fifo_t *fifo) RCORE_RT;
/// Writes `nframes` interleaved frames, all or nothing. [producer] Cost: one copy. Samples that are NaN or infinite become 0 and
/// are counted. Returns false, and writes nothing, when there is no room or the ring is finished.
bool rcore_fifo_write_interleaved(rcore_fifo_t *fifo, const float *frames, uint32_t nframes) RCORE_RT;
/// Writes `nframes` planar frames, all or nothing; `planes[c]` for each channel, NULL is silence. [producer]
bool rcore_fifo_write(rcore_fifo_t *fifo, const float *const *planes, uint32_t nframes) RCORE_RT;
/// Says that nothing follows. [producer]
void rcore_fifo_finish(rcore_fifo_t *fifo) RCORE_RT;

/// Frames that wait to be read. [consumer]
uint32_t rcore_fifo_readable(rcore_fifo_t *fifo) RCORE_RT;
/// Reads `nframes` interleaved frames, all or nothing; false when fewer wait. [consumer]
bool rcore_fifo_read_interleaved(rcore_fifo_t *fifo, float *frames, uint32_t nframes) RCORE_RT;
/// The samples of one channel from frame `offset` after the read index, without copying: returns how many of the `nframes` asked for
/// lie in one piece at `*samples`, 0 when none wait. [consumer]
uint32_t rcore_fifo_peek(rcore_fifo_t *fifo, uint32_t channel, uint32_t offset, uint32_t nframes,
                         const float **samples) RCORE_RT;
/// Gives up `nframes` frames that were looked at; at most the readable ones. [consumer]
void rcore_fifo_consume(rcore_fifo_t *fifo, uint32_t nframes) RCORE_RT;
/// True once the producer has finished; frames may still wait. [any]
bool rcore_fifo_finished(const rcore_fifo_t *fifo) RCORE_RT;
/// True once the producer finished and all was read. [consumer]
bool rcore_fifo_drained(rcore_fifo_t *fifo) RCORE_RT;

/// Samples that were NaN or infinite and became silence. [any]
uint64_t rcore_fifo_nonfinite_count(const rcore_fifo_t *fifo) RCORE_RT;
/// Writes that found no room. [any] For a capture: periods lost.
uint64_t rcore_fifo_overrun_count(const rcore_fifo_t *fifo) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
