/// A limit of signals of one kind: without it they queue up in the bus, and replies behind them.
#ifndef SIGNAL_LIMIT_H
#define SIGNAL_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

enum {
    /// More signals of one kind in a second are muted for a second.
    MAXIMUM_SIGNALS = 100,
    MUTE_US = 1000000,
};

typedef struct signal_limit {
    /// When the current second began, and how many signals have arrived since.
    uint64_t second_us;
    unsigned count;
    /// 0: not muted.
    uint64_t muted_until_us;
} signal_limit_t;

/// Counts a signal. Returns whether it is one too many; then the caller removes the match until
/// `*due_us` or later, which this updates.
bool signal_limit_exceeds(signal_limit_t *limit, uint64_t *due_us);

/// Returns whether signals are muted that must not be any longer, and ends that; otherwise updates
/// `*due_us`.
bool signal_limit_ends(signal_limit_t *limit, uint64_t *due_us, uint64_t now_us);

#endif
