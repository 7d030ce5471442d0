/// Captures: what comes in, on a ring, with the time of every frame.
///
/// Frames come in runs: within one, each frame's time is one later than the one before. A new run begins where frames were lost (no
/// room) or none were taken (the session was paused).
#ifndef RCORE_CAPTURE_H
#define RCORE_CAPTURE_H

#include "rcore_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcore_capture rcore_capture_t;

/// Makes a capture ring of at least `capacity_frames` (1…2^28, rounded up to a power of two). [control] NULL with a status when an argument is
/// out of range or memory is short; `status` may be NULL. The caller owns it and keeps it until no plan uses it.
rcore_capture_t *rcore_capture_create(uint32_t channels, uint32_t capacity_frames, rcore_status_t *status);
/// Frees a capture; NULL does nothing. [control]
void rcore_capture_destroy(rcore_capture_t *capture);

/// Channels. [any]
uint32_t rcore_capture_channels(const rcore_capture_t *capture) RCORE_RT;
/// Frames that wait to be read, of all runs. [consumer]
uint32_t rcore_capture_readable(rcore_capture_t *capture) RCORE_RT;
/// Reads up to `nframes` interleaved frames, all of one run, and sets `*time` to the frame of `rcore_time` at which the first came in. [consumer]
/// Returns how many; 0 when none wait.
uint32_t rcore_capture_read_interleaved(rcore_capture_t *capture, float *frames, uint32_t nframes,
                                        uint64_t *time) RCORE_RT;
/// Frames lost because there was no room. [any]
uint64_t rcore_capture_lost_frames(const rcore_capture_t *capture) RCORE_RT;
/// Samples that were NaN or infinite and became silence. [any]
uint64_t rcore_capture_nonfinite_count(const rcore_capture_t *capture) RCORE_RT;

/// Writes `nframes` planar frames (NULL planes are silence) that came in at `time`, all or nothing; what finds no room is counted. [producer]
/// The core does this for the inputs of its plan.
bool rcore_capture_write(rcore_capture_t *capture, uint64_t time, const float *const *planes,
                         uint32_t nframes) RCORE_RT;

#ifdef __cplusplus
}
#endif
#endif
