/// Captures: input recorded to a ring, with the time of every frame.
///
/// Frames arrive in runs. Within a run, the time of each frame is one later than that of the frame
/// before. A new run starts after frames were lost (the ring was full) or not recorded (the session
/// was paused, or no plan had the capture).
#ifndef RCORE_CAPTURE_H
#define RCORE_CAPTURE_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_capture rcore_capture_t;

/// Creates a capture ring of at least `capacity_frames` (1…2^28, rounded up to a power of two).
/// [control] Returns NULL and sets `status` when an argument is out of range or memory cannot be
/// allocated; `status` may be NULL. The caller owns the capture and keeps it until no plan uses it.
rcore_capture_t *rcore_capture_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status);
/// Frees a capture; NULL does nothing. [control]
void rcore_capture_destroy(rcore_capture_t *capture);

/// Returns the number of channels. [any]
uint32_t rcore_capture_channels(const rcore_capture_t *capture) RCORE_RT;
/// Returns the number of readable frames, of all runs. [consumer]
uint32_t rcore_capture_readable(rcore_capture_t *capture) RCORE_RT;
/// Reads up to `nframes` interleaved frames, all of one run, and sets `*time` to the frame of
/// `rcore_time` at which the first of them was recorded. [consumer] Returns the number of frames
/// read, 0 when none is readable.
uint32_t rcore_capture_read_interleaved(rcore_capture_t *capture, float *frames, uint32_t nframes,
                                        uint64_t *time) RCORE_RT;
/// Returns the number of frames lost because the ring was full. [any]
uint64_t rcore_capture_lost_frames(const rcore_capture_t *capture) RCORE_RT;
/// Returns the number of NaN and infinite samples that became silence. [any]
uint64_t rcore_capture_nonfinite_count(const rcore_capture_t *capture) RCORE_RT;

/// Writes `nframes` planar frames recorded at `time`, all or nothing; NULL planes are silence.
/// [producer] If the ring is full, or a new run starts while 1024 runs are unread, counts the
/// frames as lost and returns false. The core calls this for the inputs of its plan.
bool rcore_capture_write(rcore_capture_t *capture, uint64_t time, const float *const *planes,
                         uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
