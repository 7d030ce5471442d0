/// Finds the frames of the input that the server did not deliver to the client, by comparing the
/// server's frame counter and clock with the cycles that were run.
#ifndef RCORE_JACK_MISSED_FRAMES_H
#define RCORE_JACK_MISSED_FRAMES_H

#include "rcore_base.h"

/// What is known of a cycle when it begins.
struct cycle_start {
    /// When the server started the cycle, in nanoseconds of any clock that does not jump.
    uint64_t time;
    /// The server's frame counter.
    uint32_t frame;
    uint32_t nframes;
    uint32_t sample_rate;
    /// The number of xruns that the server has reported.
    uint64_t xruns;
};

/// Only the cycle uses it. All zero: no cycle yet.
struct missed_frames {
    struct cycle_start last;
    /// Cycles since the first one or the last change of the format, at most one more than the
    /// number of cycles that only set `expected`.
    uint32_t count;
    /// The time at which the last cycle was expected: that of the most punctual cycles so far.
    double expected;
    /// The number of reported xruns when a cycle was last punctual.
    uint64_t xruns;
    /// Whether frames may be missing before the frame `begin` of the core: the next cycles show how
    /// many.
    bool is_pending;
    uint64_t begin;
    // Since `begin`:
    uint32_t pending_cycles;
    /// Successive cycles of about the same lateness, and the least of them in nanoseconds.
    uint32_t steady_cycles;
    double lateness;
    /// Frames that the server counted, but for which the client was not called.
    int64_t skipped;
};

/// Starts again: the next cycle has no predecessor. [render]
void missed_frames_reset(struct missed_frames *missed) RCORE_RT;

/// Adds a cycle that begins at the frame `time` of the core. [render] Returns the number of frames
/// that are missing before the frame `missed->begin`; 0: none, or not known yet.
uint64_t missed_frames_add(struct missed_frames *missed, const struct cycle_start *cycle, uint64_t time) RCORE_RT;

#endif
