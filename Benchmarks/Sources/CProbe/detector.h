/// The common part of all detectors.
#ifndef PROBE_DETECTOR_H
#define PROBE_DETECTOR_H

#include "probe.h"

#include <jack/jack.h>
#include <stdatomic.h>
#include <stddef.h>

/// One call of the process callback.
typedef struct probe_cycle {
    jack_client_t *jack;
    /// When the callback was called.
    uint64_t ns;
    uint32_t frame, nframes, ninputs, noutputs;
    const float *const *inputs;
    float *const *outputs;
} probe_cycle_t;

/// The first member of a detector's state.
struct probe_detector {
    void (*run)(probe_detector_t *detector, const probe_cycle_t *cycle);
    /// NULL: there is nothing to discard.
    void (*reset)(probe_detector_t *detector);
    /// Set by the caller; the cycle clears it after the reset.
    atomic_bool wants_reset;
    /// The index of the input, or of a path's input and output.
    uint32_t port;
    probe_detector_t *next;
};

/// Plugs a detector into a probe: `base` completes the first member of a zeroed state of `size`
/// bytes. Returns NULL if there is no memory.
void *detector_plug(probe_t *probe, size_t size, probe_detector_t base);

/// Returns the client of a probe.
jack_client_t *detector_client(probe_t *probe);

/// Adds to a counter that only the cycle writes.
static inline void counter_add(_Atomic uint64_t *counter, uint64_t count) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + count, memory_order_release);
}

#endif
