/// Analyses the signal of one input port: when sound begins, and whether a counting signal
/// continues.
///
/// `peer_tap_hear` belongs to one thread, the cycle's; everything else to another one.
#ifndef PEER_TAP_H
#define PEER_TAP_H

#include <stdbool.h>
#include <stdint.h>

/// The length of the count: its sample n is (n + 1) / PEER_TAP_COUNT_LENGTH; after it the count
/// repeats.
enum { PEER_TAP_COUNT_LENGTH = 1 << 20 };

typedef struct peer_tap peer_tap_t;

/// Returns NULL if there is no memory.
peer_tap_t *peer_tap_make(void);
void peer_tap_free(peer_tap_t *tap);

/// Processes a cycle whose first sample has the server's frame number `frame`, and which began at
/// `nanoseconds`. [audio thread]
void peer_tap_hear(peer_tap_t *tap, const float *samples, uint32_t nframes, uint32_t frame, uint64_t nanoseconds);

/// Detects the next onset of sound from the next cycle on.
void peer_tap_arm(peer_tap_t *tap);
/// Returns whether there was sound since `peer_tap_arm`; if so, `frame` is the frame of the first
/// sample that was not silent.
bool peer_tap_onset(const peer_tap_t *tap, uint32_t *frame);
/// Returns the number of loud samples since then.
uint32_t peer_tap_loud(const peer_tap_t *tap);
/// Returns the number of samples since the last one that was not silent.
uint64_t peer_tap_quiet(const peer_tap_t *tap);

/// Discards the analysis of the count, and starts it again with the next cycle.
void peer_tap_forget_count(peer_tap_t *tap);

/// The analysis of the count. Its values may be inconsistent if a cycle writes meanwhile.
typedef struct peer_tap_count {
    /// The number of samples that counted.
    uint64_t frames;
    /// The number of samples of 0 after the first that counted.
    uint64_t silent;
    /// The number of counts that were left out.
    uint64_t lost;
    /// The number of counts that were repeated.
    uint64_t repeated;
    /// The number of samples that are not counts.
    uint64_t garbled;
    /// The number of times that the count did not continue by one.
    uint64_t breaks;
    /// The number that the first sample of the cycle in which the count was first heard had, or
    /// would have had.
    int64_t first;
    /// The last number.
    int64_t last;
    /// When that first cycle began; 0: there was no count.
    uint64_t first_ns;
} peer_tap_count_t;

/// Returns the analysis; all zero from `peer_tap_forget_count` until the next cycle.
peer_tap_count_t peer_tap_count(const peer_tap_t *tap);

#endif
