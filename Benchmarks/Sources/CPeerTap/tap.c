#include "peer_tap.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/// Written by the cycle only, except `wants_…`, which request a restart.
struct peer_tap {
    atomic_bool wants_onset, wants_count;
    atomic_bool has_onset;
    _Atomic uint32_t onset_frame, loud;
    _Atomic uint64_t quiet;
    _Atomic uint64_t first_ns, frames, silent, lost, repeated, garbled, breaks;
    _Atomic int64_t first, last;
};

static const float silence = 1e-5f, loudness = 0.05f;

peer_tap_t *peer_tap_make(void) { return calloc(1, sizeof(peer_tap_t)); }

void peer_tap_free(peer_tap_t *tap) { free(tap); }

static void add(_Atomic uint64_t *counter, uint64_t count) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count, memory_order_release);
}

static void hear_onset(peer_tap_t *tap, const float *samples, uint32_t nframes, uint32_t frame) {
    if (atomic_load(&tap->wants_onset)) {
        atomic_store(&tap->loud, 0);
        atomic_store(&tap->has_onset, false);
        atomic_store(&tap->wants_onset, false);
    }
    uint64_t quiet = atomic_load_explicit(&tap->quiet, memory_order_relaxed);
    uint32_t loud = atomic_load_explicit(&tap->loud, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++) {
        quiet = fabsf(samples[i]) > silence ? 0 : quiet + 1;
        loud += fabsf(samples[i]) > loudness;
        if (quiet == 0 && !atomic_load_explicit(&tap->has_onset, memory_order_relaxed)) {
            atomic_store(&tap->onset_frame, frame + i);
            atomic_store(&tap->has_onset, true);
        }
    }
    atomic_store(&tap->loud, loud);
    atomic_store(&tap->quiet, quiet);
}

/// Returns 1…PEER_TAP_COUNT_LENGTH; 0 for silence, -1 for a sample that is not a count.
static int64_t number(float sample) {
    float scaled = sample * PEER_TAP_COUNT_LENGTH;
    if (sample == 0) {
        return 0;
    }
    return scaled >= 1 && scaled <= PEER_TAP_COUNT_LENGTH && scaled == floorf(scaled) ? (int64_t)scaled : -1;
}

static void begin_again(peer_tap_t *tap) {
    _Atomic uint64_t *counters[] = {&tap->first_ns, &tap->frames,  &tap->silent, &tap->lost,
                                    &tap->repeated, &tap->garbled, &tap->breaks};
    for (unsigned i = 0; i < sizeof counters / sizeof *counters; i++) {
        atomic_store(counters[i], 0);
    }
    atomic_store(&tap->first, 0);
    atomic_store(&tap->last, 0);
    atomic_store(&tap->wants_count, false);
}

/// Returns whether the signal counts from sample `i` of the cycle on.
static bool begins(const float *samples, uint32_t i, uint32_t nframes) {
    int64_t n = number(samples[i]);
    return n >= 1 && i + 1 < nframes && number(samples[i + 1]) == n % PEER_TAP_COUNT_LENGTH + 1;
}

/// Returns the distance from the last number to this one in the endless count.
static int64_t step(int64_t last, int64_t n) {
    const int64_t length = PEER_TAP_COUNT_LENGTH;
    int64_t step = n - last;
    return step <= -length / 2 ? step + length : step > length / 2 ? step - length : step;
}

/// Processes a number that follows another one.
static void follow(peer_tap_t *tap, int64_t last, int64_t n) {
    int64_t beyond = step(last, n) - 1;
    if (beyond != 0) {
        add(&tap->breaks, 1);
        add(beyond > 0 ? &tap->lost : &tap->repeated, (uint64_t)(beyond > 0 ? beyond : -beyond));
    }
    add(&tap->frames, 1);
}

static void hear_count(peer_tap_t *tap, const float *samples, uint32_t nframes, uint64_t nanoseconds) {
    if (atomic_load(&tap->wants_count)) {
        begin_again(tap);
    }
    int64_t last = atomic_load_explicit(&tap->last, memory_order_relaxed);
    for (uint32_t i = 0; i < nframes; i++) {
        int64_t n = number(samples[i]);
        if (last == 0) {
            if (!begins(samples, i, nframes)) {
                continue;
            }
            atomic_store(&tap->first, n - (int64_t)i);
            atomic_store(&tap->first_ns, nanoseconds);
            add(&tap->frames, 1);
        } else if (n > 0) {
            follow(tap, last, n);
        } else {
            add(n == 0 ? &tap->silent : &tap->garbled, 1);
            continue;
        }
        last = n;
    }
    atomic_store(&tap->last, last);
}

void peer_tap_hear(peer_tap_t *tap, const float *samples, uint32_t nframes, uint32_t frame, uint64_t nanoseconds) {
    hear_onset(tap, samples, nframes, frame);
    hear_count(tap, samples, nframes, nanoseconds);
}

void peer_tap_arm(peer_tap_t *tap) { atomic_store(&tap->wants_onset, true); }

bool peer_tap_onset(const peer_tap_t *tap, uint32_t *frame) {
    if (atomic_load(&tap->wants_onset) || !atomic_load(&tap->has_onset)) {
        return false;
    }
    *frame = atomic_load(&tap->onset_frame);
    return true;
}

uint32_t peer_tap_loud(const peer_tap_t *tap) { return atomic_load(&tap->loud); }

uint64_t peer_tap_quiet(const peer_tap_t *tap) { return atomic_load(&tap->quiet); }

void peer_tap_forget_count(peer_tap_t *tap) { atomic_store(&tap->wants_count, true); }

peer_tap_count_t peer_tap_count(const peer_tap_t *tap) {
    if (atomic_load(&tap->wants_count)) {
        return (peer_tap_count_t){0};
    }
    return (peer_tap_count_t){.frames = atomic_load(&tap->frames),
                              .silent = atomic_load(&tap->silent),
                              .lost = atomic_load(&tap->lost),
                              .repeated = atomic_load(&tap->repeated),
                              .garbled = atomic_load(&tap->garbled),
                              .breaks = atomic_load(&tap->breaks),
                              .first = atomic_load(&tap->first),
                              .last = atomic_load(&tap->last),
                              .first_ns = atomic_load(&tap->first_ns)};
}
