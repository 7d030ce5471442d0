#define _GNU_SOURCE
#include "ramp.h"

#include <math.h>
#include <time.h>

/// Where ramps leave silence, and step to it.
static const double faintest = 60;

int64_t ramp_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

ramp_t ramp_make(double from, double to, unsigned milliseconds, int64_t now) {
    return (ramp_t){.from = from, .to = to, .begin_ns = now, .duration_ns = (int64_t)milliseconds * 1000000};
}

double ramp_at(const ramp_t *ramp, int64_t now) {
    const int64_t elapsed = now - ramp->begin_ns;
    if (elapsed >= ramp->duration_ns || ramp->from == ramp->to) {
        return ramp->to;
    }
    const double from = isinf(ramp->from) ? fmax(faintest, isinf(ramp->to) ? 0 : ramp->to) : ramp->from;
    const double to = isinf(ramp->to) ? fmax(faintest, from) : ramp->to;
    return from + (to - from) * (double)elapsed / (double)ramp->duration_ns;
}

float ramp_factor(double attenuation) { return isinf(attenuation) ? 0 : (float)pow(10, -attenuation / 20); }
