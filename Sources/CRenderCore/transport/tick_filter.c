// The times of ticks: a line through them, with the gains of a growing memory (the least-squares
// line through all ticks so far), which become those of a fading memory.
#include "transport/tick_filter.h"

#include <math.h>

// Ticks further from the line than that many mean deviations, and this many frames, are outliers.
static const double outlier_deviations = 4.0, outlier_frames = 2.0;
// Least part of each distance in the means; it is larger while the memory is short.
static const double least_mean_gain = 1.0 / 16.0;
// The line lags behind the ticks if the mean of their signed distances is this part of the mean
// distance, and this many frames: the rate changes all the time.
static const double lag_part = 0.7, lag_frames = 0.5;
// Ticks in the memory of a line that lags, and of one that has just taken another rate.
enum { SHORT_MEMORY = 8, NEW_MEMORY = 2 };
// Outliers in succession after which the line takes another rate, or another phase. A single tick
// may be late by chance, and so may all ticks of a stall, which then come at once.
enum { RATE_OUTLIERS = 2, PHASE_OUTLIERS = 3 };
// An outlier counts in the mean deviation with so many times the limit of outliers at most.
static const double outlier_part = 2.0;

void tick_filter_init(struct tick_filter *filter, double deviation) RCORE_RT {
    *filter = (struct tick_filter){.deviation = deviation};
}

void tick_filter_allow_shift(struct tick_filter *filter) RCORE_RT { filter->may_shift = true; }

void tick_filter_change_rate(struct tick_filter *filter, double factor) RCORE_RT {
    filter->interval *= factor;
    filter->since *= factor;
    filter->error *= factor;
    filter->deviation *= factor;
    filter->lag *= factor;
    tick_filter_allow_shift(filter);
}

double tick_filter_uncertainty(const struct tick_filter *filter) RCORE_RT {
    // Of the slope of a least-squares line.
    const double count = filter->count < NEW_MEMORY ? NEW_MEMORY : filter->count;
    const double jitter = fmax(filter->deviation - fabs(filter->lag), 0.0);
    return jitter * sqrt(12.0 / (count * count * count));
}

// ---- The line

static void shift(struct tick_filter *filter, uint64_t frame) RCORE_RT {
    filter->time = (double)frame;
    filter->outliers = 0;
    filter->error = 0.0;
}

// Takes an interval that was measured between two or three ticks.
static void change_interval(struct tick_filter *filter, uint64_t frame, double interval) RCORE_RT {
    shift(filter, frame);
    filter->count = NEW_MEMORY;
    filter->interval = interval;
}

static double mean_gain(const struct tick_filter *filter) RCORE_RT {
    return fmax(least_mean_gain, 1.0 / (filter->count + 1));
}

static void correct(struct tick_filter *filter, double error) RCORE_RT {
    filter->lag += (error - filter->lag) * mean_gain(filter);
    if (fabs(filter->lag) > lag_part * filter->deviation + lag_frames) {
        filter->count = filter->count < SHORT_MEMORY ? filter->count + 1 : SHORT_MEMORY;
    } else {
        filter->count += filter->count < TICK_MEMORY ? 1 : 0;
    }
    const double count = filter->count, pairs = count * (count + 1.0);
    filter->time += filter->interval + error * 2.0 * (2.0 * count - 1.0) / pairs;
    filter->interval += error * 6.0 / pairs;
}

// ---- Ticks

// The first tick, or one that may be elsewhere and is not where it was expected. Returns whether it
// is such a tick.
static bool begin_row(struct tick_filter *filter, uint64_t frame, bool is_outlier) RCORE_RT {
    const bool may_shift = filter->may_shift && (is_outlier || filter->count < NEW_MEMORY);
    const bool begins = filter->count == 0 || may_shift;
    filter->may_shift = false;
    if (begins) {
        filter->count = filter->count > 0 ? filter->count : 1;
        shift(filter, frame);
    }
    return begins;
}

// Counts outliers in succession in the same direction.
static void count_outliers(struct tick_filter *filter, double error, double limit) RCORE_RT {
    const bool continues = filter->outliers > 0 && (error > 0.0) == (filter->error > 0.0);
    filter->outliers = fabs(error) <= limit ? 0 : continues ? filter->outliers + 1 : 1;
    filter->error = error;
}

// An outlier, `since` frames after the last tick: the first one of another rate or phase, or late.
static void add_outlier(struct tick_filter *filter, uint64_t frame, double since, double limit) RCORE_RT {
    const double change = since - filter->interval;
    const bool is_row = fabs(since - filter->since) <= limit; // this tick and the two before it
    const bool is_further = fabs(change) > limit && (change > 0.0) == (filter->error > 0.0);
    if (is_row && is_further && filter->outliers >= RATE_OUTLIERS) {
        change_interval(filter, frame, (since + filter->since) / 2.0);
    } else if (fabs(change) <= limit && filter->outliers >= PHASE_OUTLIERS) {
        shift(filter, frame);
    } else {
        filter->time += filter->interval;
    }
}

// A tick in a row, so far from where it was expected.
static void continue_row(struct tick_filter *filter, uint64_t frame, double since, double error) RCORE_RT {
    const double limit = outlier_deviations * filter->deviation + outlier_frames;
    const double distance = fmin(fabs(error), outlier_part * limit);
    count_outliers(filter, error, limit);
    filter->deviation += (distance - filter->deviation) * mean_gain(filter);
    if (filter->outliers > 0) {
        add_outlier(filter, frame, since, limit);
    } else {
        correct(filter, error);
    }
}

void tick_filter_add(struct tick_filter *filter, uint64_t frame, double shortest, double longest) RCORE_RT {
    const double since = (double)(frame - filter->last);
    const double error = (double)frame - (filter->time + filter->interval);
    const double limit = outlier_deviations * filter->deviation + outlier_frames;
    filter->last = frame;
    if (!begin_row(filter, frame, fabs(error) > limit)) {
        if (filter->count < NEW_MEMORY) {
            change_interval(filter, frame, since);
        } else {
            continue_row(filter, frame, since, error);
        }
    }
    filter->since = since;
    if (filter->interval != 0.0) {
        filter->interval = fmin(fmax(filter->interval, shortest), longest);
    }
}
