/// A detector that keeps what was heard last, with the server's frame numbers.
#include "detector.h"

#include <math.h>

struct capture {
    probe_detector_t base;
    uint32_t mask;
    _Atomic uint32_t jumps;
    /// Published after the samples.
    _Atomic uint64_t end;
    /// Pairs of left and right.
    float samples[];
};

static void keep(struct capture *capture, uint64_t frame, float left, float right) {
    float *place = capture->samples + (size_t)(frame & capture->mask) * 2;
    place[0] = left;
    place[1] = right;
}

static void run(probe_detector_t *detector, const probe_cycle_t *cycle) {
    struct capture *capture = (struct capture *)detector;
    uint64_t end = atomic_load_explicit(&capture->end, memory_order_relaxed);
    bool is_first = end == 0;
    // The lower bits are always those of the server's number, also after a jump.
    uint64_t begin = is_first ? (uint64_t)1 << 32 | cycle->frame : end + (cycle->frame - (uint32_t)end);
    if (!is_first && begin - end > capture->mask) {
        atomic_fetch_add(&capture->jumps, 1);
        is_first = true;
    }
    for (uint64_t frame = end; !is_first && frame < begin; frame++) {
        keep(capture, frame, NAN, NAN);
    }
    for (uint32_t i = 0; i < cycle->nframes; i++) {
        keep(capture, begin + i, cycle->inputs[0][i], cycle->inputs[1][i]);
    }
    atomic_store_explicit(&capture->end, begin + cycle->nframes, memory_order_release);
}

probe_detector_t *probe_plug_capture(probe_t *probe, uint32_t capacity) {
    struct capture *capture = detector_plug(probe, sizeof(struct capture) + (size_t)capacity * 2 * sizeof(float),
                                            (probe_detector_t){.run = run});
    if (capture == NULL) {
        return NULL;
    }
    capture->mask = capacity - 1;
    for (uint32_t i = 0; i < capacity; i++) {
        keep(capture, i, NAN, NAN);
    }
    return &capture->base;
}

uint64_t probe_captured(const probe_detector_t *detector) {
    return atomic_load_explicit(&((const struct capture *)detector)->end, memory_order_acquire);
}

uint32_t probe_capture_jumps(const probe_detector_t *detector) {
    return atomic_load(&((const struct capture *)detector)->jumps);
}

uint32_t probe_copy_captured(const probe_detector_t *detector, uint64_t first, uint32_t count, float *left,
                             float *right) {
    const struct capture *capture = (const struct capture *)detector;
    uint64_t end = probe_captured(detector);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t frame = first + i;
        bool is_kept = frame < end && end - frame <= capture->mask;
        const float *place = capture->samples + (size_t)(frame & capture->mask) * 2;
        left[i] = is_kept ? place[0] : NAN;
        right[i] = is_kept ? place[1] : NAN;
        found += is_kept && !isnan(place[0]);
    }
    return found;
}
