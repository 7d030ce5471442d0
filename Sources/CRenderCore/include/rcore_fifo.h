/// A ring of audio frames between one producer and one consumer. It carries streamed sources to the
/// core, and the captures of routes and the taps of meters from the core.
///
/// Reads and writes transfer whole frames, all or nothing. A producer ends its stream with
/// `rcore_fifo_finish`, so that the consumer can distinguish the end of the stream from an
/// underrun.
#ifndef RCORE_FIFO_H
#define RCORE_FIFO_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_fifo rcore_fifo_t;

/// Creates a ring of at least `capacity_frames` (1…2^28, rounded up to a power of two) and
/// pre-faults its memory. [control] Returns NULL and sets `status` when an argument is out of range
/// or memory cannot be allocated; `status` may be NULL. The caller owns the ring.
rcore_fifo_t *rcore_fifo_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status);
/// Frees a ring, which neither side may use any longer; NULL does nothing. [control]
void rcore_fifo_destroy(rcore_fifo_t *fifo);

/// Returns the number of channels. [any]
uint32_t rcore_fifo_channels(const rcore_fifo_t *fifo) RCORE_RT;
/// Returns the capacity in frames. [any]
uint32_t rcore_fifo_capacity(const rcore_fifo_t *fifo) RCORE_RT;

/// Returns the number of frames that can be written now. [producer]
uint32_t rcore_fifo_writable(rcore_fifo_t *fifo) RCORE_RT;
/// Writes `nframes` interleaved frames, all or nothing. [producer] Cost: one copy. NaN and infinite
/// samples become 0 and are counted. Returns false, and writes nothing, if the ring has too little
/// room or is finished.
bool rcore_fifo_write_interleaved(rcore_fifo_t *fifo, const float *frames, uint32_t nframes) RCORE_RT;
/// Writes `nframes` planar frames, all or nothing; otherwise like `rcore_fifo_write_interleaved`.
/// [producer] `planes[c]` holds channel c; a NULL plane is silence.
bool rcore_fifo_write(rcore_fifo_t *fifo, const float *const *planes, uint32_t nframes) RCORE_RT;
/// Returns whether at least half of the ring is filled: it is time to read. [producer]
bool rcore_fifo_is_filling(rcore_fifo_t *fifo) RCORE_RT;
/// Ends the stream: no frames follow. [producer]
void rcore_fifo_finish(rcore_fifo_t *fifo) RCORE_RT;

/// Returns the number of readable frames. [consumer]
uint32_t rcore_fifo_readable(rcore_fifo_t *fifo) RCORE_RT;
/// Reads `nframes` interleaved frames, all or nothing. [consumer] Returns false when fewer frames
/// are readable.
bool rcore_fifo_read_interleaved(rcore_fifo_t *fifo, float *frames, uint32_t nframes) RCORE_RT;
/// Gives access to the samples of one channel, from frame `offset` after the read index, without
/// copying. [consumer] Sets `*samples` to them and returns the number of contiguous samples there,
/// at most `nframes`. If none is readable or the ring has no such channel, returns 0 and sets
/// `*samples` to NULL.
uint32_t rcore_fifo_peek(rcore_fifo_t *fifo, uint32_t channel, uint32_t offset, uint32_t nframes,
                         const float **samples) RCORE_RT;
/// Discards the next `nframes` frames, at most the readable ones. [consumer]
void rcore_fifo_consume(rcore_fifo_t *fifo, uint32_t nframes) RCORE_RT;
/// Returns whether at least a quarter of the ring is free and the producer has not finished: it is
/// time to write. [consumer]
bool rcore_fifo_is_low(rcore_fifo_t *fifo) RCORE_RT;

/// Values of `rcore_fifo_wake_at`: when `rcore_fifo_is_low` is true, as initially; never.
static const uint64_t RCORE_FIFO_WHEN_LOW = UINT64_MAX;
static const uint64_t RCORE_FIFO_NEVER = UINT64_MAX - 1;
/// Sets the frame, counted from the first one ever written, that the consumer must have reached
/// for the core to wake the engine (`rcore_wait`). [producer]
void rcore_fifo_wake_at(rcore_fifo_t *fifo, uint64_t frame) RCORE_RT;
/// Returns whether the consumer has reached the frame set by `rcore_fifo_wake_at`. [consumer]
bool rcore_fifo_is_due(rcore_fifo_t *fifo) RCORE_RT;
/// Returns the number of frames read so far. [any]
uint64_t rcore_fifo_frames_read(const rcore_fifo_t *fifo) RCORE_RT;
/// Returns whether the producer has finished; frames may still be readable. [any]
bool rcore_fifo_finished(const rcore_fifo_t *fifo) RCORE_RT;
/// Returns whether the producer has finished and all frames have been read. [consumer]
bool rcore_fifo_drained(rcore_fifo_t *fifo) RCORE_RT;

/// Returns the number of NaN and infinite samples that became silence. [any]
uint64_t rcore_fifo_nonfinite_count(const rcore_fifo_t *fifo) RCORE_RT;
/// Returns the number of writes that failed because the ring was full. [any] For a route's capture:
/// the blocks lost.
uint64_t rcore_fifo_overrun_count(const rcore_fifo_t *fifo) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
