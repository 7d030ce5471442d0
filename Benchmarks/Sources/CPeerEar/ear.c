#include "peer_ear.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/// Written by the cycle alone, but for `wants_…`, which ask it to begin anew.
struct peer_ear {
    atomic_bool wants_onset, wants_count;
    atomic_bool has_onset;
    _Atomic uint32_t onset_frame, loud;
    _Atomic uint64_t quiet;
    _Atomic uint64_t first_ns, frames, silent, lost, repeated, garbled, breaks;
    _Atomic int64_t first, last;
};

static const float silence = 1e-5f, loudness = 0.05f;

peer_ear_t *peer_ear_make(void) { return calloc(1, sizeof(peer_ear_t)); }

void peer_ear_free(peer_ear_t *ear) { free(ear); }

static void add(_Atomic uint64_t *counter, uint64_t count) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count, memory_order_release);
}

static void hear_onset(peer_ear_t *ear, const float *samples, uint32_t nframes, uint32_t frame) {
    if (atomic_load(&ear->wants_onset)) {
        atomic_store(&ear->loud, 0);
        atomic_store(&ear->has_onset, false);
        atomic_store(&ear->wants_onset, false);
    }
    uint64_t quiet = atomic_load_explicit(&ear->quiet, memory_order_relaxed);
    uint32_t loud = atomic_load_explicit(&ear->loud, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++) {
        quiet = fabsf(samples[i]) > silence ? 0 : quiet + 1;
        loud += fabsf(samples[i]) > loudness;
        if (quiet == 0 && !atomic_load_explicit(&ear->has_onset, memory_order_relaxed)) {
            atomic_store(&ear->onset_frame, frame + i);
            atomic_store(&ear->has_onset, true);
        }
    }
    atomic_store(&ear->loud, loud);
    atomic_store(&ear->quiet, quiet);
}

/// 1…PEER_EAR_COUNT_LENGTH; 0 for silence, -1 for a sample that counts nothing.
static int64_t number(float sample) {
    float scaled = sample * PEER_EAR_COUNT_LENGTH;
    if (sample == 0)
        return 0;
    return scaled >= 1 && scaled <= PEER_EAR_COUNT_LENGTH && scaled == floorf(scaled) ? (int64_t)scaled : -1;
}

static void begin_anew(peer_ear_t *ear) {
    _Atomic uint64_t *counters[] = {&ear->first_ns, &ear->frames,  &ear->silent, &ear->lost,
                                    &ear->repeated, &ear->garbled, &ear->breaks};
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++)
        atomic_store(counters[i], 0);
    atomic_store(&ear->first, 0);
    atomic_store(&ear->last, 0);
    atomic_store(&ear->wants_count, false);
}

/// Whether the count is heard, from sample `i` of the cycle on.
static bool begins(const float *samples, uint32_t i, uint32_t nframes) {
    int64_t n = number(samples[i]);
    return n >= 1 && i + 1 < nframes && number(samples[i + 1]) == n % PEER_EAR_COUNT_LENGTH + 1;
}

/// Numbers from the last to this one, were the count to go on without end.
static int64_t step(int64_t last, int64_t n) {
    const int64_t length = PEER_EAR_COUNT_LENGTH;
    int64_t step = n - last;
    return step <= -length / 2 ? step + length : step > length / 2 ? step - length : step;
}

/// A number after another one.
static void follow(peer_ear_t *ear, int64_t last, int64_t n) {
    int64_t beyond = step(last, n) - 1;
    if (beyond != 0) {
        add(&ear->breaks, 1);
        add(beyond > 0 ? &ear->lost : &ear->repeated, (uint64_t)(beyond > 0 ? beyond : -beyond));
    }
    add(&ear->frames, 1);
}

static void hear_count(peer_ear_t *ear, const float *samples, uint32_t nframes, uint64_t nanoseconds) {
    if (atomic_load(&ear->wants_count))
        begin_anew(ear);
    int64_t last = atomic_load_explicit(&ear->last, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++) {
        int64_t n = number(samples[i]);
        if (last == 0) {
            if (!begins(samples, i, nframes))
                continue;
            atomic_store(&ear->first, n - (int64_t)i);
            atomic_store(&ear->first_ns, nanoseconds);
            add(&ear->frames, 1);
        } else if (n > 0) {
            follow(ear, last, n);
        } else {
            add(n == 0 ? &ear->silent : &ear->garbled, 1);
            continue;
        }
        last = n;
    }
    atomic_store(&ear->last, last);
}

void peer_ear_hear(peer_ear_t *ear, const float *samples, uint32_t nframes, uint32_t frame, uint64_t nanoseconds) {
    hear_onset(ear, samples, nframes, frame);
    hear_count(ear, samples, nframes, nanoseconds);
}

void peer_ear_arm(peer_ear_t *ear) { atomic_store(&ear->wants_onset, true); }

bool peer_ear_onset(const peer_ear_t *ear, uint32_t *frame) {
    if (atomic_load(&ear->wants_onset) || !atomic_load(&ear->has_onset))
        return false;
    *frame = atomic_load(&ear->onset_frame);
    return true;
}

uint32_t peer_ear_loud(const peer_ear_t *ear) { return atomic_load(&ear->loud); }

uint64_t peer_ear_quiet(const peer_ear_t *ear) { return atomic_load(&ear->quiet); }

void peer_ear_forget_count(peer_ear_t *ear) { atomic_store(&ear->wants_count, true); }

peer_ear_count_t peer_ear_count(const peer_ear_t *ear) {
    if (atomic_load(&ear->wants_count))
        return (peer_ear_count_t){0};
    return (peer_ear_count_t){.frames = atomic_load(&ear->frames),
                              .silent = atomic_load(&ear->silent),
                              .lost = atomic_load(&ear->lost),
                              .repeated = atomic_load(&ear->repeated),
                              .garbled = atomic_load(&ear->garbled),
                              .breaks = atomic_load(&ear->breaks),
                              .first = atomic_load(&ear->first),
                              .last = atomic_load(&ear->last),
                              .first_ns = atomic_load(&ear->first_ns)};
}
