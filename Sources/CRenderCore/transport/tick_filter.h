/// Estimates when the next of many ticks comes: MIDI clocks, which arrive with jitter, at a rate
/// that may change.
#ifndef RCORE_TICK_FILTER_H
#define RCORE_TICK_FILTER_H

#include "rcore_base.h"

/// A line through the times of ticks. It has the memory of all ticks after a start, and then of
/// TICK_MEMORY ticks; it takes another rate at once, and has a shorter memory while the rate
/// changes gradually. [render]
struct tick_filter {
    /// Ticks in its memory, at most TICK_MEMORY; 0: none yet.
    uint32_t count;
    /// How many of the last ticks were further from where they were expected than by jitter, in the
    /// same direction.
    uint32_t outliers;
    /// The next tick may be at another phase.
    bool may_shift;
    /// Frame of the last tick, and its distance from the one before.
    uint64_t last;
    double since;
    /// Where the line has the last tick, in frames.
    double time;
    /// Frames from one tick to the next; 0: not known yet.
    double interval;
    /// How far the last tick was from where it was expected, in frames; negative: too early.
    double error;
    /// Mean distance of the ticks from where they were expected, and the mean of the signed
    /// distances, in which jitter cancels.
    double deviation;
    double lag;
};

/// Two quarter notes of MIDI clocks. More averages better, and follows slow changes later.
enum { TICK_MEMORY = 48 };

/// Initialises a filter that expects jitter of `deviation` frames at first.
void tick_filter_init(struct tick_filter *filter, double deviation) RCORE_RT;
/// Adds a tick. `shortest`, `longest`: limits of the interval.
void tick_filter_add(struct tick_filter *filter, uint64_t frame, double shortest, double longest) RCORE_RT;
/// Lets the next tick shift the line, if it is further from where it is expected than by jitter: a
/// sequencer that is started may begin a new row of ticks at its tempo of before.
void tick_filter_allow_shift(struct tick_filter *filter) RCORE_RT;
/// Converts all frames to another sample rate. The next tick may shift the line.
void tick_filter_change_rate(struct tick_filter *filter, double factor) RCORE_RT;

/// Returns the uncertainty of the interval that jitter causes, in frames.
double tick_filter_uncertainty(const struct tick_filter *filter) RCORE_RT;

#endif
