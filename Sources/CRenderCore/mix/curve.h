/// One curve: its shape, and its progress in frames. Nothing here depends on a core.
#ifndef RCORE_CURVE_H
#define RCORE_CURVE_H

#include "rcore_queue.h"

struct curve {
    /// Index of its parameter in `of_parameter`.
    uint32_t parameter_index;
    /// Index of a voice, or a slot.
    uint32_t object;
    /// enum command_kind of the command that sets the parameter.
    uint16_t kind;
    /// rcore_curve_t.
    uint8_t shape;
    float from;
    float to;
    /// Exponential: `from`, or the value that replaces 0.
    double start;
    /// Exponential: logarithm of the ratio of the end to the start.
    double rate;
    /// The part of the curve, above 0, that `total` frames are: 1 until it is retimed.
    double rest;
    /// Length in frames, since it was retimed last.
    uint32_t total;
    /// Of those, frames elapsed at the end of the current segment.
    uint32_t elapsed;
    /// `resets` of the slot when the curve started: a curve ends when its slot is reset.
    uint32_t resets;
    /// The beat at whose frame it ends, a time (rcore_beat_time); 0: it ends after `total` frames.
    uint64_t until;
};

/// Prepares the shape from both ends. An exponential curve whose ends differ in sign becomes
/// linear.
void curve_prepare(struct curve *curve) RCORE_RT;
/// Returns the value of a curve that is not linear, or of the end of any curve.
float curve_value_at(const struct curve *curve, uint32_t elapsed) RCORE_RT;
/// Returns the length of its next segment, which begins at `now` of the core's time. It ends at a
/// multiple of a power of two or at the end of the curve; a linear curve has one segment.
uint32_t curve_segment(const struct curve *curve, uint64_t now) RCORE_RT;
/// Returns the frames until the end of a curve whose current segment has `left` frames.
static inline uint32_t curve_frames_left(const struct curve *curve, uint32_t left) RCORE_RT {
    return curve->total - curve->elapsed + left;
}
/// Gives the rest of a curve another length, above 0. A new segment begins. `left`: the frames left
/// of the current one; the curve has not ended.
void curve_retime(struct curve *curve, uint32_t left, uint32_t nframes) RCORE_RT;

#endif
