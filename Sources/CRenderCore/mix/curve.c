#include "mix/curve.h"

#include <math.h>

enum { min_segment = 8, max_segment = 256, segments = 128 };

// Replaces 0 at one end of an exponential curve, as a fraction of the other end: -100 dB.
static const double floor_ratio = 1e-5;

void curve_prepare(struct curve *curve) RCORE_RT {
    if (curve->shape != RCORE_CURVE_EXPONENTIAL) {
        return;
    }
    if ((curve->from < 0.0f && curve->to > 0.0f) || (curve->from > 0.0f && curve->to < 0.0f)) {
        curve->shape = RCORE_CURVE_LINEAR;
        return;
    }
    const double from = (double)curve->from, to = (double)curve->to;
    curve->start = curve->from != 0.0f ? from : floor_ratio * to;
    curve->rate = log((curve->to != 0.0f ? to : floor_ratio * from) / curve->start);
}

float curve_value_at(const struct curve *curve, uint32_t elapsed) RCORE_RT {
    if (elapsed >= curve->total) {
        return curve->to;
    }
    const double x = 1.0 - curve->rest + curve->rest * ((double)elapsed / curve->total);
    if (curve->shape == RCORE_CURVE_EXPONENTIAL) {
        return (float)(curve->start * exp(x * curve->rate));
    }
    const double from = (double)curve->from, distance = (double)curve->to - from;
    return (float)(from + distance * x * x * (3.0 - 2.0 * x));
}

uint32_t curve_segment(const struct curve *curve, uint64_t now) RCORE_RT {
    const uint32_t left = curve->total - curve->elapsed;
    if (curve->shape == RCORE_CURVE_LINEAR) {
        return left;
    }
    // As long as the whole curve would be at this speed.
    const double whole = curve->total / curve->rest;
    uint32_t spacing = min_segment;
    while (spacing < max_segment && 2.0 * segments * spacing <= whole) {
        spacing *= 2;
    }
    const uint32_t length = spacing - (uint32_t)(now % spacing);
    return length < left ? length : left;
}

void curve_retime(struct curve *curve, uint32_t left, uint32_t nframes) RCORE_RT {
    curve->rest *= (double)curve_frames_left(curve, left) / curve->total;
    curve->total = nframes;
    curve->elapsed = 0;
}
