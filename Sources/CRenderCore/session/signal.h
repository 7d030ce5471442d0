/// Signal detection: whether the sources of a session deliver signal to its bus, the bus that has
/// the session's gate.
///
/// A bus has signal from the first block in which a voice plays on it, or on a bus of its mixer,
/// until no voice has for RCORE_SIGNAL_HOLD_MS. The samples do not count: a voice that renders
/// silence plays. An insert counts only by its samples, because it runs without pause; it counts
/// while one of them exceeds RCORE_SIGNAL_THRESHOLD at the end of the session's mixer.
///
/// Each block that a voice feeds stores its time (`signal_feed`). No cycle searches for buses that
/// have become silent before the earliest time at which one can have.
#ifndef RCORE_SIGNAL_H
#define RCORE_SIGNAL_H

#include "render_core.h"

#include <stdatomic.h>

struct bus_state;

struct signals {
    /// When the cycle next searches for buses that have become silent, in frames of `rcore_time`;
    /// UINT64_MAX: no bus has signal.
    uint64_t next_check;
    /// Whether a key may be audible (key.h).
    bool any_audible;
};

/// State of a bus that has a gate.
struct signal_state {
    /// The start of the last block that had signal, in frames of `rcore_time`.
    uint64_t last_frame;
    /// Published. Only the cycle writes it.
    _Atomic(bool) is_present;
};

/// Records that a voice plays on a bus in this block.
void signal_feed(rcore_t *core, const struct bus_state *bus) RCORE_RT;
/// Records that a bus with a gate has signal in this block if one of the samples exceeds the
/// threshold, unless a voice feeds the bus in this block.
void signal_scan(rcore_t *core, struct bus_state *bus, float *const *planes, uint32_t channels,
                 uint32_t nframes) RCORE_RT;
/// Assigns each bus to the bus that has its session's gate, after the active plans have changed.
void signals_assign(rcore_t *core) RCORE_RT;
/// Ends the signal of the buses that have become silent, at the end of a cycle.
void signals_expire(rcore_t *core) RCORE_RT;

#endif
